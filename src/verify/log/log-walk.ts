// Builds the Merkle tree of one log from the reports about its ranges of records (stretches), in order, and compares the tree with
// the stored nodes, the checkpoints, the signed heads and the frontier in the log's row.

import { grow, rootOf } from '../../ledger/tree.js';
import type { JsonObject } from '../../proof/canonical-json.js';
import type { Frontier, TreeNode } from '../../proof/merkle.js';
import type { Checkpointed } from '../heads/checkpoint-check.js';
import type { StoredHead } from '../heads/known-heads.js';
import { VERIFY_LIMITS } from '../limits.js';
import type { LogState } from '../overview.js';
import { addFinding, addFound, type Found, nothingFound } from '../verdict/finding-list.js';
import { CHUNK, type ChunkJob, type ChunkReport } from './chunk.js';
import {
  addAbsences,
  type Explained,
  type LogHistory,
  newHistory,
  noteBesides,
  noteExplanation,
  noteRecord,
} from './history.js';

export interface LogWalk {
  readonly state: LogState;
  readonly heads: readonly StoredHead[];
  readonly found: Found;
  readonly history: LogHistory;
  /** How many of the log's first records are not checked, because a head that the user trusts covers them, or the log is left out. */
  readonly trusted: number;
  /** Whether only the logs of another machine are to be checked: nothing of this one is read. */
  readonly leftOut: boolean;
  /**
   * The frontier (subtree roots) over the complete ranges of records that were added so far; `rest` is the frontier of an incomplete last
   * range.
   */
  top: Frontier;
  rest: Frontier;
  chunks: number;
  /** How many of the log's first records were checked, or need no check because a head that the user trusts covers them. */
  checkedTo: number;
  /**
   * The number of the last checkpoint that was checked; 0 before the first one, or undefined if the log's first records are not checked
   * because a head that the user trusts covers them.
   */
  checkpointNo: number | undefined;
  checkpoints: number;
  /** Merkle tree nodes that were computed from the roots of ranges of records and are still to be compared with the stored nodes. */
  nodes: TreeNode[];
  /** How many events of reputation the records that were read say. */
  events: number;
  /** How many of the log's first records a signature covers. */
  signed: number;
  /** The numbers of the records after the newest signature that say that contents were erased or pruned. */
  takenOut: readonly number[];
  /** Signed heads whose records are not the beginning of this log. */
  readonly refuted: StoredHead[];
}

export const logWalk = (state: LogState, heads: readonly StoredHead[], trusted: number, leftOut = false): LogWalk => ({
  state,
  leftOut,
  heads,
  found: nothingFound(),
  history: newHistory(),
  trusted,
  top: [],
  rest: [],
  chunks: 0,
  checkedTo: trusted,
  checkpointNo: trusted === 0 ? 0 : undefined,
  checkpoints: 0,
  nodes: [],
  events: 0,
  signed: 0,
  takenOut: [],
  refuted: leftOut ? [] : heads.filter(({ size }) => size > state.walked),
});

/**
 * The heads whose last record lies in a range of records. A head is not checked if its last record is not checked because a head that the
 * user trusts covers it.
 */
const headsWithin = ({ heads }: LogWalk, { from, to }: { from: number; to: number }): readonly StoredHead[] =>
  heads.filter(({ size }) => size > from && size <= to);

export function* jobsOf(walk: LogWalk, isNewer: boolean): Generator<ChunkJob> {
  const { log, base, publicKey, walked } = walk.state;
  for (let from = walk.trusted; from < walked; from += CHUNK) {
    const to = Math.min(from + CHUNK, walked);
    const heads = headsWithin(walk, { from, to }).map(({ size, root, digest }) => ({ size, root, digest }));
    yield { log, base, publicKey, isNewer, from, to, heads };
  }
}

const climb = (walk: LogWalk, root: string): readonly TreeNode[] => {
  const { frontier, completed } = grow(walk.top, walk.chunks, root);
  walk.top = frontier;
  walk.chunks += 1;
  return completed.map(({ level, index, hash }) => ({ level: level + VERIFY_LIMITS.verifyChunkLevel, index, hash }));
};

/**
 * Adds the stored Merkle roots of ranges of records to the tree, in place of records that are not read because a head that the user trusts
 * covers them. Comparing the tree with that head checks these roots.
 */
export const trustRoots = (walk: LogWalk, roots: readonly unknown[]): void => {
  for (const root of roots) climb(walk, typeof root === 'string' ? root : '');
};

const checkCheckpoint = (walk: LogWalk, { no, size, root }: Checkpointed, computed: string | undefined): void => {
  const where = { log: walk.state.log, table: 'checkpoints', id: String(no) };
  if (walk.checkpointNo !== undefined && no !== walk.checkpointNo + 1) {
    addFinding(
      walk.found,
      'checkpoint',
      where,
      `The checkpoint before this one is number ${walk.checkpointNo}: a checkpoint is missing or was inserted.`,
    );
  }
  walk.checkpointNo = no;
  walk.checkpoints += 1;
  if (root === computed) walk.signed = Math.max(walk.signed, size);
  else addFinding(walk.found, 'checkpoint', where, `The first ${size} records have another root than the signed one.`);
};

const checkHead = (walk: LogWalk, head: StoredHead, computed: string | undefined, isRow: boolean): void => {
  if (head.root !== computed) walk.refuted.push(head);
  else if (!isRow) {
    const where = { log: walk.state.log, table: 'checkpoints' };
    addFinding(walk.found, 'checkpoint', where, `The checkpoint of size ${head.size} is gone; ${head.from} has it.`);
  }
};

const takesOut = ({ kind }: JsonObject): boolean => kind === 'erase' || kind === 'prune';

export const foldChunk = (walk: LogWalk, job: ChunkJob, report: ChunkReport, explained: Explained): void => {
  const { found, history } = walk;
  addFound(found, report.found);
  const roots = new Map(report.marks.map(({ size, frontier }) => [size, rootOf([...walk.top, ...frontier])]));
  for (const checkpoint of report.checkpoints) checkCheckpoint(walk, checkpoint, roots.get(checkpoint.size));
  const sizes = new Set(report.checkpoints.map(({ size }) => size));
  for (const head of headsWithin(walk, job)) checkHead(walk, head, roots.get(head.size), sizes.has(head.size));
  for (const body of report.notable) {
    noteRecord(history, body);
    noteExplanation(explained, body);
  }
  noteBesides(history, report.besides);
  walk.takenOut = [...walk.takenOut, ...report.notable.filter(takesOut).map(({ seq }) => Number(seq))].filter(
    (seq) => seq >= walk.signed,
  );
  addAbsences(history, report.absent, job.log, found);
  history.unknownKinds += report.unknownKinds;
  history.lastOldChange = Math.max(history.lastOldChange, report.lastOldChange);
  history.openCalls += report.openCalls;
  walk.events += report.events;
  if (job.to - job.from === CHUNK) walk.nodes.push(...climb(walk, report.frontier[0] ?? ''));
  else walk.rest = report.frontier;
  walk.checkedTo = job.to;
};

export const rootOfWalk = ({ top, rest }: LogWalk): string => rootOf([...top, ...rest]);

/** The kinds of first records which say that a log takes over from another one. */
export const SUCCESSIONS: ReadonlySet<unknown> = new Set(['succeeds', 'restore']);

/** The logs whose first record says that they take over from the log `log`. */
export const successorsOf = (walks: readonly LogWalk[], log: string): readonly LogWalk[] =>
  walks.filter(({ state: { first } }) => SUCCESSIONS.has(first?.kind) && first?.previous === log);

/** Whether the last record of a log names a successor; only for a log whose records were all read. */
export const isRotated = ({ history }: LogWalk): boolean => history.last?.kind === 'rotate';

/**
 * Compares the computed frontier with the frontier in the log's row. To be called when the reports about all records of the log were added.
 */
export const checkFrontier = ({ state, top, rest, found }: LogWalk): void => {
  if ([...top, ...rest].join('') === state.frontier) return;
  addFinding(
    found,
    'tree',
    { log: state.log, table: 'logs' },
    'The Merkle frontier in the row does not match the records.',
  );
};
