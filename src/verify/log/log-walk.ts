// The tree of one log put together from its stretches, in their order, and compared with everything that was said about
// it: stored nodes, checkpoints, heads, the frontier in its row.

import { grow, rootOf } from '../../ledger/tree.js';
import type { Frontier, TreeNode } from '../../proof/merkle.js';
import type { Checkpointed } from '../heads/checkpoint-check.js';
import type { StoredHead } from '../heads/known-heads.js';
import { VERIFY_LIMITS } from '../limits.js';
import type { LogState } from '../overview.js';
import { addFinding, addFound, type Found, nothingFound } from '../verdict/finding-list.js';
import { CHUNK, type ChunkJob, type ChunkReport } from './chunk.js';
import { addAbsences, type Explained, type LogHistory, newHistory, noteExplanation, noteRecord } from './history.js';

export interface LogWalk {
  readonly state: LogState;
  readonly heads: readonly StoredHead[];
  readonly found: Found;
  readonly history: LogHistory;
  /** Records up to here are taken on trust. */
  readonly trusted: number;
  /** Of the complete stretches so far, and of the last one where it is not complete. */
  top: Frontier;
  rest: Frontier;
  chunks: number;
  /** Records that were checked. */
  checkedTo: number;
  /** Of the last checkpoint; none is known before those that are taken on trust. */
  checkpointNo: number | undefined;
  checkpoints: number;
  /** Nodes above a stretch, to be compared with those stored. */
  nodes: TreeNode[];
  /** Heads that are no beginning of this log. */
  readonly refuted: StoredHead[];
}

export const logWalk = (state: LogState, heads: readonly StoredHead[], trusted: number): LogWalk => ({
  state,
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
  refuted: heads.filter(({ size }) => size > state.walked),
});

/** Heads inside what is trusted are not looked at. */
const headsWithin = ({ heads }: LogWalk, { from, to }: { from: number; to: number }): readonly StoredHead[] =>
  heads.filter(({ size }) => size > from && size <= to);

export function* jobsOf(walk: LogWalk): Generator<ChunkJob> {
  const { log, base, publicKey, walked } = walk.state;
  for (let from = walk.trusted; from < walked; from += CHUNK) {
    const to = Math.min(from + CHUNK, walked);
    yield { log, base, publicKey, from, to, marks: headsWithin(walk, { from, to }).map(({ size }) => size) };
  }
}

const climb = (walk: LogWalk, root: string): readonly TreeNode[] => {
  const { frontier, completed } = grow(walk.top, walk.chunks, root);
  walk.top = frontier;
  walk.chunks += 1;
  return completed.map(({ level, index, hash }) => ({ level: level + VERIFY_LIMITS.verifyChunkLevel, index, hash }));
};

/** Stretches below a head that the user trusts: their roots as stored, tied to that head by the tree above. */
export const trustRoots = (walk: LogWalk, roots: readonly unknown[]): void => {
  for (const root of roots) climb(walk, typeof root === 'string' ? root : '');
};

const checkCheckpoint = (walk: LogWalk, { no, size, root }: Checkpointed, computed: string | undefined): void => {
  const where = { log: walk.state.log, table: 'checkpoints', id: String(no) };
  if (walk.checkpointNo !== undefined && no !== walk.checkpointNo + 1) {
    addFinding(walk.found, 'checkpoint', where, `It follows number ${walk.checkpointNo}: one is missing or put in.`);
  }
  walk.checkpointNo = no;
  walk.checkpoints += 1;
  if (root !== computed) addFinding(walk.found, 'checkpoint', where, `The first ${size} records have another root.`);
};

const checkHead = (walk: LogWalk, head: StoredHead, computed: string | undefined, isRow: boolean): void => {
  if (head.root !== computed) walk.refuted.push(head);
  else if (!isRow) {
    const where = { log: walk.state.log, table: 'checkpoints' };
    addFinding(walk.found, 'checkpoint', where, `The checkpoint of size ${head.size} is gone; ${head.from} has it.`);
  }
};

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
  addAbsences(history, report.absent, job.log, found);
  history.unknownKinds += report.unknownKinds;
  history.openCalls += report.openCalls;
  if (job.to - job.from === CHUNK) walk.nodes.push(...climb(walk, report.frontier[0] ?? ''));
  else walk.rest = report.frontier;
  walk.checkedTo = job.to;
};

export const rootOfWalk = ({ top, rest }: LogWalk): string => rootOf([...top, ...rest]);

/** Its last record names a successor. Of logs that were walked to their end. */
export const isRotated = ({ history }: LogWalk): boolean => history.last?.kind === 'rotate';

/** When every stretch is in. */
export const checkFrontier = ({ state, top, rest, found }: LogWalk): void => {
  if ([...top, ...rest].join('') === state.frontier) return;
  addFinding(found, 'tree', { log: state.log, table: 'logs' }, 'The frontier is not that of the records.');
};
