// The records of the ledger as they are written, docs/audit-format.md in types. A field marked `?` is left
// out when absent, never null. Recording never fails because of what was sent: foreign text goes through `name`.
import { PROOF_LIMITS } from './limits.js';

export type Effect = 'read' | 'write' | 'proxy' | 'open';

export type OutcomeKind = 'ok' | 'domain_error' | 'rejected' | 'refused' | 'failed' | 'cancelled' | 'interrupted';

export interface ClientIdentity {
  readonly name: string;
  readonly version: string;
  readonly protocol: string;
}

/** What the client says about the conversation a call belongs to. */
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
  /** Its name. */
  readonly project: string | null;
  /** What its tasks carry; absent in records of format 4 and before. */
  readonly project_id?: string | null;
  /** The owners whose tasks it took over. */
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
  /** A capability check of Colibri's own: nobody else asked for it. */
  readonly check?: true | undefined;
  readonly client: ClientIdentity | null;
  readonly host?: HostIdentity | undefined;
  readonly args: 'stored' | 'digest' | 'empty' | 'none';
  readonly args_digest?: string | undefined;
  readonly args_bytes?: number | undefined;
  /** SHA-256 of the salt, where the salt is all that is kept. */
  readonly args_salt?: string | undefined;
  readonly late?: true | undefined;
}

/** How a try to have a provider serve a call ended. */
export type AttemptEnd =
  /** Answered: with a result, with one that says `isError`, with a JSON-RPC error. */
  | 'result'
  | 'is_error'
  | 'error'
  /** Answered with a question to the client, who is to call again. */
  | 'input'
  /** Turned away: by its state, a full queue, or an HTTP status that is given before a call is looked at. */
  | 'refused'
  /** No answer. */
  | 'timeout'
  | 'lost'
  | 'server_error'
  | 'cancelled';

/** One try on one server. A server may be tried twice: where that is safe a lost call is sent once more. */
export interface RouteAttempt {
  readonly server: string;
  readonly tool: string;
  readonly how: AttemptEnd;
  readonly code?: string | undefined;
  /** Was anything handed to the server? */
  readonly sent: boolean;
  readonly duration_ms: number;
}

/** Where a call could go and where it went. `name`: the route; null where the caller named the tool itself. */
export interface RouteNote {
  readonly name: string | null;
  /** In the order of the configuration, each as it was when it was chosen, or when it was last passed over. */
  readonly candidates: readonly {
    readonly server: string;
    readonly tool: string;
    /** Null: the server is not there. */
    readonly state: string | null;
    readonly eligible: boolean;
    readonly reason?: string | undefined;
  }[];
  readonly attempts: readonly RouteAttempt[];
}

/** What a handler leaves in its outcome record. */
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
  /** The attempt of its task that a thought of this call counts for. */
  readonly attempt?: number | undefined;
  readonly replay_of?: number | undefined;
  /** A call that was handed on to another server, or was meant to be. */
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
  /** How the digested text was written, where it has no RFC 8785 form. */
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

/** First record of a log that takes over from one whose key is gone. `previous` fields as that log ended. */
export interface SucceedsRecord {
  readonly kind: 'succeeds';
  readonly previous: string;
  readonly size: number;
  readonly root: string;
}

/** A session takes no more. Carries its own subject, the session as it is from now on. */
export interface SealRecord {
  readonly kind: 'seal';
  readonly session_id: string;
  readonly genesis_hash: string;
  /** RFC 6962 root over the hashes of the session's thoughts, in their order. */
  readonly root: string;
  readonly record_count: number;
  readonly subjects: readonly Subject[];
}

/** Contents that were taken out. Digests of them stay where they are, so every proof stands. */
export interface EraseRecord {
  readonly kind: 'erase';
  readonly targets: readonly { readonly type: 'thought' | 'payload'; readonly id: string }[];
  readonly reason: string;
  readonly by: string;
}

/** Kept arguments that were taken out because of their age: every payload row of a log between two places. */
export interface PruneRecord {
  readonly kind: 'prune';
  /** The calls began before that. */
  readonly before: string;
  /** The log they are of, where it is another one: a log that was closed takes no more records. */
  readonly of?: string;
  readonly from_seq: number;
  /** Inclusive. */
  readonly to_seq: number;
  /** Rows that were taken out. */
  readonly count: number;
}

/** First record of a log that takes over after the store went back; `known` is the newest head that was signed. */
export interface RestoreRecord {
  readonly kind: 'restore';
  readonly previous: string;
  readonly size: number;
  readonly root: string;
  readonly known_size: number;
  readonly known_root: string;
  readonly reason: string;
}

/** Last record of a log whose key is replaced. */
export interface RotateRecord {
  readonly kind: 'rotate';
  /** The vkey of the log that takes over. */
  readonly successor: string;
}

/** Names, or how many and the SHA-256 of their RFC 8785 list where they would fill the record. */
export type NameList = readonly string[] | { readonly count: number; readonly digest: string };

/** What somebody else wrote is beside the record, with a salt of its own: it can be erased, and every proof stands. */
export interface KeptTexts {
  readonly texts?: 'stored' | undefined;
  readonly texts_digest?: string | undefined;
  readonly texts_bytes?: number | undefined;
}

/**
 * A transition of the health machine of one server, with all that is needed to repeat it. What went wrong in words, some of them the
 * server's own, is in the texts beside it: `{detail, event, before}`.
 */
export interface HealthRecord extends KeptTexts {
  readonly kind: 'health';
  readonly instance: string;
  readonly server: string;
  readonly from: string;
  /** Null: removed from the configuration. */
  readonly to: string | null;
  /** The reason of the new state, or the event where it has none. */
  readonly cause: string;
  /** Null: the new state has no reason. Older records have its words here. */
  readonly detail?: string | null | undefined;
  readonly event: unknown;
  /** The machine's whole state before the event. */
  readonly before: unknown;
  /** The machine's clock, monotonic. */
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

/** A server has put a question to the person or the model behind the client. What it asked is not in it. */
export interface AskedRecord {
  readonly kind: 'asked';
  readonly instance: string;
  readonly server: string;
  /** `elicitation/create` or `sampling/createMessage`. */
  readonly method: string;
  /** The call during which it asked; null where several were under way. */
  readonly call: string | null;
}

/** What a process was told to do has changed: the servers of the switchboard. */
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

/** What an answer says of the record of its call. */
export interface Receipt {
  readonly log: string;
  readonly seq: number;
  /** 64 hex digits. */
  readonly leaf: string;
  readonly call: string;
  /** 32 hex digits. */
  readonly salt: string;
}

/** Foreign text as it may stand in a record: well-formed, without U+0000, at most 128 characters. */
export const name = (text: string): string => {
  const clean = text.toWellFormed().replaceAll('\u0000', '\ufffd');
  return clean.length <= PROOF_LIMITS.nameChars ? clean : clean.slice(0, PROOF_LIMITS.nameChars).toWellFormed();
};
