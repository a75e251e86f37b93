// The types of all records of the ledger (docs/audit-format.md). A member marked `?` is left out if absent, never null. Recording must not
// fail because of what was sent, so text from elsewhere goes through `name`.
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

/** An evidence row that a write inserted or changed. */
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
  /** The project id that its tasks carry; absent in records of format 4 and before. */
  readonly project_id?: string | null;
  /** The owners whose tasks the project took over. */
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
  /** A capability check by Colibri itself: no client asked for it. */
  readonly check?: true | undefined;
  readonly client: ClientIdentity | null;
  readonly host?: HostIdentity | undefined;
  readonly args: 'stored' | 'digest' | 'empty' | 'none';
  readonly args_digest?: string | undefined;
  readonly args_bytes?: number | undefined;
  /** SHA-256 of the salt, if only the salt is kept. */
  readonly args_salt?: string | undefined;
  readonly late?: true | undefined;
}

/** What a handler adds to its outcome record. */
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
  /** The attempt of the task that a thought of this call belongs to. */
  readonly attempt?: number | undefined;
  readonly replay_of?: number | undefined;
  /** Set for a call that was, or should have been, passed on to another server. */
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
  /** How the digested text was written if it has no RFC 8785 form. */
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

/** The first record of a log that replaces one whose key is gone or was rotated. The other members say how that log ended. */
export interface SucceedsRecord {
  readonly kind: 'succeeds';
  readonly previous: string;
  readonly size: number;
  readonly root: string;
}

/** Closes a session. `subjects` holds the session row as it is from now on. */
export interface SealRecord {
  readonly kind: 'seal';
  readonly session_id: string;
  readonly genesis_hash: string;
  /** RFC 6962 root over the hashes of the session's thoughts, in their order. */
  readonly root: string;
  readonly record_count: number;
  readonly subjects: readonly Subject[];
}

/** Contents that were erased. Their digests stay, so every proof remains valid. */
export interface EraseRecord {
  readonly kind: 'erase';
  readonly targets: readonly { readonly type: 'thought' | 'payload'; readonly id: string }[];
  readonly reason: string;
  readonly by: string;
}

/** Stored arguments that were deleted because of their age: every payload row of a log between two positions. */
export interface PruneRecord {
  readonly kind: 'prune';
  /** The calls began before this time. */
  readonly before: string;
  /** The log of the payloads, if it is not this one: a closed log gets no more records. */
  readonly of?: string;
  readonly from_seq: number;
  /** Inclusive. */
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
  /** The vkey of the next log. */
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

/** Where the record of a call is; part of the call's answer. */
export interface Receipt {
  readonly log: string;
  readonly seq: number;
  /** 64 hex digits. */
  readonly leaf: string;
  readonly call: string;
  /** 32 hex digits. */
  readonly salt: string;
}

/** Makes text from elsewhere fit for a record: well-formed, without U+0000, at most 128 characters. */
export const name = (text: string): string => {
  const clean = text.toWellFormed().replaceAll('\u0000', '\ufffd');
  return clean.length <= PROOF_LIMITS.nameChars ? clean : clean.slice(0, PROOF_LIMITS.nameChars).toWellFormed();
};
