// Ends servers that a Colibri process left behind when it and its watchdog were both killed. Process numbers are reused, so a process is
// ended only if it is certain that it is such a server.

import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MARK_NAME } from '../../config.js';
import { quietly } from '../../errors.js';
import { groupNotesDir } from '../config/place.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { type GroupNote, type NotedGroup, whereNumbersCount } from './group-notes.js';
import { type ProcessTable, processTable } from './process-table.js';

export interface SweepOptions {
  readonly stateDir: string;
  readonly log: (level: 'info' | 'warn', text: string) => void;
  /** The table of running processes; default: the system's own. */
  readonly table?: ProcessTable;
}

type Sweep = Required<SweepOptions>;

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 1;

/** Whether a value names one process group by its number: kill(2) gives 0, 1 and negative numbers another meaning. */
const isGroup = (value: unknown): value is NotedGroup => isCount((value as Partial<NotedGroup> | null)?.pgid);

/** Reads a note (a file that lists the process groups a Colibri process has started); undefined if the file is not a note. */
const readNote = (file: string): GroupNote | undefined => {
  const note = quietly(() => JSON.parse(readFileSync(file, 'utf8')) as Partial<GroupNote> | null);
  const isOne =
    typeof note?.machine === 'string' && typeof note.owner?.start === 'string' && Array.isArray(note.groups);
  return isOne ? ({ ...note, groups: note.groups.filter(isGroup) } as GroupNote) : undefined;
};

/** Reads the notes about process groups in a folder; returns none if the folder does not exist. */
const readNotes = (dir: string) =>
  (quietly(() => readdirSync(dir)) ?? []).map((name) => ({ file: join(dir, name), note: readNote(join(dir, name)) }));

/**
 * Removes a note (a list of process groups in a file) that is older than `groupNotesMs`. To be called for a note of another machine,
 * container or boot, and for an incomplete note: this process cannot end the processes that the note names.
 */
const forgetOld = (file: string): void => {
  const { mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? {};
  if (mtimeMs !== undefined && Date.now() - mtimeMs > SWITCHBOARD_LIMITS.groupNotesMs) rmSync(file, { force: true });
};

/** Sends a signal to a process group; false if the group has ended or belongs to another user. */
const signal = (pgid: number, name: NodeJS.Signals): boolean => quietly(() => process.kill(-pgid, name)) ?? false;

/**
 * Whether a process group is still the one that a Colibri process has started and noted in its file. `ours`: the group's leader has the
 * noted start time; or, if there is no leader or no noted time, a process of the group has the noted mark in its environment. `gone`: the
 * group has ended, or its number was reused.
 */
const judge = async ({ pgid, start, mark }: NotedGroup, members: readonly number[], table: ProcessTable) => {
  if (members.length === 0) return 'gone';
  const leader = await table.startOf(pgid);
  if (leader !== undefined && start !== null) return leader === start ? 'ours' : 'gone';
  if (mark === null) return 'unknown';
  const carry = await Promise.all(members.map((pid) => table.hasVariable(pid, MARK_NAME, mark)));
  return carry.includes(true) ? 'ours' : 'unknown';
};

/** Waits until none of the process groups runs, but at most `patienceMs`. Resolves with the groups that still run. */
const leftOf = async (
  pgids: readonly number[],
  patienceMs: number,
  table: ProcessTable,
): Promise<readonly number[]> => {
  const end = performance.now() + patienceMs;
  for (;;) {
    const groups = await table.groups();
    const left = pgids.filter((pgid) => groups.has(pgid));
    if (left.length === 0 || performance.now() >= end) return left;
    await sleep(SWITCHBOARD_LIMITS.orphanLookMs);
  }
};

const endGroups = async (pgids: readonly number[], { table, log }: Sweep): Promise<void> => {
  if (pgids.length === 0) return;
  for (const pgid of pgids) signal(pgid, 'SIGTERM');
  const stubborn = await leftOf(pgids, SWITCHBOARD_LIMITS.orphanTermMs, table);
  for (const pgid of stubborn) signal(pgid, 'SIGKILL');
  const left = await leftOf(stubborn, SWITCHBOARD_LIMITS.killedMs, table);
  log('info', `ended servers that a dead process had left: process groups ${pgids.join(', ')}`);
  if (left.length > 0) log('warn', `process groups ${left.join(', ')} could not be ended`);
};

const groupsToEnd = async (groups: readonly NotedGroup[], { table, log }: Sweep): Promise<number[]> => {
  if (groups.length === 0) return [];
  const living = await table.groups();
  const ours: number[] = [];
  for (const group of groups) {
    const verdict = await judge(group, living.get(group.pgid) ?? [], table);
    if (verdict === 'ours') ours.push(group.pgid);
    if (verdict === 'unknown')
      log(
        'warn',
        `process group ${group.pgid} may be a server that a dead process had left; that is not certain, so it was not ended`,
      );
  }
  return ours;
};

/**
 * Ends the process groups that dead Colibri processes of this machine have started and noted in a file. Resolves when the groups have
 * ended, or after a bounded time.
 */
export const endOrphans = async (options: SweepOptions): Promise<void> => {
  const { table = processTable() } = options;
  const machine = whereNumbersCount();
  const [dead, held]: [{ file: string; groups: readonly NotedGroup[] }[], Set<number>] = [[], new Set()];
  for (const { file, note } of readNotes(groupNotesDir(options.stateDir))) {
    if (note?.machine !== machine) forgetOld(file);
    else if ((await table.startOf(note.owner.pid)) !== note.owner.start) dead.push({ file, groups: note.groups });
    else for (const { pgid } of note.groups) held.add(pgid);
  }
  // A process group that a living Colibri process has noted in its file is not ended, even if a dead one has noted the same number.
  const groups = dead.flatMap((note) => note.groups).filter(({ pgid }) => !held.has(pgid));
  const sweep = { ...options, table };
  await endGroups(await groupsToEnd(groups, sweep), sweep);
  for (const { file } of dead) rmSync(file, { force: true });
};
