// Checks every log of the store: gives its ranges of records (stretches) to the threads and merges their reports in order.

import { inOrder } from '../../core/in-order.js';
import { RECORDS_PER_LOG } from '../../core/record-ids.js';
import type { Acceptances } from '../accepted.js';
import type { Executor } from '../executor.js';
import { VERIFY_LIMITS } from '../limits.js';
import { addFinding, addFound } from '../verdict/finding-list.js';
import type { ChunkJob, ChunkReport } from './chunk.js';
import { type Explained, isPruned, noteExplanation, unexplained } from './history.js';
import { checkLog, checkMigrations, checkRefuted, type HeadExcuses } from './log-check.js';
import { checkFrontier, foldChunk, jobsOf, type LogWalk, trustRoots } from './log-walk.js';
import { checkPrunes } from './prunes.js';

interface Stretch {
  readonly walk: LogWalk;
  readonly job: ChunkJob;
}

function* stretchesOf(walks: readonly LogWalk[], isNewer: boolean): Generator<Stretch> {
  for (const walk of walks) for (const job of jobsOf(walk, isNewer)) yield { walk, job };
}

/** Compares the Merkle tree nodes in `walk.nodes`, computed from the records since the last call, with the stored nodes. */
const compareNodes = async (executor: Executor, walk: LogWalk): Promise<void> => {
  const nodes = walk.nodes;
  walk.nodes = [];
  if (nodes.length > 0) addFound(walk.found, await executor.run('tiles', { log: walk.state.log, nodes }));
};

const finishLog = async (executor: Executor, walk: LogWalk, isNewer: boolean): Promise<void> => {
  await compareNodes(executor, walk);
  checkFrontier(walk);
  const { named } = walk.history;
  const { log, walked } = walk.state;
  if (walk.trusted === 0 && !isNewer) addFound(walk.found, await executor.run('besides', { log, walked, named }));
  named.clear();
};

export interface Walking {
  readonly explained: Explained;
  readonly accepted: Acceptances;
  /** True if the store has a newer format. */
  readonly isNewer: boolean;
}

/** Checks the records of all logs, and the logs against each other. Of a store of a newer format only the chain of each log is checked. */
export const walkLogs = async (
  executor: Executor,
  walks: readonly LogWalk[],
  { explained, accepted, isNewer }: Walking,
  onReport: (report: ChunkReport) => void,
): Promise<void> => {
  for (const walk of walks.filter(({ trusted, leftOut }) => trusted > 0 && !leftOut)) {
    const count = walk.trusted / 2 ** VERIFY_LIMITS.verifyChunkLevel;
    trustRoots(walk, await executor.run('trusted', { log: walk.state.log, count }));
  }
  const check = ({ job }: Stretch): Promise<ChunkReport> => executor.run('chunk', job);
  await inOrder(stretchesOf(walks, isNewer), executor.width, check, async (report, { walk, job }) => {
    foldChunk(walk, job, report, explained);
    if (walk.nodes.length >= VERIFY_LIMITS.verifyBatch) await compareNodes(executor, walk);
    if (job.to === walk.state.walked) await finishLog(executor, walk, isNewer);
    onReport(report);
  });
  if (isNewer) return;
  for (const walk of walks) if (!walk.leftOut) checkLog(walk, walks, accepted);
  checkMigrations(walks);
  await checkAbsences(executor, walks, explained);
  await checkPrunes(executor, walks, accepted);
};

interface Absence {
  readonly walk: LogWalk;
  readonly seq: number;
}

const absencesOf = async (executor: Executor, walk: LogWalk, explained: Explained): Promise<Absence[]> => {
  const { log, base } = walk.state;
  const seqs: number[] = [];
  for (const run of walk.history.absent) {
    if (isPruned(explained, log, run)) continue;
    const gone = run[0] === run[1] ? [run[0]] : await executor.run('absences', { log, base, run });
    seqs.push(...unexplained(explained, log, gone));
  }
  return seqs.map((seq) => ({ walk, seq }));
};

/**
 * The ranges of record ids that this verification does not check: records that were written after the verification began, and records that
 * are covered by a head which the user trusts.
 */
const unwalked = ({ state: { base, size }, trusted }: LogWalk): { from: number; to: number }[] => [
  ...(trusted > 0 ? [{ from: base, to: base + trusted }] : []),
  { from: base + size, to: base + RECORDS_PER_LOG },
];

/** Reports missing payloads that no record explains. Newer records are read too: they may explain a recent erasure. */
const checkAbsences = async (executor: Executor, walks: readonly LogWalk[], explained: Explained): Promise<void> => {
  const gone: Absence[] = [];
  for (const walk of walks) gone.push(...(await absencesOf(executor, walk, explained)));
  if (gone.length === 0) return;
  for (const body of await executor.run('explanations', walks.flatMap(unwalked))) noteExplanation(explained, body);
  for (const { walk, seq } of gone) {
    const { log } = walk.state;
    if (unexplained(explained, log, [seq]).length === 0) continue;
    addFinding(
      walk.found,
      'payload',
      { log, seq, table: 'payloads' },
      'The arguments are missing, and no record says why.',
    );
  }
};

/** Reports signed heads whose records are not the beginning of their log. Runs even if the check of the logs ended early. */
export const checkHeads = (walks: readonly LogWalk[], excuses: HeadExcuses): void => {
  for (const walk of walks) checkRefuted(walk, walks, excuses);
};
