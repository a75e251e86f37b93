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

const hashed = (text: string): string => hash('sha256', `\u0000${text}`);

export const genesisHash = (start: SessionStart): string => hashed(canonicalJson({ v: 1, kind: 'session', ...start }));

/** The canonical JSON of a thought, which is hashed and which a proof contains. */
export const thoughtText = (fields: ThoughtFields): string => canonicalJson({ v: 1, ...fields });

export const thoughtHash = (fields: ThoughtFields): string => hashed(thoughtText(fields));

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

/**
 * The fields that a thought's hash covers. `seq`: its zero-based place in the session. `prev_hash`: the hash of the thought before; for the
 * first thought, the session's genesis hash. `idempotency`: absent without a key; its digest uses the same salt as the content's digest.
 */
export const hashedFields = (row: ThoughtRow) => {
  const { session_id, thought_id, type, task_id, agent_id, content_digest, timestamp, prev_hash } = row;
  const { place: seq, skill_name, skill_digest, idempotency_key, request_digest } = row;
  const skill = skill_name === null ? null : { name: skill_name, digest: skill_digest ?? '' };
  const idempotency =
    idempotency_key === null ? {} : { idempotency: { key: idempotency_key, request_digest: request_digest ?? '' } };
  return {
    session_id,
    seq,
    thought_id,
    type,
    task_id,
    agent_id,
    skill,
    content_digest,
    timestamp,
    prev_hash,
    ...idempotency,
  };
};
export type ThoughtFields = ReturnType<typeof hashedFields>;
