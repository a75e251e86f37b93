// The whole store: its logs, its evidence rows, the engine's own check and what clients kept, side by side. Keeps
// nothing that grows with the store.
import { count } from '../core/figures.js';
import { type Executor, Stopped, Unreadable } from './executor.js';
import { VERIFY_LIMITS } from './limits.js';
import { checkHeirs } from './log/heirs.js';
import { type Explained, noExplanation } from './log/history.js';
import { checkHeads, walkLogs } from './log/ledger-check.js';
import { acceptsLoss } from './log/log-check.js';
import type { LogWalk } from './log/log-walk.js';
import { missingOf, remarksOf } from './missing.js';
import type { VerifyRequest } from './request.js';
import { evidenceTables } from './rows-check.js';
import { type Survey, survey } from './survey.js';
import { custodyOf } from './verdict/custody.js';
import type { Missing } from './verdict/finding.js';
import { addFound, type Found, nothingFound } from './verdict/finding-list.js';
import { type JudgedEvidence, unreadableEvidence } from './verdict/judge.js';

/** What the parts of a verification have come to, finished or not. */
interface Course {
  readonly file: Found;
  readonly rows: Found;
  readonly receipts: Found;
  readonly explained: Explained;
  isFileChecked: boolean;
  rowCount: number;
  receiptCount: number;
  lostReceipts: number;
}

const newCourse = (): Course => ({
  file: nothingFound(),
  rows: nothingFound(),
  receipts: nothingFound(),
  explained: noExplanation(),
  isFileChecked: false,
  rowCount: 0,
  receiptCount: 0,
  lostReceipts: 0,
});

const checkFile = async (executor: Executor, course: Course): Promise<void> => {
  addFound(course.file, await executor.run('file', null));
  course.isFileChecked = true;
};

const checkRows = async (executor: Executor, course: Course): Promise<void> => {
  for (const table of evidenceTables().keys()) {
    let report = await executor.run('rows', { table, after: null });
    for (;;) {
      addFound(course.rows, report.found);
      course.rowCount += report.rows;
      if (report.after === null) break;
      report = await executor.run('rows', { table, after: report.after });
    }
  }
};

const checkLogs = async (
  executor: Executor,
  { walks }: Survey,
  { explained }: Course,
  { onProgress, headsDir }: VerifyRequest,
): Promise<void> => {
  const total = sum(walks, ({ state, trusted }) => state.walked - trusted);
  await walkLogs(executor, walks, explained, () => onProgress?.(checkedRecords(walks), total));
  await checkHeirs(executor, walks, headsDir);
};

/** Receipts for records that an accepted restore gave up are a loss that is known. */
const checkReceipts = async (
  executor: Executor,
  course: Course,
  { receipts = [] }: VerifyRequest,
  { walks }: Survey,
): Promise<void> => {
  const ends = walks
    .filter(acceptsLoss)
    .map(({ state: { first } }) => ({ log: first?.previous, size: Number(first?.size) }));
  const kept = receipts.filter(({ log, seq }) => !ends.some((end) => end.log === log && seq >= end.size));
  course.lostReceipts = receipts.length - kept.length;
  for (let at = 0; at < kept.length; at += VERIFY_LIMITS.verifyBatch) {
    const some = kept.slice(at, at + VERIFY_LIMITS.verifyBatch);
    addFound(course.receipts, await executor.run('receipts', some));
    course.receiptCount += some.length;
  }
};

interface Ending {
  readonly isStopped: boolean;
  readonly unreadable: string | undefined;
}

/** Why a part ended early: the time was up, or the store could no longer be read. */
const endingOf = (parts: readonly PromiseSettledResult<void>[]): Ending => {
  const reasons = parts.flatMap((part) => (part.status === 'rejected' ? [part.reason as unknown] : []));
  const foreign = reasons.find((reason) => !(reason instanceof Stopped || reason instanceof Unreadable));
  if (foreign !== undefined) throw foreign;
  return { isStopped: reasons.length > 0, unreadable: reasons.find((reason) => reason instanceof Unreadable)?.message };
};

const sum = (walks: readonly LogWalk[], of: (walk: LogWalk) => number): number =>
  walks.reduce((total, walk) => total + of(walk), 0);

const checkedRecords = (walks: readonly LogWalk[]): number => sum(walks, (walk) => walk.checkedTo - walk.trusted);

const checkedSentences = ({ walks }: Survey, course: Course): string[] => [
  'The schema, and rows that belong to no log.',
  ...(course.isFileChecked ? ["The engine's own check of its file."] : []),
  `${count(checkedRecords(walks), 'record')} of ${count(walks.length, 'log')}: bytes, leaves, columns, order, calls, payloads, and the tree over them.`,
  `${count(
    sum(walks, (walk) => walk.checkpoints),
    'checkpoint',
  )} and ${count(
    sum(walks, (walk) => walk.heads.length),
    'head',
  )}.`,
  `${count(course.rowCount, 'row')} of ${evidenceTables().join(', ')}.`,
  ...(course.receiptCount === 0 ? [] : [`${count(course.receiptCount, 'receipt')}.`]),
];

const notCheckedSentences = ({ walks }: Survey, { isStopped }: Ending): string[] => [
  ...walks
    .filter(({ trusted }) => trusted > 0)
    .map(
      ({ state, trusted }) =>
        `Log ${state.log}: the first ${count(trusted, 'record')} were taken on trust in a given head.`,
    ),
  ...walks
    .filter(({ state, checkedTo }) => checkedTo < state.walked)
    .map(({ state, checkedTo }) => `Log ${state.log}: records from ${checkedTo} on.`),
  ...(isStopped ? ['What was not finished when the time was up or the store could no longer be read.'] : []),
];

const strayRemarks = ({ strays }: Survey): string[] => {
  if (strays.length === 0) return [];
  const more =
    strays.length > VERIFY_LIMITS.namedPlaces ? ` and ${strays.length - VERIFY_LIMITS.namedPlaces} more` : '';
  return [
    `Among the heads lies what is not named after a size: ${strays.slice(0, VERIFY_LIMITS.namedPlaces).join(', ')}${more}.`,
  ];
};

const remarks = (seen: Survey, { explained, lostReceipts }: Course): string[] => [
  ...remarksOf(seen.walks, explained),
  ...strayRemarks(seen),
  ...(lostReceipts === 0
    ? []
    : [`${count(lostReceipts, 'receipt speaks', 'receipts speak')} of records that an accepted restore gave up.`]),
];

const unreadHeads = ({ unread }: Survey): Missing[] =>
  unread.map((why) => ({ kind: 'no head', message: `${why}. A rollback behind such a head would not show.` }));

const allFound = ({ overview, walks, found: heads }: Survey, { receipts, rows, file }: Course): Found => {
  const found = nothingFound();
  for (const part of [overview.found, ...walks.map((walk) => walk.found), heads, receipts, rows, file]) {
    addFound(found, part);
  }
  return found;
};

const custodyFor = ({ path, keys, headsDir }: VerifyRequest, { walks, headsFound, headsGiven }: Survey) => {
  const logs = walks.filter(({ state }) => state.closedAt === null).map(({ state }) => state.log);
  return custodyOf({ path, keys, logs, headsDir, found: headsFound, given: headsGiven });
};

export const verifyWhole = async (executor: Executor, request: VerifyRequest): Promise<JudgedEvidence> => {
  const course = newCourse();
  // The longest single job goes first; what became of it is asked with the others.
  const file = checkFile(executor, course);
  file.catch(() => {});
  const seen = await survey(executor, request);
  const { overview, walks } = seen;
  if (overview.unreadable !== undefined) return unreadableEvidence(request.scope, overview.unreadable);
  const ending = endingOf(
    await Promise.allSettled([
      file,
      checkLogs(executor, seen, course, request),
      checkRows(executor, course),
      checkReceipts(executor, course, request, seen),
    ]),
  );
  checkHeads(walks);
  const unfinished = walks.find(({ state, checkedTo }) => checkedTo < state.walked);
  return {
    scope: request.scope,
    found: allFound(seen, course),
    missing: [...missingOf(walks), ...unreadHeads(seen)],
    remarks: remarks(seen, course),
    checked: checkedSentences(seen, course),
    notChecked: notCheckedSentences(seen, ending),
    custody: custodyFor(request, seen),
    records: checkedRecords(walks),
    complete: !ending.isStopped,
    checkedToSeq: unfinished && unfinished.checkedTo > 0 ? unfinished.checkedTo - 1 : undefined,
    unreadable: ending.unreadable,
  };
};
