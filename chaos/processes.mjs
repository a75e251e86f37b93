// Processes of servers, found by the mark in their environment: a server may be any command, and several may be the same one.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { MARK } from './board.mjs';

/** @typedef {{ pid: number, parent: number, mark: string }} Marked */

const rows = () =>
  execFileSync('ps', ['-Ao', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));

/** Where there is no /proc, ps shows the environment behind the command. @param {number} pid */
const environmentOf = (pid) => {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
    return execFileSync('ps', ['eww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).split(' ');
  } catch {
    return []; // gone, or somebody else's
  }
};

/** @param {number} pid */
const markOf = (pid) => {
  const found = environmentOf(pid).find((entry) => entry.startsWith(`${MARK}=`));
  return found === undefined ? undefined : Buffer.from(found.slice(MARK.length + 1), 'latin1').toString('utf8');
};

/**
 * All processes of one run, children of servers too.
 * @param {string} run @returns {Marked[]}
 */
export const processesOf = (run) =>
  rows().flatMap(([pid = 0, parent = 0]) => {
    const mark = markOf(pid);
    return mark?.startsWith(`${run}/`) ? [{ pid, parent, mark }] : [];
  });

/**
 * The process that leads a server's group: the child of Colibri itself. Undefined while there is none.
 * @param {{ run: string, colibri: number, server: string }} wanted
 */
export const leaderOf = ({ run, colibri, server }) =>
  rows()
    .filter(([, parent]) => parent === colibri)
    .map(([pid = 0]) => pid)
    .find((pid) => markOf(pid) === `${run}/${server}`);

/** @param {number} group @param {NodeJS.Signals} signal @returns {boolean} whether there was somebody to tell */
export const signalGroup = (group, signal) => {
  try {
    process.kill(-group, signal);
    return true;
  } catch {
    return false;
  }
};
