// Which processes stand above one: to tell whether whoever answers an approval was started by the client that asks for it. A process is named
// by its number and its start time, because numbers come back.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { UNSEEN } from '../../core/unseen.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';

interface Relative {
  readonly name: string;
  readonly parent: number;
  /** The process group: what was started as one job has one. */
  readonly group: number;
  /** Whether it leads a session, as login shells, desktops and services do. */
  readonly leads: boolean;
  readonly command: string;
}

/** From /proc/<pid>/stat (proc_pid_stat(5)); the command in parentheses may hold spaces and parentheses. */
const onLinux = async (pid: number): Promise<Relative | undefined> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [parent, group, session, start] = [fields[1], fields[2], fields[3], fields[19]];
  if (parent === undefined || start === undefined) return undefined;
  const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0').join(' ');
  return {
    name: `${pid}/${start}`,
    parent: Number(parent),
    group: Number(group),
    leads: Number(session) === pid,
    command,
  };
};

const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\w+\s+\w+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/m;

const withPs = async (pid: number): Promise<Relative | undefined> => {
  const env = { LC_ALL: 'C', TZ: 'UTC0' };
  const columns = 'ppid=,pgid=,stat=,lstart=,args=';
  const { stdout } = await promisify(execFile)('/bin/ps', ['-o', columns, '-p', String(pid)], { env }).catch(() => ({
    stdout: '',
  }));
  const [, parent, group, stat = '', start, command = ''] = PS_LINE.exec(stdout) ?? [];
  if (start === undefined) return undefined;
  const name = `${pid}/${start.replace(/\s+/g, ' ')}`;
  return { name, parent: Number(parent), group: Number(group), leads: stat.includes('s'), command };
};

type Look = (pid: number) => Promise<Relative | undefined>;

const relativeOf: Look = process.platform === 'linux' ? onLinux : withPs;

interface Line {
  /** The process and those above it, the nearest first. */
  readonly relatives: readonly Relative[];
  /** Whether the line goes up to the first process of the machine or the container. */
  readonly isWhole: boolean;
}

const walk = async (pid: number, look: Look): Promise<Line> => {
  const relatives: Relative[] = [];
  for (let at = pid; at > 1; ) {
    const one = relatives.length < SWITCHBOARD_LIMITS.ancestors ? await look(at) : undefined;
    if (one === undefined) return { relatives, isWhole: false };
    relatives.push(one);
    at = one.parent;
  }
  return { relatives, isWhole: true };
};

/** A parent may end while the line is read: then it is read once more. */
const lineOf = async (pid: number, look: Look): Promise<Line> => {
  const line = await walk(pid, look);
  return line.isWhole ? line : walk(pid, look);
};

/** A shell that runs a script or a command line: it starts something for whoever started it. */
const SCRIPT = /^(?:\S*\/)?(?:ba|da|z|k|a|fi)?sh(?: -\S+)* [^-\s]/;
/** A shell that a person types into. */
const PROMPT = /^-?(?:\S*\/)?(?:ba|da|z|k|a|fi)?sh(?: -\S+)* ?$/;
/** Programs that only start another one. */
const RUNNERS = [
  ...['env', 'timeout', 'nice', 'nohup', 'setsid', 'stdbuf', 'sudo', 'doas', 'systemd-run', 'tini', 'dumb-init'],
  ...['npm', 'npx', 'pnpm', 'pnpx', 'yarn', 'bunx', 'uv', 'uvx', 'mise', 'direnv', 'volta'],
];
const RUNNER = new RegExp(`^(?:node )?(?:\\S*/)?(?:${RUNNERS.join('|')})(?:-cli)?(?:\\.c?js)? `);

const isStarter = ({ command }: Relative): boolean => SCRIPT.test(command) || RUNNER.test(command);

/**
 * Of the processes above one of Colibri, those that are its client: what only started Colibri, and the first above that did not; and what is above
 * that in the same process group, since a client may start Colibri by a program of its own. The shell that a person types into is no client. A leader
 * of a session further above is a desktop or a service manager.
 */
const clientIn = (line: readonly Relative[]): readonly Relative[] => {
  const first = line.findIndex((one) => !isStarter(one));
  const found = line[first];
  if (found === undefined) return line;
  if (PROMPT.test(found.command) && first > 0) return line.slice(0, first);
  const after = line.findIndex((one, at) => at > first && (one.group !== found.group || one.leads));
  return after < 0 ? line : line.slice(0, after);
};

const namesOf = (relatives: readonly Relative[], isWhole: boolean): readonly string[] => [
  ...relatives.map(({ name }) => name),
  ...(isWhole ? [] : [UNSEEN]),
];

/** The processes that are the client of a process of Colibri, this one if none is named. */
export const clientProcesses = async (pid = process.pid, look = relativeOf): Promise<readonly string[]> => {
  const { relatives, isWhole } = await lineOf(pid, look);
  const above = relatives.slice(1);
  const client = clientIn(above);
  return namesOf(client, isWhole || client.length < above.length);
};

/** The names of all processes above this one. */
export const ancestorNames = async (pid = process.ppid, look = relativeOf): Promise<readonly string[]> => {
  const { relatives, isWhole } = await lineOf(pid, look);
  return namesOf(relatives, isWhole);
};
