// Verifies the whole store: its logs, its evidence rows, SQLite's own check and receipts that clients kept, in parallel. Its
// memory does not grow with the store.
import { count } from '../core/figures.js';
import { bindingVerdict } from './binding.js';
import { type Executor, Stopped, Unreadable } from './executor.js';
import { type FollowedRows, RowFollower } from './follow-rows.js';
import { VERIFY_LIMITS } from './limits.js';
import { checkBinding } from './log/binding-check.js';
import { type Explained, noExplanation } from './log/history.js';
import { checkHeads, walkLogs } from './log/ledger-check.js';
import { acceptsLoss } from './log/log-check.js';
import type { LogWalk } from './log/log-walk.js';
import { checkMissingSuccessors } from './log/missing-successors.js';
import { adoptedRemarks, doubtfulTails, tailRemarks, unsignedTails } from './log/unsigned-tail.js';
import { missingOf, remarksOf } from './missing.js';
import { followPresences } from './presence-check.js';
import type { VerifyRequest } from './request.js';
import { evidenceTables } from './rows-check.js';
import { openScratch } from './scratch.js';
import { type Survey, survey } from './survey.js';
import { custodyOf } from './verdict/custody.js';
import type { Missing } from './verdict/finding.js';
import { addFound, type Found, nothingFound } from './verdict/finding-list.js';
import { type JudgedEvidence, unreadableEvidence } from './verdict/judge.js';

/** The results of the parts of a verification, as far as they are done. */
interface Results {
  readonly file: Found;
  readonly rows: Found;
  readonly receipts: Found;
  /** Findings about processes and calls, whose records may lie far apart in a log. */
  readonly calls: Found;
  readonly explained: Explained;
  isFileChecked: boolean;
  /** The findings about the histories of evidence rows; undefined until all records were read. */
  followed: FollowedRows | undefined;
  rowCount: number;
  receiptCount: number;
  /** How many of the receipts were checked without the answer to their call. */
  unanswered: number;
  lostReceipts: number;
}

const newResults = (): Results => ({
  file: nothingFound(),
  rows: nothingFound(),
  receipts: nothingFound(),
  calls: nothingFound(),
  explained: noExplanation(),
  isFileChecked: false,
  followed: undefined,
  rowCount: 0,
  receiptCount: 0,
  unanswered: 0,
  lostReceipts: 0,
});

const checkFile = async (executor: Executor, results: Results): Promise<void> => {
  addFound(results.file, await executor.run('file', null));
  results.isFileChecked = true;
};

const checkRows = async (executor: Executor, results: Results): Promise<void> => {
  for (const table of evidenceTables().keys()) {
    let report = await executor.run('rows', { table, after: null });
    for (;;) {
      addFound(results.rows, report.found);
      results.rowCount += report.rows;
      if (report.after === null) break;
      report = await executor.run('rows', { table, after: report.after });
    }
  }
};

const checkLogs = async (
  executor: Executor,
  { walks, accepted, overview }: Survey,
  results: Results,
  { onProgress, headsDir }: VerifyRequest,
): Promise<void> => {
  const { explained } = results;
  const total = sum(walks, ({ state, trusted }) => state.walked - trusted);
  const presences = openScratch();
  const follower = new RowFollower(walks, accepted);
  try {
    await walkLogs(executor, walks, { explained, accepted }, (report) => {
      presences.addAll(report.presences);
      follower.take(report);
      onProgress?.(checkedRecords(walks), total);
    });
    checkBinding(walks, overview.storeId, accepted);
    await checkMissingSuccessors(executor, walks, headsDir);
    await followPresences(executor, walks, presences, results.calls);
    results.followed = await follower.judge(executor);
  } finally {
    presences.close();
    follower.close();
  }
};

/** Checks receipts. If a person accepted the loss of a receipt's record with `colibri restore`, that is a remark and not a finding. */
const checkReceipts = async (
  executor: Executor,
  results: Results,
  { receipts = [] }: VerifyRequest,
  { walks }: Survey,
): Promise<void> => {
  const ends = walks
    .filter(acceptsLoss)
    .map(({ state: { first } }) => ({ log: first?.previous, size: Number(first?.size) }));
  const kept = receipts.filter(({ log, seq }) => !ends.some((end) => end.log === log && seq >= end.size));
  results.lostReceipts = receipts.length - kept.length;
  for (let at = 0; at < kept.length; at += VERIFY_LIMITS.verifyBatch) {
    const some = kept.slice(at, at + VERIFY_LIMITS.verifyBatch);
    const { found, unanswered } = await executor.run('receipts', some);
    addFound(results.receipts, found);
    results.unanswered += unanswered;
    results.receiptCount += some.length;
  }
};

interface Ending {
  readonly isStopped: boolean;
  readonly unreadable: string | undefined;
}

/** Why a part of the verification ended early: the time limit was reached, or the store could no longer be read. */
const endingOf = (parts: readonly PromiseSettledResult<void>[]): Ending => {
  const reasons = parts.flatMap((part) => (part.status === 'rejected' ? [part.reason as unknown] : []));
  const foreign = reasons.find((reason) => !(reason instanceof Stopped || reason instanceof Unreadable));
  if (foreign !== undefined) throw foreign;
  return { isStopped: reasons.length > 0, unreadable: reasons.find((reason) => reason instanceof Unreadable)?.message };
};

const sum = (walks: readonly LogWalk[], of: (walk: LogWalk) => number): number =>
  walks.reduce((total, walk) => total + of(walk), 0);

const checkedRecords = (walks: readonly LogWalk[]): number => sum(walks, (walk) => walk.checkedTo - walk.trusted);

const receiptSentences = ({ receiptCount, unanswered }: Results): string[] => {
  if (receiptCount === 0) return [];
  const without = `, ${unanswered} of them without the answer: place, leaf and call only`;
  return [`${count(receiptCount, 'receipt')}${unanswered === 0 ? ' with their answers' : without}.`];
};

const checkedSentences = ({ walks }: Survey, results: Results): string[] => [
  'The schema, and rows that belong to no log.',
  ...(results.isFileChecked ? ["The engine's own check of its file."] : []),
  `${count(checkedRecords(walks), 'record')} of ${count(walks.length, 'log')}: bytes, leaves, columns, order, calls, payloads, and the tree over them.`,
  `${count(
    sum(walks, (walk) => walk.checkpoints),
    'checkpoint',
  )} and ${count(
    sum(walks, (walk) => walk.heads.length),
    'head',
  )}.`,
  `${count(results.rowCount, 'row')} of ${evidenceTables().join(', ')}.`,
  ...(results.followed ? [`The history of ${count(results.followed.rows, 'row')} across all logs.`] : []),
  ...receiptSentences(results),
];

const notCheckedSentences = ({ walks }: Survey, { isStopped }: Ending): string[] => [
  ...walks
    .filter(({ trusted }) => trusted > 0)
    .map(
      ({ state, trusted }) =>
        `Log ${state.log}: the first ${count(trusted, 'record')} were taken on trust: a head that the user trusts covers them.`,
    ),
  ...walks
    .filter(({ state, checkedTo }) => checkedTo < state.walked)
    .map(({ state, checkedTo }) => `Log ${state.log}: records from ${checkedTo} on.`),
  ...(isStopped ? ['What was not finished when the time limit was reached or the store could no longer be read.'] : []),
];

const strayRemarks = ({ strays }: Survey): string[] => {
  if (strays.length === 0) return [];
  const more =
    strays.length > VERIFY_LIMITS.namedPlaces ? ` and ${strays.length - VERIFY_LIMITS.namedPlaces} more` : '';
  return [
    `The heads folder has files that are not named after a size: ${strays.slice(0, VERIFY_LIMITS.namedPlaces).join(', ')}${more}.`,
  ];
};

const remarks = (seen: Survey, { explained, lostReceipts }: Results): string[] => [
  ...remarksOf(seen.walks, explained),
  ...strayRemarks(seen),
  ...(lostReceipts === 0
    ? []
    : [`${count(lostReceipts, 'receipt is', 'receipts are')} for records that an accepted restore gave up.`]),
];

const unreadHeads = ({ unread }: Survey): Missing[] =>
  unread.map((why) => ({ kind: 'no head', message: `${why}. A rollback past an unreadable head would not show.` }));

const allFound = ({ overview, walks, found: heads }: Survey, results: Results, binding: Found): Found => {
  const { calls, followed, receipts, rows, file } = results;
  const found = nothingFound();
  const followedRows = followed ? [followed.found] : [];
  const logs = walks.map((walk) => walk.found);
  for (const part of [overview.found, ...logs, calls, heads, binding, ...followedRows, receipts, rows, file]) {
    addFound(found, part);
  }
  return found;
};

const custodyFor = ({ path, keys, headsDir }: VerifyRequest, { walks, headsFound, headsGiven }: Survey) => {
  const logs = walks.filter(({ state }) => state.closedAt === null).map(({ state }) => state.log);
  return custodyOf({ path, keys, logs, headsDir, found: headsFound, given: headsGiven });
};

const isOpenIn =
  (walks: readonly LogWalk[]) =>
  (log: string): boolean =>
    walks.some(({ state }) => state.log === log && state.closedAt === null);

export const verifyWhole = async (executor: Executor, request: VerifyRequest): Promise<JudgedEvidence> => {
  const results = newResults();
  // SQLite's own check is the longest single job, so it starts first; its result is awaited with the others.
  const file = checkFile(executor, results);
  file.catch(() => {});
  const seen = await survey(executor, request);
  const { overview, walks } = seen;
  if (overview.unreadable !== undefined) return unreadableEvidence(request.scope, overview.unreadable);
  const ending = endingOf(
    await Promise.allSettled([
      file,
      checkLogs(executor, seen, results, request),
      checkRows(executor, results),
      checkReceipts(executor, results, request, seen),
    ]),
  );
  checkHeads(walks, seen.accepted);
  const bound = bindingVerdict(seen);
  const unsigned = unsignedTails(walks, request.keys);
  const doubtful = ending.isStopped
    ? []
    : await doubtfulTails(unsigned, isOpenIn(walks), (log) => executor.run('written', log));
  const unfinished = walks.find(({ state, checkedTo }) => checkedTo < state.walked);
  return {
    scope: request.scope,
    found: allFound(seen, results, bound.found),
    missing: [...missingOf(walks, seen.accepted), ...bound.missing, ...doubtful, ...unreadHeads(seen)],
    unsigned,
    remarks: [...tailRemarks(unsigned, walks), ...adoptedRemarks(walks), ...remarks(seen, results), ...bound.remarks],
    checked: checkedSentences(seen, results),
    notChecked: notCheckedSentences(seen, ending),
    custody: custodyFor(request, seen),
    records: checkedRecords(walks),
    complete: !ending.isStopped,
    checkedToSeq: unfinished && unfinished.checkedTo > 0 ? unfinished.checkedTo - 1 : undefined,
    unreadable: ending.unreadable,
  };
};
