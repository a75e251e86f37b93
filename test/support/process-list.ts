// Finds processes of this machine by their command line or their parent, and waits for what they do.
import { execFileSync } from 'node:child_process';

/** Processes whose command line holds the text, without those that ask. */
export const processesWith = (text: string): number[] =>
  execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(text) && !/\bps -eo\b/.test(line))
    .map((line) => Number.parseInt(line, 10));

/** Children, and theirs, of a process. */
export const descendants = (pid: number): number[] => {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  const below = (parent: number): number[] =>
    rows.filter(([, ppid]) => ppid === parent).flatMap(([child = 0]) => [child, ...below(child)]);
  return below(pid);
};

/** The process of a server, by what stands on its command line, among the children of one of ours. */
export const serverPid = (pid: number, text: string): number => {
  const found = processesWith(text).find((one) => descendants(pid).includes(one));
  if (found === undefined) throw new Error(`no process with ${text} below ${pid}`);
  return found;
};

export const isThere = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

export const eventually = async (what: string, seen: () => boolean | Promise<boolean>, patienceMs = 20_000) => {
  const until = Date.now() + patienceMs;
  while (!(await seen())) {
    if (Date.now() > until) throw new Error(`waited in vain for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
};
