// Lists the living processes that a test has started, and those that they have started. On Linux the environment of a process
// can be read, and a test's folder stands in it. Process ids alone would not do: they are used again, and other tests run beside.
import * as fs from 'node:fs';
import type { Place } from '../support/serve.js';

export const canListProcesses = process.platform === 'linux';

const read = (path: string): string => {
  try {
    return fs.readFileSync(path, 'latin1');
  } catch {
    return ''; // gone, or somebody else's
  }
};

export interface LivingProcess {
  readonly pid: number;
  readonly pgid: number;
  readonly command: string;
}

/** proc_pid_stat(5): state and group behind the command, which stands in brackets. */
const rowOf = (pid: string): LivingProcess | undefined => {
  const stat = read(`/proc/${pid}/stat`);
  const [state = 'Z', , pgid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === 'Z' || state === 'X') return undefined;
  const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
  return { pid: Number(pid), pgid: Number(pgid), command };
};

/** Living processes that were started in the place, or by one that was. */
export const livingProcesses = (place: Place): LivingProcess[] =>
  fs
    .readdirSync('/proc')
    .filter((entry) => /^[0-9]+$/.test(entry) && Number(entry) !== process.pid)
    .filter((pid) => read(`/proc/${pid}/environ`).includes(`=${place.dir}/`))
    .flatMap((pid) => rowOf(pid) ?? []);

/** Ends them with the test, should it fail. */
export const killLivingAtEnd = (place: Place): void => {
  place.onEnd(() => {
    for (const { pid } of canListProcesses ? livingProcesses(place) : []) process.kill(pid, 'SIGKILL');
  });
};

/** Notes about the servers of living processes. */
export const groupNotes = (place: Place): string[] => {
  const dir = `${place.home}/state/colibri/groups`;
  return fs.existsSync(dir) ? fs.readdirSync(dir).map((name) => `${dir}/${name}`) : [];
};
