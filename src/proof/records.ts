// The types of all records of the ledger (docs/audit-format.md). A member marked `?` is left out if absent, never null. Recording must not
// fail because of what was sent, so text from other programs goes through `name`.
import { PROOF_LIMITS } from './limits.js';
import type { AskedRecord, CatalogueRecord, ConfigRecord, HealthRecord, RouteNote } from './switchboard-records.js';

export type Effect = 'read' | 'write' | 'proxy' | 'open';

export type OutcomeKind = 'ok' | 'domain_error' | 'rejected' | 'refused' | 'failed' | 'cancelled' | 'interrupted';

export interface ClientIdentity {
  readonly name: string;
  readonly version: string;
  readonly protocol: string;
}

/** What the client says about the conversation that a call belongs to. */
export interface HostIdentity {
  readonly conversation?: string;
  readonly turn?: string;
  readonly model?: string;
  readonly agent?: string;
}

/** An evidence row (task, session, …) that a write inserted or changed, with its revision and digest. */
export interface Subject {
  readonly type: 'task' | 'lease' | 'session' | 'thought' | 'catalogue' | 'adoption';
  readonly id: string;
  readonly rev: number;
  readonly digest: string;
}

export interface BootRecord {
  readonly kind: 'boot';
  readonly instance: string;
  readonly node: string;
  readonly pid: number;
  readonly os_user: string;
  readonly version: string;
  readonly mode: string;
  /** The project's name. */
  readonly project: string | null;
  /** The project id that the project's tasks carry; absent in records of format 4 and before. */
  readonly project_id?: string | null;
  /** The earlier task owners whose tasks the project took over. */
  readonly subjects?: readonly Subject[] | undefined;
  readonly machine_boot: string | null;
  readonly config_digest: string;
}

export interface CallEnterRecord {
  readonly kind: 'call.enter';
  readonly instance: string;
  readonly call: string;
  readonly tool: string;
  readonly effect?: Effect | undefined;
  /** True if Colibri itself made the call to check a capability: no client asked for it. */
  readonly check?: true | undefined;
  readonly client: ClientIdentity | null;
  readonly host?: HostIdentity | undefined;
  readonly args: 'stored' | 'digest' | 'empty' | 'none';
  readonly args_digest?: string | undefined;
  readonly args_bytes?: number | undefined;
  /** SHA-256 of the salt of the arguments' digest, if the salt is kept and the arguments are not. */
  readonly args_salt?: string | undefined;
  readonly late?: true | undefined;
}

/** What a tool's handler adds to the outcome record of its call. */
export interface OutcomeNotes {
  readonly subjects?: readonly Subject[] | undefined;
  /** A transition of a task; `because` is the thought that gives the reason. */
  readonly change?:
    | {
        readonly task_id: string;
        readonly from: string;
        readonly to: string;
        readonly version: number;
        readonly attempt: number;
        readonly because?: string;
      }
    | undefined;
  /** The number of the task's attempt to which a thought of this call belongs. */
  readonly attempt?: number | undefined;
  readonly replay_of?: number | undefined;
  /** The route of a call that was, or should have been, passed on to another server. */
  readonly route?: RouteNote | undefined;
}

export interface CallExitRecord extends OutcomeNotes {
  readonly kind: 'call.exit';
  readonly sequence_no: number;
  readonly call: string;
  readonly tool: string;
  readonly outcome: OutcomeKind;
  readonly code?: string | undefined;
  readonly result_digest?: string | undefined;
  /** `json` if the digested text has no RFC 8785 form and was written by JSON.stringify. */
  readonly form?: 'json' | undefined;
  readonly duration_us?: number | undefined;
  readonly late?: true | undefined;
}

export interface GapRecord {
  readonly kind: 'gap';
  readonly count: number;
  readonly first_at: string;
  readonly last_at: string;
  readonly reason: string;
}

export interface MigrateRecord {
  readonly kind: 'migrate';
  readonly from: number;
  readonly to: number;
  readonly checksum: string;
}

/** The first record of a log that replaces a log whose key is gone or was rotated. The other members say how the replaced log ended. */
export interface SucceedsRecord {
  readonly kind: 'succeeds';
  readonly previous: string;
  readonly size: number;
  readonly root: string;
}

/** Closes a session. `subjects` holds the session's row as it is from now on. */
export interface SealRecord {
  readonly kind: 'seal';
  readonly session_id: string;
  readonly genesis_hash: string;
  /** The RFC 6962 Merkle root over the hashes of the session's thoughts, in their order. */
  readonly root: string;
  readonly record_count: number;
  readonly subjects: readonly Subject[];
}

/** Names contents that were erased. Their digests stay, so every proof remains valid. */
export interface EraseRecord {
  readonly kind: 'erase';
  readonly targets: readonly { readonly type: 'thought' | 'payload'; readonly id: string }[];
  readonly reason: string;
  readonly by: string;
}

/** Names stored arguments that were deleted because of their age: every `payloads` row of a log between two positions. */
export interface PruneRecord {
  readonly kind: 'prune';
  /** The time before which the calls of the deleted arguments began. */
  readonly before: string;
  /** The log of the deleted rows, if it is not the log of this record: a closed log gets no more records. */
  readonly of?: string;
  readonly from_seq: number;
  /** The last seq of the range, inclusive. */
  readonly to_seq: number;
  /** The number of deleted rows. */
  readonly count: number;
}

/** The first record of a log that continues after the store was replaced by an older one; `known_*` is the newest head that was signed. */
export interface RestoreRecord {
  readonly kind: 'restore';
  readonly previous: string;
  readonly size: number;
  readonly root: string;
  readonly known_size: number;
  readonly known_root: string;
  readonly reason: string;
}

/** The last record of a log whose key is replaced. */
export interface RotateRecord {
  readonly kind: 'rotate';
  /** The vkey (public key) of the log that follows this one. */
  readonly successor: string;
}

export interface ShutdownRecord {
  readonly kind: 'shutdown';
  readonly instance: string;
  readonly reason: string;
  readonly drained: number;
  readonly abandoned: number;
}

export type LedgerRecord =
  | BootRecord
  | CallEnterRecord
  | CallExitRecord
  | GapRecord
  | MigrateRecord
  | SucceedsRecord
  | SealRecord
  | EraseRecord
  | PruneRecord
  | RestoreRecord
  | RotateRecord
  | HealthRecord
  | CatalogueRecord
  | ConfigRecord
  | AskedRecord
  | ShutdownRecord;

/** The member of `_meta` that holds the receipt. */
export const RECEIPT_KEY = 'dev.colibri/receipt';

/** Names the record of a call; part of the call's answer. */
export interface Receipt {
  readonly log: string;
  readonly seq: number;
  /** The Merkle leaf hash of the record, 64 hex digits. */
  readonly leaf: string;
  readonly call: string;
  /** The salt of the result's digest, 32 hex digits. */
  readonly salt: string;
}

/** Makes text from other programs fit for a record: well-formed, without U+0000, at most 128 characters. */
export const name = (text: string): string => {
  const clean = text.toWellFormed().replaceAll('\u0000', '\ufffd');
  return clean.length <= PROOF_LIMITS.nameChars ? clean : clean.slice(0, PROOF_LIMITS.nameChars).toWellFormed();
};
