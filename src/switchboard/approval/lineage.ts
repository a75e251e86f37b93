// Which processes stand above one: to tell whether whoever answers an approval was started by the client that asks for it. A process is named
// by its number and its start time, because numbers come back.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { SWITCHBOARD_LIMITS } from '../limits.js';

interface Relative {
  readonly name: string;
  readonly parent: number;
  readonly command: string;
}

/** From /proc/<pid>/stat (proc_pid_stat(5)); the command in parentheses may hold spaces and parentheses. */
const onLinux = async (pid: number): Promise<Relative | undefined> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [parent, start] = [fields[1], fields[19]];
  if (parent === undefined || start === undefined) return undefined;
  const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0').join(' ');
  return { name: `${pid}/${start}`, parent: Number(parent), command };
};

const withPs = async (pid: number): Promise<Relative | undefined> => {
  const env = { LC_ALL: 'C', TZ: 'UTC0' };
  const { stdout } = await promisify(execFile)('/bin/ps', ['-o', 'ppid=,lstart=,args=', '-p', String(pid)], {
    env,
  }).catch(() => ({ stdout: '' }));
  const [, parent, start, command = ''] = /^\s*(\d+)\s+(\w+\s+\w+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/m.exec(stdout) ?? [];
  return start === undefined
    ? undefined
    : { name: `${pid}/${start.replace(/\s+/g, ' ')}`, parent: Number(parent), command };
};

const relativeOf = (pid: number): Promise<Relative | undefined> =>
  process.platform === 'linux' ? onLinux(pid) : withPs(pid);

/** The process and those above it, the nearest first. */
const lineOf = async (pid: number): Promise<readonly Relative[]> => {
  const line: Relative[] = [];
  for (let at = pid; at > 1 && line.length < SWITCHBOARD_LIMITS.ancestors; ) {
    const one = await relativeOf(at);
    if (one === undefined) return line;
    line.push(one);
    at = one.parent;
  }
  return line;
};

/** What only starts another program for a client: a shell with a command line, npm and npx. What is above it is the client. */
const STARTER = /^(?:\S*\/)?(?:(?:ba|da|z|k|a)?sh -l?c |(?:\S*\/)?env |(?:node\s+)?\S*\bnp[mx](?:-cli\.js)?\b)/;

/** The processes that are the client of a process of Colibri, this one if none is named: its parent and, if that only started it, what is above. */
export const clientProcesses = async (pid = process.pid): Promise<readonly string[]> => {
  const [, ...line] = await lineOf(pid);
  const client = line.findIndex(({ command }) => !STARTER.test(command));
  return line.slice(0, client < 0 ? line.length : client + 1).map(({ name }) => name);
};

/** The names of all processes above this one. */
export const ancestorNames = async (): Promise<readonly string[]> =>
  (await lineOf(process.ppid)).map(({ name }) => name);
