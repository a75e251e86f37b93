// What the parts of a verification of the whole store have found, and the sentences of the verdict about it: what was checked, what was
// not, and remarks.
import { count } from '../core/figures.js';
import type { FileCover } from './engine/engine.js';
import type { FollowedRows } from './follow-rows.js';
import { VERIFY_LIMITS } from './limits.js';
import { type Explained, noExplanation } from './log/history.js';
import type { LogWalk } from './log/log-walk.js';
import { remarksOf } from './missing.js';
import { evidenceTables } from './rows-check.js';
import type { Survey } from './survey.js';
import { type Found, nothingFound } from './verdict/finding-list.js';

/** The results of the parts of a verification, as far as they are done. */
export interface WholeResults {
  readonly file: Found;
  readonly rows: Found;
  readonly receipts: Found;
  /** Findings about processes and calls, whose records may lie far apart in a log. */
  readonly calls: Found;
  readonly explained: Explained;
  /** What the engine's own check has covered; undefined if it was not finished. */
  fileCheck: FileCover | undefined;
  /** The findings about the histories of evidence rows; undefined until all records were read. */
  followed: FollowedRows | undefined;
  rowCount: number;
  receiptCount: number;
  /** How many of the receipts were checked without the answer to their call. */
  unanswered: number;
  lostReceipts: number;
}

export const newResults = (): WholeResults => ({
  file: nothingFound(),
  rows: nothingFound(),
  receipts: nothingFound(),
  calls: nothingFound(),
  explained: noExplanation(),
  fileCheck: undefined,
  followed: undefined,
  rowCount: 0,
  receiptCount: 0,
  unanswered: 0,
  lostReceipts: 0,
});

export interface WholeEnding {
  /** Findings about a file that is too damaged for a part of the verification to go on. */
  readonly damaged: Found;
  readonly isStopped: boolean;
  readonly unreadable: string | undefined;
}

export const sumOver = (walks: readonly LogWalk[], of: (walk: LogWalk) => number): number =>
  walks.reduce((total, walk) => total + of(walk), 0);

export const checkedRecords = (walks: readonly LogWalk[]): number =>
  sumOver(walks, (walk) => walk.checkedTo - walk.trusted);

const receiptSentences = ({ receiptCount, unanswered }: WholeResults): string[] => {
  if (receiptCount === 0) return [];
  const without = `, ${unanswered} of them without the answer: place, leaf and call only`;
  return [`${count(receiptCount, 'receipt')}${unanswered === 0 ? ' with their answers' : without}.`];
};

const FILE_CHECKS = {
  whole: "The engine's own check of its file.",
  'without records': "The engine's own check of its file, except free space and tree pages of the table of records.",
  server:
    'The constraints that the engine was told to keep, and the number of records; not its files, which its server keeps.',
} as const satisfies Record<FileCover, string>;

export const checkedSentences = ({ walks, overview }: Survey, results: WholeResults, isWhole: boolean): string[] => [
  ...(overview.newer === undefined ? ['The schema, and rows that belong to no log.'] : []),
  ...(results.fileCheck === undefined ? [] : [FILE_CHECKS[results.fileCheck]]),
  `${count(checkedRecords(walks), 'record')} of ${count(walks.length, 'log')}: bytes, leaves, columns, order, ${overview.newer === undefined ? 'calls, payloads, ' : ''}and the tree over them.`,
  `${count(
    sumOver(walks, (walk) => walk.checkpoints),
    'checkpoint',
  )} and ${count(
    sumOver(walks, (walk) => walk.heads.length),
    'head',
  )}.`,
  ...(overview.newer === undefined && isWhole
    ? [`${count(results.rowCount, 'row')} of ${evidenceTables().join(', ')}.`]
    : []),
  ...(results.followed ? [`The history of ${count(results.followed.rows, 'row')} across all logs.`] : []),
  ...receiptSentences(results),
];

export const notCheckedSentences = ({ walks, overview }: Survey, { isStopped }: WholeEnding): string[] => [
  ...(overview.newer === undefined
    ? []
    : [`The schema, rows, and what records say: only a Colibri that knows format ${overview.newer} can judge them.`]),
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

export const resultRemarks = (seen: Survey, { explained, lostReceipts }: WholeResults): string[] => [
  ...remarksOf(seen.walks, explained),
  ...strayRemarks(seen),
  ...(lostReceipts === 0
    ? []
    : [`${count(lostReceipts, 'receipt is', 'receipts are')} for records that an accepted restore gave up.`]),
];
