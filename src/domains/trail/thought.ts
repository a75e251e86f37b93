// The hashed fields of thoughts (plans, findings, decisions, lessons) and of sessions (chains of thoughts), and how they are hashed. Pure. The
// hash covers a salted digest of a thought's content, so the content can be erased and the chain still verifies.
import { hash } from 'node:crypto';
import { canonicalJson } from '../../proof/canonical-json.js';

export const THOUGHT_TYPES = ['plan', 'analysis', 'decision', 'reflection'] as const;
export type ThoughtType = (typeof THOUGHT_TYPES)[number];

export interface SessionStart {
  readonly log: string;
  readonly session_id: string;
  readonly intent: string;
  readonly task_id: string | null;
  readonly agent_id: string | null;
  readonly started_at: string;
}

export interface ThoughtFields {
  readonly session_id: string;
  /** The zero-based place of the thought in its session. */
  readonly seq: number;
  readonly thought_id: string;
  readonly type: ThoughtType;
  readonly task_id: string | null;
  readonly agent_id: string | null;
  readonly skill: { readonly name: string; readonly digest: string } | null;
  readonly content_digest: string;
  readonly timestamp: string;
  /** The hash of the thought before this one; for the first thought, the session's genesis hash. */
  readonly prev_hash: string;
  /** The request's idempotency key and digest; absent without a key. The digest uses the same salt as the content's digest. */
  readonly idempotency?: { readonly key: string; readonly request_digest: string };
}

const hashed = (text: string): string => hash('sha256', `\u0000${text}`);

export const genesisHash = (start: SessionStart): string => hashed(canonicalJson({ v: 1, kind: 'session', ...start }));

/** The canonical JSON of a thought, which is hashed and which a proof contains. */
export const thoughtText = (fields: ThoughtFields): string => canonicalJson({ v: 1, ...fields });

export const thoughtHash = (fields: ThoughtFields): string => hashed(thoughtText(fields));

/** A row of the table `thoughts`. */
export type ThoughtRow = {
  readonly thought_id: string;
  readonly session_id: string;
  readonly place: number;
  readonly type: ThoughtType;
  readonly task_id: string | null;
  readonly agent_id: string | null;
  readonly skill_name: string | null;
  readonly skill_digest: string | null;
  readonly content_digest: string;
  readonly timestamp: string;
  readonly prev_hash: string;
  readonly hash: string;
  readonly content: string | null;
  readonly content_salt: string | null;
  readonly idempotency_key: string | null;
  readonly request_digest: string | null;
  readonly log_id: string;
  readonly seq: number;
  readonly attempt: number | null;
};

/** The fields that a thought's hash covers. */
export const hashedFields = (row: ThoughtRow): ThoughtFields => ({
  session_id: row.session_id,
  seq: row.place,
  thought_id: row.thought_id,
  type: row.type,
  task_id: row.task_id,
  agent_id: row.agent_id,
  skill: row.skill_name === null ? null : { name: row.skill_name, digest: row.skill_digest ?? '' },
  content_digest: row.content_digest,
  timestamp: row.timestamp,
  prev_hash: row.prev_hash,
  ...(row.idempotency_key !== null && {
    idempotency: { key: row.idempotency_key, request_digest: row.request_digest ?? '' },
  }),
});
