// A thought and its session as they are hashed. Pure. The content is outside the hash, its salted digest inside: it
// can be erased and the chain stands.
import { hash } from 'node:crypto';
import { canonicalJson } from '../../ledger/canonical-json.js';

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
  /** Zero-based place in its session. */
  readonly seq: number;
  readonly thought_id: string;
  readonly type: ThoughtType;
  readonly task_id: string | null;
  readonly agent_id: string | null;
  readonly skill: { readonly name: string; readonly digest: string } | null;
  readonly content_digest: string;
  readonly timestamp: string;
  /** The hash of the thought before it, or the session's genesis. */
  readonly prev_hash: string;
  /** Left out where no key came with it. The digest is salted like the content's. */
  readonly idempotency?: { readonly key: string; readonly request_digest: string };
}

const hashed = (text: string): string => hash('sha256', `\u0000${text}`);

export const genesisHash = (start: SessionStart): string => hashed(canonicalJson({ v: 1, kind: 'session', ...start }));

/** The canonical text that is hashed, and that a proof carries. */
export const thoughtText = (fields: ThoughtFields): string => canonicalJson({ v: 1, ...fields });

export const thoughtHash = (fields: ThoughtFields): string => hashed(thoughtText(fields));
