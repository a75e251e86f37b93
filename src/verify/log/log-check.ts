// Checks the row of a log against its records, and the logs of a store against each other: which log succeeded which, which signed
// heads a log does not continue, and whether a `restore` record accepts this loss.
import { hash } from 'node:crypto';
import { count } from '../../core/figures.js';
import { FORMAT } from '../../ledger/head.js';
import type { JsonObject } from '../../proof/canonical-json.js';
import { vkeyOf } from '../../proof/verifier.js';
import type { Acceptances } from '../accepted.js';
import { verifierOfLog } from '../heads/checkpoint-check.js';
import type { StoredHead } from '../heads/known-heads.js';
import { addFinding, addFound, foundOf } from '../verdict/finding-list.js';
import { isRotated, type LogWalk, rootOfWalk, SUCCESSIONS, successorsOf } from './log-walk.js';

const nameFault = ({ state }: LogWalk): string | undefined =>
  hash('sha256', Buffer.from(state.publicKey, 'hex')).slice(0, 32) === state.log &&
  /^[0-9a-f]{64}$/.test(state.publicKey)
    ? undefined
    : 'The id of the log does not follow from its public key.';

const beginningFault = ({ state, history, trusted }: LogWalk): string | undefined => {
  if (state.size === 0) return 'The log has no record, but every log begins with one.';
  if (state.openedAt !== state.first?.at) return 'opened_at is not the time of the first record.';
  const node = trusted === 0 ? history.node : undefined;
  return node === undefined || node === state.node ? undefined : 'node is not that of the first boot.';
};

const endFault = (walk: LogWalk, first: JsonObject): string | undefined => {
  const { state } = walk;
  if (first.at !== state.closedAt) return 'closed_at is not the time at which another log took over.';
  if (first.size !== state.size || first.root !== rootOfWalk(walk)) return 'The log did not end as its successor says.';
  return undefined;
};

/**
 * Says if a log ends with a `rotate` record that names another successor. That record is signed, so nobody can change it without the key.
 */
const successorFault = (walk: LogWalk, { state }: LogWalk): string | undefined =>
  isRotated(walk) && walk.history.last?.successor !== vkeyOf(verifierOfLog(state.log, state.publicKey))
    ? `The log named another log as its successor, not ${state.log}.`
    : undefined;

const successionFault = (walk: LogWalk, walks: readonly LogWalk[]): string | undefined => {
  const { state } = walk;
  const [next, ...others] = successorsOf(walks, state.log);
  if (others.length > 0) return 'More than one log says that it continues this log.';
  if (next?.state.first !== undefined) return successorFault(walk, next) ?? endFault(walk, next.state.first);
  if (state.closedAt !== null) return 'The log is closed, and no log continues it.';
  return isRotated(walk) ? 'The log ends with a `rotate` record and is not closed.' : undefined;
};

const predecessorFault = (
  { state: { first } }: LogWalk,
  walks: readonly LogWalk[],
  { missing }: Acceptances,
): string | undefined =>
  !SUCCESSIONS.has(first?.kind) ||
  walks.some(({ state }) => state.log === first?.previous) ||
  missing.has(String(first?.previous))
    ? undefined
    : 'The log continues a log that is not in the store.';

/**
 * Says if a log has records after its `rotate` record, which names the successor and must be the last one, or if that record is not
 * signed: Colibri signs it in the same transaction, so somebody without the key wrote it.
 */
const rotationFault = (walk: LogWalk): string | undefined => {
  const { state, history, signed } = walk;
  if (history.rotatedAt !== undefined && history.rotatedAt < state.walked - 1)
    return `The log has records after record ${history.rotatedAt}, which ended it and named the key of the next log.`;
  return isRotated(walk) && signed < state.walked
    ? 'The log ends with a `rotate` record that is not signed.'
    : undefined;
};

/**
 * Says if a log that the migration to format 5 lists has records in the form of format 4 after it, or if the log with that migration lists
 * itself with another size than it had.
 */
const listingFault = ({ state, history }: LogWalk, walks: readonly LogWalk[]): string | undefined => {
  const own = history.listed.get(state.log);
  if (own !== undefined && own !== history.migratedFrom)
    return `The log lists itself with ${own} records; its migration began after ${history.migratedFrom}.`;
  const before = Math.max(0, ...walks.map((other) => other.history.listed.get(state.log) ?? 0));
  // Records that a trusted head covers are not read, and the migration may be among them.
  if (history.lastOldChange < before || walks.some(({ trusted }) => trusted > 0)) return undefined;
  return `Record ${history.lastOldChange} has a \`change\`, which no record has since format 5.`;
};

/** Checks a log's id, beginning, successor and predecessor; only for a log whose records were all read. */
export const checkLog = (walk: LogWalk, walks: readonly LogWalk[], accepted: Acceptances): void => {
  const faults = [
    ...[nameFault(walk), beginningFault(walk), rotationFault(walk), listingFault(walk, walks)],
    ...[successionFault(walk, walks), predecessorFault(walk, walks, accepted)],
  ];
  for (const fault of faults) {
    if (fault !== undefined) addFinding(walk.found, 'log', { log: walk.state.log, table: 'logs' }, fault);
  }
};

/** A `migrate` record and its log. */
interface Migration {
  readonly walk: LogWalk;
  readonly body: JsonObject;
}

/** Reports a migration record that starts from an older schema version than the migration before it has led to. */
const checkOrder = (migrations: readonly Migration[]): void => {
  for (const [i, { walk, body }] of migrations.entries()) {
    const version = migrations[i - 1]?.body.to ?? 0;
    if (Number(body.from) >= Number(version) && Number(body.to) <= FORMAT) continue;
    const where = { log: walk.state.log, seq: Number(body.seq) };
    const message = `The migration begins before version ${String(version)}, where the earlier migration ended, or leads beyond version ${FORMAT}, the newest one.`;
    addFinding(walk.found, 'record', where, message);
  }
};

/**
 * Checks the migrations of each log, then of all logs together: the order between logs is not known, but no version can be reached twice.
 */
export const checkMigrations = (walks: readonly LogWalk[]): void => {
  const all = walks.map((walk) => walk.history.migrations.map((body) => ({ walk, body })));
  for (const own of all) checkOrder(own);
  if (walks.every(({ found }) => found.count === 0))
    checkOrder(all.flat().toSorted((a, b) => Number(a.body.to) - Number(b.body.to)));
};

/** Says if a log of a newer format, which may begin in ways that this version does not know, did not end as a successor says. */
const newerEndFault = (walk: LogWalk, walks: readonly LogWalk[]): string | undefined =>
  successorsOf(walks, walk.state.log)
    .map(({ state: { first } }) => first && endFault(walk, first))
    .find((fault) => fault !== undefined);

/**
 * Checks a store of a newer format: each log is named after its key and ended as its successor says, and a record says that the store was
 * migrated to that format. Otherwise somebody edited the number, so that less would be checked.
 */
export const checkNewerLogs = (walks: readonly LogWalk[], newer: number, { missing }: Acceptances): void => {
  for (const walk of walks) {
    const fault = nameFault(walk) ?? newerEndFault(walk, walks);
    if (fault !== undefined) addFinding(walk.found, 'log', { log: walk.state.log, table: 'logs' }, fault);
  }
  const isPartial = missing.size > 0 || walks.some(({ trusted }) => trusted > 0);
  const isReached = walks.some(({ history }) => history.migrations.some(({ to }) => to === newer));
  if (!isReached && !isPartial && walks[0] !== undefined)
    addFinding(walks[0].found, 'schema', {}, `The store has format ${newer}, but no record says that it was migrated.`);
};

/**
 * Whether a log begins with a `restore` record, which accepts a loss, and has a signed head: without one, anybody could have written the
 * record.
 */
export const acceptsLoss = ({ state, heads }: LogWalk): boolean => state.first?.kind === 'restore' && heads.length > 0;

/** The `restore` record by which the user accepted that the end of a log is lost; undefined if there is none. */
const restoreOf = (walks: readonly LogWalk[], log: string): JsonObject | undefined =>
  successorsOf(walks, log).find(acceptsLoss)?.state.first;

const isAccepted = (restore: JsonObject | undefined, newest: StoredHead | undefined): boolean =>
  restore !== undefined && restore.known_size === newest?.size && restore.known_root === newest?.root;

/** Whether a person accepted that a log lost records, so that it may be shorter than `size`. */
export const isGivenUp = (walks: readonly LogWalk[], { log, size }: { log: string; size: number }): boolean =>
  size > Number(restoreOf(walks, log)?.size);

/** What may excuse heads that a log does not continue. */
export interface HeadExcuses {
  readonly accepted: Acceptances;
  /** The logs of which the heads folder says that another store, at another path, continues them. */
  readonly elsewhere: ReadonlySet<string>;
}

/**
 * Tells whether a head that its log does not continue is excused: a person accepted the loss with a `restore` record, or the log came with
 * an accepted copy and the head belongs to the original store. A head that a person brought is never excused: anybody who can write the
 * store and the heads folder can begin a log of his own, in which he accepts whatever he likes.
 */
const excuseOf = (walk: LogWalk, walks: readonly LogWalk[], { accepted, elsewhere }: HeadExcuses) => {
  const { log } = walk.state;
  const newest = walk.heads.find(({ isGiven }) => !isGiven);
  const isLossAccepted = isAccepted(restoreOf(walks, log), newest);
  const ownSize = (elsewhere.has(log) && accepted.copied.get(log)) || Number.POSITIVE_INFINITY;
  return ({ size, isGiven }: StoredHead): boolean => !isGiven && (isLossAccepted || size > ownSize);
};

/** Reports signed heads whose records are not the beginning of their log, because the log was rolled back or replaced. */
export const checkRefuted = (walk: LogWalk, walks: readonly LogWalk[], excuses: HeadExcuses): void => {
  const { state, refuted, found } = walk;
  const isExcused = excuseOf(walk, walks, excuses);
  for (const { size, from } of refuted.filter((head) => !isExcused(head))) {
    const what = size > state.walked ? `the log has ${state.walked}` : 'the log begins with other records';
    const message = `${from} was signed for ${count(size, 'record')}; ${what}.`;
    addFound(found, foundOf([{ kind: 'head', where: { log: state.log }, message, signed: size }]));
  }
};
