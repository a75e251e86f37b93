// The types of all records of the ledger (docs/audit-format.md). A member marked `?` is left out if absent, never null. Recording must not
// fail because of what was sent, so text from elsewhere goes through `name`.
import { PROOF_LIMITS } from './limits.js';

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

/** How an attempt to have a provider serve a call ended. */
export type AttemptEnd =
  /** Answered with a result, with a result that has `isError`, or with a JSON-RPC error. */
  | 'result'
  | 'is_error'
  | 'error'
  /** Answered with a question to the client, which has to call again. */
  | 'input'
  /** Refused because of the server's state, a full queue, or an HTTP status that is sent before a call is processed. */
  | 'refused'
  /** No answer. */
  | 'timeout'
  | 'lost'
  | 'server_error'
  | 'cancelled';

/** One attempt on one server. A server may be tried twice: a lost call is sent once more if that is safe. */
export interface RouteAttempt {
  readonly server: string;
  readonly tool: string;
  readonly how: AttemptEnd;
  readonly code?: string | undefined;
  /** Whether anything was sent to the server. */
  readonly sent: boolean;
  readonly duration_ms: number;
}

/** The candidates for a call and the attempts. `name` is the route; null if the caller named the tool itself. */
export interface RouteNote {
  readonly name: string | null;
  /** In the order of the configuration, each in the state in which it was chosen or last skipped. */
  readonly candidates: readonly {
    readonly server: string;
    readonly tool: string;
    /** Null: there is no such server. */
    readonly state: string | null;
    readonly eligible: boolean;
    readonly reason?: string | undefined;
  }[];
  readonly attempts: readonly RouteAttempt[];
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

/** Names; if they would fill the record, their number and the SHA-256 of their RFC 8785 list. */
export type NameList = readonly string[] | { readonly count: number; readonly digest: string };

/** Texts from elsewhere are stored beside the record, with a salt of their own: they can be erased, and every proof remains valid. */
export interface KeptTexts {
  readonly texts?: 'stored' | undefined;
  readonly texts_digest?: string | undefined;
  readonly texts_bytes?: number | undefined;
}

/**
 * A transition of the health machine of one server, with everything that is needed to repeat it. Error texts, some of them the server's own,
 * are stored beside the record: `{detail, event, before}`.
 */
export interface HealthRecord extends KeptTexts {
  readonly kind: 'health';
  readonly instance: string;
  readonly server: string;
  readonly from: string;
  /** Null: removed from the configuration. */
  readonly to: string | null;
  /** The reason of the new state, or the event if it has none. */
  readonly cause: string;
  /** Null: the new state has no reason. Older records have its text here. */
  readonly detail?: string | null | undefined;
  readonly event: unknown;
  /** The machine's whole state before the event. */
  readonly before: unknown;
  /** The health machine's monotonic clock. */
  readonly now_ms: number;
}

/** The tools of a server have changed. `digest` is that of the new list. */
export interface CatalogueRecord {
  readonly kind: 'catalogue';
  readonly instance: string;
  readonly server: string;
  readonly digest: string;
  readonly added: NameList;
  readonly removed: NameList;
  readonly changed: NameList;
  readonly subjects: readonly Subject[];
}

/** A server has asked the person or the model behind the client something. The question itself is not recorded. */
export interface AskedRecord {
  readonly kind: 'asked';
  readonly instance: string;
  readonly server: string;
  /** `elicitation/create` or `sampling/createMessage`. */
  readonly method: string;
  /** The call during which it asked; null if several were in flight. */
  readonly call: string | null;
}

/** The configuration of a process has changed: the servers of the switchboard. */
export interface ConfigRecord {
  readonly kind: 'config';
  readonly instance: string;
  readonly what: 'switchboard';
  readonly digest: string;
  readonly added: NameList;
  readonly removed: NameList;
  readonly changed: NameList;
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
