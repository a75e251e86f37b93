// Asks the system about any processes, not only children of this one: through /proc on Linux, through ps elsewhere. Process numbers are
// reused, so a process is identified by its number together with its start time.
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

export interface ProcessTable {
  /** The start time of a process as a text, to tell it from another process that got the same number; undefined if the process has ended. */
  startOf(pid: number): Promise<string | undefined>;
  /** All process groups by number, each with the numbers of its processes that have not ended. */
  groups(): Promise<ReadonlyMap<number, readonly number[]>>;
  /** Whether a process was started with this variable in its environment; false if the system does not show that. */
  hasVariable(pid: number, name: string, value: string): Promise<boolean>;
}

interface Row {
  readonly pid: number;
  readonly pgid: number;
  readonly start: string;
}

/** Whether a process has ended although it is still in the system's process table, because its parent has not waited for it yet (a zombie). */
const isOver = (state: string): boolean => /^[ZX]/.test(state);

const byGroup = (rows: readonly (Pick<Row, 'pid' | 'pgid'> | undefined)[]): ReadonlyMap<number, readonly number[]> => {
  const groups = new Map<number, number[]>();
  for (const row of rows) if (row !== undefined) groups.set(row.pgid, [...(groups.get(row.pgid) ?? []), row.pid]);
  return groups;
};

/** Reads /proc/<pid>/stat (proc_pid_stat(5)). The command is in parentheses and may contain parentheses and spaces itself. */
const rowOf = async (pid: number): Promise<Row | undefined> => {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = 'X', pgid, start = ''] = [fields[0], fields[2], fields[19]];
  return isOver(state) || start === '' ? undefined : { pid, pgid: Number(pgid), start };
};

export const procTable: ProcessTable = {
  startOf: async (pid) => (await rowOf(pid))?.start,
  groups: async () => {
    const entries = await readdir('/proc').catch(() => []);
    const pids = entries.filter((entry) => /^[0-9]+$/.test(entry)).map(Number);
    return byGroup(await Promise.all(pids.map(rowOf)));
  },
  hasVariable: async (pid, name, value) => {
    const text = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
    return text.split('\0').includes(`${name}=${value}`);
  },
};

const run = promisify(execFile);

/** Runs ps and splits its lines into words; no lines if ps fails. Language and time zone are fixed, because they would change the output. */
const ps = async (...args: readonly string[]): Promise<readonly string[][]> => {
  const env = { LC_ALL: 'C', TZ: 'UTC0' };
  const { stdout } = await run('/bin/ps', args, { env }).catch(() => ({ stdout: '' }));
  return stdout
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.trim().split(/\s+/));
};

export const psTable: ProcessTable = {
  startOf: async (pid) => {
    const [[state = 'X', ...start] = []] = await ps('-o', 'stat=,lstart=', '-p', String(pid));
    return isOver(state) || start.length === 0 ? undefined : start.join(' ');
  },
  groups: async () => {
    const lines = await ps('-A', '-o', 'pid=,pgid=,stat=');
    const living = lines.filter(([, , state = 'X']) => !isOver(state));
    return byGroup(living.map(([pid, pgid]) => ({ pid: Number(pid), pgid: Number(pgid) })));
  },
  hasVariable: async () => false,
};

export const processTable = (platform: NodeJS.Platform = process.platform): ProcessTable =>
  platform === 'linux' ? procTable : psTable;
