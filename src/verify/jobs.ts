// The jobs that a verification thread can perform, each with its name, input and answer. Inputs and answers are sent between
// threads, so they are plain data.

import { asError, ColibriError } from '../errors.js';
import type { TreeNode } from '../proof/merkle.js';
import { saysDamage } from '../store/sqlite/errors.js';
import { type BindingQuestion, checkStoreBinding } from './binding.js';
import type { FileJob } from './engine/engine.js';
import { evidenceChecks } from './evidence/index.js';
import { headsOfFolder } from './heads/heads.js';
import { type NotesJob, openNotes } from './heads/known-heads.js';
import { checkHistories, type HistoriesJob } from './histories-check.js';
import { VERIFY_LIMITS } from './limits.js';
import { type BesideRowsJob, checkBesideRows } from './log/beside-check.js';
import { type ChunkJob, checkChunk } from './log/chunk.js';
import { absencesIn, type HistoryRun, otherExplanations } from './log/history.js';
import { countKeeping } from './log/ledger-repository.js';
import type { RecordRange } from './log/ranges.js';
import { checkScored, type ScoredLog } from './log/scored.js';
import { compareTiles } from './log/tiles.js';
import { isWritten } from './log/unsigned-tail.js';
import { checkOverview, logNames } from './overview.js';
import { checkOneSession, checkTaskSessions, storedRoots } from './places.js';
import { checkPresences, type PresenceLog } from './presence-check.js';
import { openReader, type StoreReader, type StoreSource } from './reading.js';
import { checkReceipts, type GivenReceipt } from './receipts-check.js';
import { checkRows, type KeptChecks, type RowsJob } from './rows-check.js';
import { guarded, nothingFound } from './verdict/finding-list.js';

interface JobContext {
  readonly path: string;
  readonly source: StoreSource;
  readonly reader: StoreReader;
  readonly checks: KeptChecks;
}

const JOBS = {
  first: ({ reader }: JobContext, _: null) => reader.snapshot(reader.engine.firstLook),
  logs: ({ reader }: JobContext, _: null) => logNames(reader),
  heads: (_: JobContext, { dir, logs }: { dir: string; logs: readonly string[] }) => headsOfFolder(dir, logs),
  notes: (_: JobContext, job: NotesJob) => openNotes(job),
  binding: ({ reader, source }: JobContext, question: BindingQuestion) => checkStoreBinding(reader, source, question),
  besides: ({ reader }: JobContext, job: BesideRowsJob) => checkBesideRows(reader, job),
  overview: ({ reader }: JobContext, _: null) => checkOverview(reader),
  file: ({ reader }: JobContext, job: FileJob) => reader.engine.checkFile(reader, job),
  chunk: ({ reader, path }: JobContext, job: ChunkJob) => checkChunk(reader, path, job),
  written: ({ reader, path }: JobContext, log: string) => isWritten(reader, path, log),
  tiles: ({ reader }: JobContext, { log, nodes }: { log: string; nodes: readonly TreeNode[] }) => {
    const found = nothingFound();
    guarded(found, 'tree', { log, table: 'tiles' }, () => reader.snapshot((tx) => compareTiles(tx, log, nodes, found)));
    return found;
  },
  trusted: ({ reader }: JobContext, { log, count }: { log: string; count: number }) =>
    storedRoots(reader, log, VERIFY_LIMITS.verifyChunkLevel, count),
  explanations: ({ reader }: JobContext, stretches: readonly { from: number; to: number }[]) =>
    otherExplanations(reader, stretches),
  absences: ({ reader }: JobContext, place: { log: string; base: number; run: HistoryRun }) =>
    absencesIn(reader, place),
  keeping: ({ reader }: JobContext, { base, ranges }: { base: number; ranges: readonly RecordRange[] }) =>
    reader.snapshot((tx) => ranges.reduce((sum, { from, to }) => sum + countKeeping(tx, base + from, base + to), 0)),
  presences: (_: JobContext, { batch, logs }: { batch: Uint8Array; logs: readonly PresenceLog[] }) =>
    checkPresences(batch, logs),
  rows: ({ reader, checks }: JobContext, job: RowsJob) => checkRows(reader, checks, job),
  scored: ({ reader }: JobContext, logs: readonly ScoredLog[]) => checkScored(reader, logs),
  histories: ({ reader }: JobContext, job: HistoriesJob) => checkHistories(reader, job),
  receipts: ({ reader }: JobContext, receipts: readonly GivenReceipt[]) => checkReceipts(reader, receipts),
  session: ({ reader }: JobContext, id: string) => checkOneSession(reader, id),
  task: ({ reader }: JobContext, id: string) => checkTaskSessions(reader, id),
} as const;

export type JobKind = keyof typeof JOBS;
export type JobInput<K extends JobKind> = Parameters<(typeof JOBS)[K]>[1];
export type JobAnswer<K extends JobKind> = Awaited<ReturnType<(typeof JOBS)[K]>>;

/** Why a job failed. Both members can be sent between threads, which an error with its cause cannot. */
export interface JobFailure {
  readonly failure: string;
  /** True if the engine found its files damaged: that is a finding, and not a store that cannot be read. */
  readonly isDamage: boolean;
}

/** Whether a database server found its own files damaged (SQLSTATE class XX). */
const saysServerDamage = (thrown: unknown): boolean =>
  thrown instanceof ColibriError && String(thrown.details?.engine).startsWith('XX');

export const jobFailure = (thrown: unknown): JobFailure => ({
  failure: asError(thrown).message,
  isDamage: saysDamage(thrown) || saysServerDamage(thrown),
});

export interface Performer {
  perform<K extends JobKind>(kind: K, input: JobInput<K>): Promise<JobAnswer<K>>;
  close(): void;
}

/**
 * Opens a database connection and returns a function that performs jobs on it. `waitMs`: the most milliseconds to wait while another
 * process recovers the file.
 */
export const openPerformer = (source: StoreSource, waitMs: number): Performer => {
  const context: JobContext = {
    path: source.path,
    source,
    reader: openReader(source, waitMs),
    checks: evidenceChecks(),
  };
  return {
    perform: async <K extends JobKind>(kind: K, input: JobInput<K>): Promise<JobAnswer<K>> => {
      // JOBS pairs every kind of job with its input, but the compiler cannot infer the pair for a kind in a variable.
      const job = JOBS[kind] as (context: JobContext, input: JobInput<K>) => unknown;
      return (await job(context, input)) as JobAnswer<K>;
    },
    close: () => context.reader.close(),
  };
};
