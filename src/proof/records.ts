// The shapes of all records of the ledger, as data: one entry for each kind, with its members. The writer, the command line and
// docs/audit-format.md (`npm run docs`) read this table, and the types follow from it; the verifier does not use it, so that it finds
// mistakes in this table.
import { CREDIT } from './credits.js';
import { PROOF_LIMITS } from './limits.js';
import { CHANGE, CLIENT, HOST, LOG_STANDING, NOTES, type RecordWith, STEP, SUBJECT, SUBJECTS } from './record-parts.js';
import { listing, type MembersOf, objectOf, oneOf, orNull, type RecordShape, type ShapeValue } from './shape.js';
import {
  APPROVAL_MEMBERS,
  ASKED_MEMBERS,
  ATTEMPT,
  CANDIDATE,
  CATALOGUE_MEMBERS,
  CONFIG_MEMBERS,
  HEALTH_MEMBERS,
  KEPT_TEXTS,
  NAMES,
  ROUTE,
} from './switchboard-records.js';

export type {
  ClientIdentity,
  ExpiredLease,
  HostIdentity,
  LogStanding,
  Subject,
  TaskTransition,
} from './record-parts.js';

const EFFECT = oneOf('read', 'write', 'proxy', 'open');
export type Effect = ShapeValue<typeof EFFECT>;

const OUTCOME = oneOf('ok', 'domain_error', 'rejected', 'refused', 'failed', 'cancelled', 'interrupted');
export type OutcomeKind = ShapeValue<typeof OUTCOME>;

/** How the digested form of a result was written, if it is not RFC 8785: by JSON.stringify, or the bytes as the server sent them. */
const FORM = oneOf('json', 'bytes');
export type ResultForm = ShapeValue<typeof FORM>;

/** The log that this log replaces, with its size and root when it was closed. */
const END = { previous: 'hex32', size: 'count', root: 'digest' } as const;

/**
 * The members that mark a call's records which were written late: after the call was answered (`late`), or after the process had died
 * (`recovered`).
 */
const BELATED = { 'late?': 'flag', 'recovered?': 'flag' } as const;

/** What a handler may note in the outcome, and the route of a call that was, or should have been, passed on to another server. */
const OUTCOME_NOTES = { ...NOTES, 'route?': ROUTE } as const;
export type OutcomeNotes = MembersOf<typeof OUTCOME_NOTES>;

/** The shapes of values inside records to which docs/audit-format.md gives a name. */
export const PARTS: Readonly<Record<string, RecordShape>> = {
  subject: SUBJECT,
  head: LOG_STANDING,
  client: CLIENT,
  host: HOST,
  step: STEP,
  'old step': CHANGE,
  route: ROUTE,
  candidate: CANDIDATE,
  attempt: ATTEMPT,
  credit: CREDIT,
  names: NAMES,
};

/** Every kind of record: its members besides those that all records have, and a description of the record for docs/audit-format.md. */
export const RECORDS = {
  migrate: {
    members: { from: 'count', to: 'count', checksum: 'digest', 'logs?': listing(LOG_STANDING) },
    says: 'the schema went from version `from` to `to`; `checksum` is the SHA-256 of the SQL. `logs`: the logs that the store had before format 5, as they were',
  },
  succeeds: {
    members: END,
    says: 'how the log before it ended. Its key was lost, or its last record is `rotate`',
  },
  restore: {
    members: { ...END, known_size: 'count', known_root: 'digest', reason: 'text' },
    says: 'the store went back behind the signed head (known_size, known_root) of `previous`, and somebody accepted it',
  },
  rotate: {
    members: { successor: 'text' },
    says: 'the last record of a log whose key was replaced; the log that succeeds it has the key of this vkey',
  },
  boot: {
    members: {
      instance: 'id',
      node: 'text',
      pid: 'count',
      os_user: 'text',
      version: 'text',
      mode: 'text',
      project: orNull('text'),
      'project_id?': orNull('text'),
      'subjects?': SUBJECTS,
      machine_boot: orNull('text'),
      config_digest: 'digest',
    },
    says: 'a process began to write the log. `project` is the name of its project, `project_id` (absent before format 5) its id, `subjects` the adoptions that it made',
  },
  unassign: {
    members: { subjects: SUBJECTS },
    says: 'tasks whose assignee the migration to version 6 took back, because a claim had set it: the holder of the last lease was the assignee',
  },
  beside: {
    members: { instance: 'id', logs: listing(LOG_STANDING) },
    says: 'the other logs of the store that are new or have grown since the last such record',
  },
  accept: {
    members: {
      what: oneOf('missing log', 'begun anew', 'copy'),
      logs: listing(LOG_STANDING),
      'path?': 'text',
      reason: 'text',
      by: 'text',
    },
    says: 'a person accepted that these logs are not here, or that this is a copy',
  },
  adopts: {
    members: { from: 'hex32', logs: listing(LOG_STANDING) },
    says: 'these logs came from the store `from`, which was moved here; they are continued by no store',
  },
  moved: {
    members: { to: 'hex32', place: 'text' },
    says: 'the last record of a store that was moved to the store `to`, at that place',
  },
  'call.enter': {
    members: {
      instance: 'id',
      sequence_no: 'count',
      call: 'id',
      tool: 'text',
      'effect?': EFFECT,
      // What the client was shown of the tool, if the call goes to another server's tool; `unlisted` if it was never shown it.
      'definition?': 'digest',
      'unlisted?': 'flag',
      'check?': 'flag',
      client: orNull(CLIENT),
      'host?': HOST,
      args: oneOf('stored', 'digest', 'empty', 'none'),
      'args_digest?': 'digest',
      'args_bytes?': 'count',
      // SHA-256 of the salt of the arguments' digest, if the salt is kept and the arguments are not.
      'args_salt?': 'digest',
      ...BELATED,
    },
    says: 'the intent of a call; `sequence_no` is its own `seq`. `definition`: what this client was shown last of the tool of another server, or of the route, that it called ([definitions](#definitions-of-tools)); with `unlisted` it was never shown any, and it is what it would have been shown',
  },
  'call.exit': {
    members: {
      sequence_no: 'count',
      call: 'id',
      tool: 'text',
      outcome: OUTCOME,
      'code?': 'text',
      'result_digest?': 'digest',
      'form?': FORM,
      'duration_us?': 'count',
      // The words of the error, stored beside the record.
      ...KEPT_TEXTS,
      ...OUTCOME_NOTES,
      ...BELATED,
    },
    says: 'the outcome of a call; `sequence_no` is that of its `call.enter`',
  },
  gap: {
    members: { count: 'count', first_at: 'time', last_at: 'time', reason: 'text' },
    says: 'calls that were answered, or records of the switchboard, that could not be recorded',
  },
  seal: {
    members: {
      session_id: 'text',
      genesis_hash: 'digest',
      // The RFC 6962 Merkle root over the hashes of the session's thoughts, in their order.
      root: 'digest',
      record_count: 'count',
      // The session's row after sealing: its id, revision and digest.
      subjects: SUBJECTS,
    },
    says: 'the session takes no more thoughts',
  },
  erase: {
    members: {
      targets: listing(objectOf({ type: oneOf('thought', 'payload', 'definition'), id: 'text' })),
      reason: 'text',
      by: 'text',
    },
    says: 'contents that were taken out; their digests stay',
  },
  prune: {
    members: { before: 'time', 'of?': 'hex32', from_seq: 'count', to_seq: 'count', count: 'count' },
    says: 'arguments and texts that were taken out because their records are from before `before`: every payload of the log `of` (its own if absent) from `from_seq` to `to_seq`, both included',
  },
  health: {
    members: HEALTH_MEMBERS,
    says: 'a transition of the health machine of one server ([switchboard.md](switchboard.md)); `to` is null if the server was removed',
  },
  catalogue: {
    members: CATALOGUE_MEMBERS,
    says: "the list of a server's tools has changed. `digests`: for each of these tools the digest of the whole object that the server sent, before and after",
  },
  definition: {
    members: { instance: 'id', subjects: SUBJECTS },
    says: 'a definition of a tool that a call was made with for the first time',
  },
  approval: {
    members: APPROVAL_MEMBERS,
    says: 'an approval of one call was asked for, answered, used up by a call, or ran out ([approvals](#approvals))',
  },
  decided: {
    members: {
      instance: 'id',
      round_id: 'text',
      root: 'digest',
      result: oneOf('approve', 'reject'),
      approve: 'count',
      reject: 'count',
      abstain: 'count',
      subjects: SUBJECTS,
    },
    says: 'a round of this store was decided, once and for all ([rounds](#rounds-and-votes)): so many equal votes as it needed had been cast',
  },
  voter: {
    members: {
      name: 'text',
      state: oneOf('enrolled', 'revoked'),
      public_key: 'digest',
      by: 'text',
      subjects: SUBJECTS,
    },
    says: 'a person at a terminal enrolled a voter with the public key of its votes, or revoked it',
  },
  asked: {
    members: ASKED_MEMBERS,
    says: 'a server put a question (`elicitation/create` or `sampling/createMessage`) to the person or the model behind the client, during that call; null where several calls of it were under way. What it asked is not recorded',
  },
  config: { members: CONFIG_MEMBERS, says: 'the servers that a process has behind it' },
  shutdown: {
    members: { instance: 'id', reason: 'text', drained: 'count', abandoned: 'count' },
    says: 'a process ended in order',
  },
} as const satisfies Readonly<Record<string, { members: Readonly<Record<string, RecordShape>>; says: string }>>;

export type RecordKind = keyof typeof RECORDS;

/** The records of one kind as they are handed to the writer, which adds the sequence numbers of calls. */
type RecordOf<Kind extends RecordKind> = RecordWith<Kind, Omit<(typeof RECORDS)[Kind]['members'], 'sequence_no'>>;

export type AcceptRecord = RecordOf<'accept'>;
export type BesideRecord = RecordOf<'beside'>;
export type BootRecord = RecordOf<'boot'>;
export type CallEnterRecord = RecordOf<'call.enter'>;
export type CallExitRecord = RecordOf<'call.exit'>;
export type EraseRecord = RecordOf<'erase'>;
export type MigrateRecord = RecordOf<'migrate'>;
export type PruneRecord = RecordOf<'prune'>;
export type ShutdownRecord = RecordOf<'shutdown'>;

export type LedgerRecord = { readonly [Kind in RecordKind]: RecordOf<Kind> }[RecordKind];

/** The member of `_meta` that holds the receipt. */
export const RECEIPT_KEY = 'dev.colibri/receipt';

/** A receipt, which is part of a call's answer and names the call's outcome record. */
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
