// The members that each kind of record must have, and its allowed positions in a log, written from docs/audit-format.md and not from the
// code that writes records (members.ts says why).
import { ADOPTED_WITHIN } from '../../core/record-ids.js';
import { LEDGER_LIMITS } from '../../ledger/limits.js';
import type { JsonObject } from '../../proof/canonical-json.js';
import { VERIFY_LIMITS } from '../limits.js';
import { type MembersFault, membersFault, TESTS, type ValueTest } from './members.js';

const { anything, count, digest, duration, hex32, id, list, object, orNull, some, text, time, truth, word, yes } =
  TESTS;

/** The allowed values of outcomes, effects and other members, which call-shape.ts uses too. */
export const OUTCOMES = ['ok', 'domain_error', 'rejected', 'refused', 'failed', 'cancelled', 'interrupted'] as const;
export const EFFECTS = ['read', 'write', 'proxy', 'open'] as const;
export const ARGS = ['stored', 'digest', 'empty', 'none'] as const;
export const ATTEMPT_ENDS = [
  ...['result', 'is_error', 'error', 'input', 'refused', 'timeout', 'lost', 'server_error', 'cancelled', 'cut'],
] as const;

const subject = object({
  type: word(
    ...['task', 'lease', 'session', 'thought', 'catalogue', 'adoption', 'replay', 'definition', 'approval'],
    ...['round', 'vote', 'voter', 'heard'],
  ),
  id: text,
  rev: some,
  digest,
});
const head = object({ log: hex32, size: count, root: digest });
const heads: ValueTest = (value) => list(head)(value) && (value as unknown[]).length <= LEDGER_LIMITS.logsPerRecord;
const client = object({ name: text, version: text, protocol: text });
const host = object({}, { conversation: text, turn: text, model: text, agent: text });
const changed = { task_id: text, from: text, to: text, version: some, attempt: some };
const candidate = object({ server: text, tool: text, state: orNull(text), eligible: truth }, { reason: text });
const attempt = object(
  { server: text, tool: text, how: word(...ATTEMPT_ENDS), sent: truth, duration_ms: count },
  { code: text, approval: text, allowed_by: list(text) },
);
const route = object({ name: orNull(text), candidates: list(candidate), attempts: list(attempt) });
const credit = object({
  node: text,
  why: word(
    ...['done', 'delivered', 'reopened', 'cancelled', 'expired', 'taken', 'handed'],
    ...['agreed', 'disagreed', 'silent', 'equivocated'],
  ),
});
const someNames = object({ count, digest });
const namesTest: ValueTest = (value) => (Array.isArray(value) ? value.every(text) : someNames(value));
const lists = { added: namesTest, removed: namesTest, changed: namesTest };
const toolDigest = object({ tool: text }, { before: digest, after: digest });
const toolDigests: ValueTest = (value) => (Array.isArray(value) ? value.every(toolDigest) : someNames(value));
const end = { previous: hex32, size: count, root: digest };

/**
 * The positions in a log at which a kind of record is allowed: `first` means only as the log's first record, `may begin` means anywhere,
 * `inside` means anywhere but first, `last` means only as the log's last record.
 */
type Standing = 'first' | 'may begin' | 'inside' | 'last';

interface Reading {
  readonly fault: MembersFault;
  readonly stands: Standing;
}

type Tests = Readonly<Record<string, ValueTest>>;

const EVERY: Tests = { v: (value) => value === 1, log: hex32, seq: count, kind: text, at: time };

const reading = (needed: Tests, optional: Tests = {}, stands: Standing = 'inside'): Reading => ({
  fault: membersFault({ ...EVERY, ...needed }, { store: hex32, adopted: count, ...optional }),
  stands,
});

const READINGS: ReadonlyMap<unknown, Reading> = new Map<string, Reading>([
  ['migrate', reading({ from: count, to: some, checksum: digest }, { logs: heads }, 'may begin')],
  ['succeeds', reading(end, {}, 'first')],
  ['restore', reading({ ...end, known_size: count, known_root: digest, reason: text }, {}, 'first')],
  ['rotate', reading({ successor: text }, {}, 'last')],
  [
    'boot',
    reading(
      {
        ...{ instance: id, node: text, pid: count, os_user: text, version: text, mode: text },
        ...{ project: orNull(text), machine_boot: orNull(text), config_digest: digest },
      },
      { project_id: orNull(text), subjects: list(subject) },
      'may begin',
    ),
  ],
  ['unassign', reading({ subjects: list(subject) })],
  ['beside', reading({ instance: id, logs: heads })],
  [
    'accept',
    reading(
      { what: word('missing log', 'begun anew', 'copy'), logs: heads, reason: text, by: text },
      { path: text },
      // If a machine's only log is missing, a new log begins with the `accept` record about that.
      'may begin',
    ),
  ],
  ['adopts', reading({ from: hex32, logs: heads }, {}, 'may begin')],
  ['moved', reading({ to: hex32, place: text })],
  [
    'call.enter',
    reading(
      { instance: id, sequence_no: count, call: id, tool: text, client: orNull(client), args: word(...ARGS) },
      {
        ...{ effect: word(...EFFECTS), check: yes, host, args_digest: digest, args_bytes: count, args_salt: digest },
        ...{ definition: digest, unlisted: yes, late: yes, recovered: yes },
      },
    ),
  ],
  [
    'call.exit',
    reading(
      { sequence_no: count, call: id, tool: text, outcome: word(...OUTCOMES) },
      {
        ...{ code: text, result_digest: digest, form: word('json', 'bytes'), duration_us: count },
        ...{ subjects: list(subject), change: object(changed, { because: text }) },
        changes: list(object(changed, { because: text, thought: text })),
        done: list(object({ task_id: text, version: some })),
        expired: list(object({ task_id: text, rev: some })),
        ...{ attempt: some, replay_of: count, credits: list(credit), route, late: yes, recovered: yes },
        ...{ texts: word('stored'), texts_digest: digest, texts_bytes: count },
      },
    ),
  ],
  ['gap', reading({ count: some, first_at: time, last_at: time, reason: text })],
  [
    'seal',
    reading({ session_id: text, genesis_hash: digest, root: digest, record_count: count, subjects: list(subject) }),
  ],
  [
    'erase',
    reading({
      targets: list(object({ type: word('thought', 'payload', 'definition'), id: text })),
      reason: text,
      by: text,
    }),
  ],
  ['prune', reading({ before: time, from_seq: count, to_seq: count, count: some }, { of: hex32 })],
  [
    'health',
    reading(
      {
        ...{ instance: id, server: text, from: text, to: orNull(text), cause: text },
        ...{ event: anything, before: anything, now_ms: duration },
      },
      { detail: orNull(text), texts: word('stored'), texts_digest: digest, texts_bytes: count },
    ),
  ],
  [
    'catalogue',
    reading({ instance: id, server: text, digest, ...lists, subjects: list(subject) }, { digests: toolDigests }),
  ],
  ['definition', reading({ instance: id, subjects: list(subject) })],
  [
    'approval',
    reading(
      {
        ...{
          approval_id: text,
          state: word('asked', 'granted', 'denied', 'used', 'expired'),
          server: text,
          tool: text,
        },
        ...{ args_digest: digest, definition: digest, by: orNull(text), instance: id, expires_at: time },
        via: orNull(word('elicitation', 'command', 'client', 'quorum')),
        subjects: list(subject),
      },
      { call: id, claimed: yes, reason: text, round: text },
    ),
  ],
  [
    'decided',
    reading({
      ...{ instance: id, round_id: text, root: digest, result: word('approve', 'reject') },
      ...{ approve: count, reject: count, abstain: count, subjects: list(subject) },
    }),
  ],
  [
    'voter',
    reading({ name: text, state: word('enrolled', 'revoked'), public_key: digest, by: text, subjects: list(subject) }),
  ],
  ['asked', reading({ instance: id, server: text, method: text, call: orNull(id) })],
  ['config', reading({ instance: id, what: word('switchboard'), digest, ...lists })],
  ['shutdown', reading({ instance: id, reason: text, drained: count, abandoned: count })],
]);

export const isKnownKind = (kind: unknown): boolean => READINGS.has(kind);

export const knownKinds = (): readonly unknown[] => [...READINGS.keys()];

/** The version of the schema that gives the store an id, which its `migrate` record names. */
const BOUND_FORMAT = 5;

/** Whether a record is of the migration that gave the store its id: it lists the logs that the store had before. */
export const isBinding = ({ kind, from, to }: JsonObject): boolean =>
  kind === 'migrate' && Number(from) < BOUND_FORMAT && Number(to) >= BOUND_FORMAT;

const standingFault = (stands: Standing, body: JsonObject): string | undefined => {
  if (body.kind === 'adopts' && Number(body.seq) >= ADOPTED_WITHIN) return 'comes too late in its log';
  const { seq, store } = body;
  if (seq === 0) return stands === 'first' || stands === 'may begin' ? undefined : 'cannot be the first of its log';
  if (stands === 'first') return 'can only be the first of its log';
  return store === undefined || isBinding(body) ? undefined : 'names the store and is not the first of its log';
};

/** The members of an outcome record that say what a call has changed. Only a successful call may have them. */
const WRITTEN = ['subjects', 'changes', 'change', 'done', 'expired', 'credits'] as const;

/** The members of an outcome that only a writing tool leaves. */
const OF_WRITES = [...WRITTEN, 'attempt', 'replay_of'] as const;

const has = (body: JsonObject, members: readonly string[]): boolean =>
  members.some((member) => body[member] !== undefined);

/** Whether an outcome says what only a call that writes can say. */
export const saysWritten = (outcome: JsonObject): boolean => has(outcome, OF_WRITES);

/** A seal names the session that it closes, and nothing else. */
const isOwnSeal = ({ session_id, subjects }: JsonObject): boolean => {
  const [only, ...others] = subjects as readonly JsonObject[];
  return only?.type === 'session' && only.id === session_id && others.length === 0;
};

/** A `definition` record names one definition or more, and nothing else. */
const isAboutDefinitions = ({ subjects }: JsonObject): boolean =>
  (subjects as readonly JsonObject[]).length > 0 &&
  (subjects as readonly JsonObject[]).every(({ type }) => type === 'definition');

/** The revisions of an approval in which it can have a state. */
const REVISIONS_OF: Readonly<Record<string, readonly number[]>> = {
  asked: [1],
  granted: [2],
  denied: [2],
  used: [3],
  expired: [2, 3],
};

const approvalFault = ({
  state,
  subjects,
  approval_id,
  via,
  by,
  claimed,
  call,
  reason,
  round,
}: JsonObject): string | undefined => {
  const [only, ...others] = subjects as readonly JsonObject[];
  const isRound = ({ type, id: named, rev }: JsonObject) => type === 'round' && named === round && rev === 1;
  // An approval that several voters give begins together with their round.
  const isRight = others.length === 0 || (others.length === 1 && state === 'asked' && others.every(isRound));
  if (only?.type !== 'approval' || only.id !== approval_id || !isRight) return 'names other rows than its approval';
  if (!REVISIONS_OF[String(state)]?.includes(only.rev as number)) return 'has a state that its revision cannot have';
  const isAnswered = state !== 'asked' && !(state === 'expired' && only.rev === 2);
  if ((via !== null) !== isAnswered) return 'says how it was answered, or does not, against its state';
  if (via !== null && (via === 'quorum') !== (round !== undefined)) return 'names a round, or none, against its answer';
  if (round !== undefined && state === 'asked' && others.length === 0) return 'does not make its round';
  if (via === null && (by !== null || claimed !== undefined || reason !== undefined)) return 'has an answer of nobody';
  if ((call !== undefined) !== (state === 'asked' || state === 'used'))
    return 'names a call, or none, against its state';
  return undefined;
};

/** The row that a record of these kinds names, and nothing else. */
const ONLY_ROW: Readonly<Record<string, { readonly type: string; readonly id: string }>> = {
  decided: { type: 'round', id: 'round_id' },
  voter: { type: 'voter', id: 'name' },
};

const isAboutItsRow = (body: JsonObject): boolean => {
  const own = ONLY_ROW[String(body.kind)];
  const [only, ...others] = (body.subjects ?? []) as readonly JsonObject[];
  return own === undefined || (only?.type === own.type && only.id === body[own.id] && others.length === 0);
};

const isAboutTasks = ({ subjects }: JsonObject): boolean =>
  (subjects as readonly JsonObject[]).every(({ type }) => type === 'task');

const meaningFault = (body: JsonObject): string | undefined => {
  const { kind, from, to, form, result_digest: digested, outcome } = body;
  if (kind === 'call.exit' && outcome !== 'ok' && has(body, WRITTEN))
    return `has the outcome ${String(outcome)} and says what was changed`;
  if (kind === 'migrate' && Number(from) >= Number(to)) return 'does not go to a later version';
  if (isBinding(body) && body.store === undefined) return 'does not name the store';
  if (kind === 'seal' && !isOwnSeal(body)) return 'names other rows than its session';
  const fault = kind === 'approval' ? approvalFault(body) : undefined;
  if (fault !== undefined) return fault;
  if (kind === 'definition' && !isAboutDefinitions(body)) return 'names other rows than definitions';
  if (kind === 'call.enter' && body.definition !== undefined && body.effect !== 'proxy')
    return 'names the definition of a tool, and is not of a call that goes to another server';
  if (body.unlisted !== undefined && body.definition === undefined)
    return 'says that a definition was not listed, and names none';
  if (!isAboutItsRow(body)) return 'names other rows than its own';
  if (kind === 'unassign' && !isAboutTasks(body)) return 'names other rows than tasks';
  if (kind === 'migrate' && body.logs !== undefined && !isBinding(body))
    return 'names logs, and is not the one that gave the store its id';
  if (form !== undefined && digested === undefined) return 'says how a result was digested, and has no digest';
  return undefined;
};

/** Says what is wrong with the kind, the members or the place of a record of a format that this version knows; undefined if nothing is. */
export const readingFault = (body: JsonObject): string | undefined => {
  const known = READINGS.get(body.kind);
  if (known === undefined)
    return `This format has no records of kind ${JSON.stringify(body.kind).slice(0, VERIFY_LIMITS.quotedValueChars)}.`;
  const fault = known.fault(body) ?? standingFault(known.stands, body) ?? meaningFault(body);
  return fault === undefined ? undefined : `The record of ${String(body.kind)} ${fault}.`;
};
