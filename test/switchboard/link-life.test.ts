// Nothing is left: no process, no descriptor, no timer; however a server behaves, and however we end.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { callTool, type LinkPlace, linkPlace, serverFile, until } from '../support/dial.js';
import { isThere } from '../support/process-list.js';
import { MODULES } from '../support/serve.js';

/** A process that has ended and that nobody has asked about is no longer there. */
const isAlive = (pid: number): boolean => isThere(pid) && !isZombie(pid);

const isZombie = (pid: number): boolean => {
  try {
    return /\) Z /.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

const loggedPids = (place: LinkPlace): number[] =>
  place
    .log()
    .filter((line) => line.includes('pids'))
    .flatMap((line) => line.split(' ').slice(2).map(Number));

const startParent = (place: LinkPlace, servers: readonly string[]): ChildProcess => {
  const args = [serverFile('parent'), MODULES, ...servers.map(serverFile)];
  const child = spawn(process.execPath, args, {
    cwd: place.dir,
    env: { PATH: process.env.PATH ?? '', LOG: place.logFile },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
};

const told = async (child: ChildProcess): Promise<{ pids: number[]; watchdog: number }> => {
  const [line] = await once(child.stdout as NodeJS.ReadableStream, 'data');
  return JSON.parse(String(line));
};

describe('starts and stops', () => {
  it('end the children of a server, whether it is closed or dies', async () => {
    const place = linkPlace();
    const closed = await place.link(place.fake('grandchild'));
    const died = await place.link(place.fake('grandchild'));
    const pids = loggedPids(place);
    expect(pids).toHaveLength(4);
    await callTool(died, 'die');
    expect(died.told.lost).toEqual(['exited with code 1']);
    await Promise.all([closed.close(false), died.close(false)]);
    await until(() => pids.every((pid) => !isAlive(pid)));
  });
});

describe('after kill -9', () => {
  it('no server, no child of one and no watchdog is left after 5 s', async () => {
    const place = linkPlace();
    const parent = startParent(place, ['plain', 'grandchild', 'ignores-sigterm', 'hangs']);
    const { pids, watchdog } = await told(parent);
    const all = [...new Set([...pids, ...loggedPids(place), watchdog])];
    expect(all.length).toBeGreaterThanOrEqual(6);
    onTestFinished(() => {
      for (const pid of all) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    });
    expect(all.every(isThere)).toBe(true);
    parent.kill('SIGKILL');
    await until(() => all.every((pid) => !isAlive(pid)), 5_000);
  });
});
