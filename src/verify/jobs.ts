// What a thread can be asked, and the answer to each: the one place where a job's name, input and answer meet.
// Inputs and answers cross threads, so they are plain data.

import type { TreeNode } from '../proof/merkle.js';
import { evidenceChecks } from './evidence/index.js';
import { checkFile } from './file-check.js';
import { headsOfFolder } from './heads/heads.js';
import { type NotesJob, openNotes } from './heads/known-heads.js';
import { VERIFY_LIMITS } from './limits.js';
import { type ChunkJob, checkChunk } from './log/chunk.js';
import { absencesIn, type HistoryRun, otherExplanations } from './log/history.js';
import { compareTiles } from './log/tiles.js';
import { checkOverview, logNames, lookFirst } from './overview.js';
import { checkOneSession, checkReceipts, checkTaskSessions, type GivenReceipt, storedRoots } from './places.js';
import { openReader, type StoreReader } from './reading.js';
import { checkRows, type KeptChecks, type RowsJob } from './rows-check.js';
import { guarded, nothingFound } from './verdict/finding-list.js';

interface Desk {
  readonly path: string;
  readonly reader: StoreReader;
  readonly checks: KeptChecks;
}

const JOBS = {
  first: ({ reader }: Desk, _: null) => lookFirst(reader),
  logs: ({ reader }: Desk, _: null) => logNames(reader),
  heads: (_: Desk, { dir, logs }: { dir: string; logs: readonly string[] }) => headsOfFolder(dir, logs),
  notes: (_: Desk, job: NotesJob) => openNotes(job),
  overview: ({ reader }: Desk, _: null) => checkOverview(reader),
  file: ({ reader }: Desk, _: null) => checkFile(reader),
  chunk: ({ reader, path }: Desk, job: ChunkJob) => checkChunk(reader, path, job),
  tiles: ({ reader }: Desk, { log, nodes }: { log: string; nodes: readonly TreeNode[] }) => {
    const found = nothingFound();
    guarded(found, 'tree', { log, table: 'tiles' }, () => reader.snapshot((tx) => compareTiles(tx, log, nodes, found)));
    return found;
  },
  trusted: ({ reader }: Desk, { log, count }: { log: string; count: number }) =>
    storedRoots(reader, log, VERIFY_LIMITS.verifyChunkLevel, count),
  explanations: ({ reader }: Desk, stretches: readonly { from: number; to: number }[]) =>
    otherExplanations(reader, stretches),
  absences: ({ reader }: Desk, place: { log: string; base: number; run: HistoryRun }) => absencesIn(reader, place),
  rows: ({ reader, checks }: Desk, job: RowsJob) => checkRows(reader, checks, job),
  receipts: ({ reader }: Desk, receipts: readonly GivenReceipt[]) => checkReceipts(reader, receipts),
  session: ({ reader }: Desk, id: string) => checkOneSession(reader, id),
  task: ({ reader }: Desk, id: string) => checkTaskSessions(reader, id),
} as const;

export type JobKind = keyof typeof JOBS;
export type JobInput<K extends JobKind> = Parameters<(typeof JOBS)[K]>[1];
export type JobAnswer<K extends JobKind> = Awaited<ReturnType<(typeof JOBS)[K]>>;

export interface Performer {
  perform<K extends JobKind>(kind: K, input: JobInput<K>): Promise<JobAnswer<K>>;
  close(): void;
}

/** A desk with a connection of its own. `waitMs`: how long it may sleep while another process recovers the file. */
export const openPerformer = (path: string, waitMs: number): Performer => {
  const desk: Desk = { path, reader: openReader(path, waitMs), checks: evidenceChecks() };
  return {
    perform: async <K extends JobKind>(kind: K, input: JobInput<K>): Promise<JobAnswer<K>> => {
      // The table pairs every kind with its input; the compiler cannot follow a kind that is a variable.
      const job = JOBS[kind] as (desk: Desk, input: JobInput<K>) => unknown;
      return (await job(desk, input)) as JobAnswer<K>;
    },
    close: () => desk.reader.close(),
  };
};
