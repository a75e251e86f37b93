// Runs a client program for a bounded time, in a process group of its own, and ends what it leaves behind, by id.
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const GRACE_MS = 8_000;
const LONG_OUTPUT = 200_000;
const LAST_OUTPUT_MS = 50;

const link = (path) => {
  try {
    return fs.readlinkSync(path);
  } catch {
    return '';
  }
};

/** Processes that work in this folder. Where there is no /proc, none is found. */
const processesIn = (dir) => {
  if (!fs.existsSync('/proc/self/cwd')) return [];
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => `${link(`/proc/${name}/cwd`)}/`.startsWith(`${dir}/`))
    .map(Number);
};

const kill = (pid, signal) => {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
};

/** Waits until nothing works in the folder any more, then ends what does; returns the command lines of those. */
export const endLeftovers = async (dir) => {
  const until = Date.now() + GRACE_MS;
  while (processesIn(dir).length > 0 && Date.now() < until) await sleep(100);
  const left = processesIn(dir);
  const names = left.map((pid) => {
    try {
      return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').slice(0, 200);
    } catch {
      return String(pid);
    }
  });
  for (const pid of left) kill(pid, 'SIGKILL');
  return names;
};

const gather = (stream) => {
  let text = '';
  stream.setEncoding('utf8').on('data', (more) => {
    text = (text + more).slice(-LONG_OUTPUT);
  });
  return () => text;
};

/**
 * Starts `{command, args, env, cwd}`. `ended` resolves with the exit code, the output and whether the time was over; `interrupt`
 * sends SIGINT to the program alone, as a user who ends it from outside would.
 */
export const startProgram = ({ command, args, env, cwd }, timeoutMs) => {
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = [gather(child.stdout), gather(child.stderr)];
  const began = Date.now();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    kill(-child.pid, 'SIGKILL');
  }, timeoutMs);
  const gone = new Promise((resolve) => {
    child.on('error', (thrown) => resolve({ code: null, signal: null, failure: thrown.message }));
    child.on('exit', (code, signal) => resolve({ code, signal }));
  });
  const ended = gone.then(async (how) => {
    clearTimeout(timer);
    await sleep(LAST_OUTPUT_MS);
    return { ...how, isLate, ms: Date.now() - began, stdout: stdout(), stderr: stderr() };
  });
  return { pid: child.pid, ended, interrupt: () => kill(child.pid, 'SIGINT') };
};
