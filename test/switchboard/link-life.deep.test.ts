// Nothing is left: no process, no descriptor, no timer; however a server behaves, and however we end.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Watchdog } from '../../src/switchboard/link/watchdog.js';
import { callTool, linkPlace, until } from '../support/dial.js';
import { isThere } from '../support/process-list.js';

const isLinux = process.platform === 'linux';
const descriptors = (): number => fs.readdirSync('/proc/self/fd').length;
const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

describe('starts and stops', () => {
  it.runIf(isLinux)('50 of them leave nothing', { timeout: 60_000 }, async () => {
    const place = linkPlace();
    const pids: number[] = [];
    const round = async () => {
      const link = await place.link(place.fake('plain'));
      pids.push(link.pid ?? 0);
      await callTool(link, 'echo');
      const pending = callTool(link, 'hang');
      await link.close(false);
      await pending;
    };
    await round();
    const [filesBefore, timersBefore] = [descriptors(), timers()];
    for (let n = 0; n < 10; n++) await Promise.all([round(), round(), round(), round(), round()]);
    expect(new Set(pids).size).toBe(51);
    expect(pids.filter(isThere)).toEqual([]);
    await until(() => timers() <= timersBefore && descriptors() <= filesBefore);
  });

  it.runIf(isLinux)('dials that fail leave nothing either', async () => {
    const place = linkPlace();
    await place.dial(place.fake('dead'));
    const [filesBefore, timersBefore] = [descriptors(), timers()];
    for (const name of ['dead', 'refuses', 'mute'])
      await Promise.all([1, 2, 3].map(() => place.dial(place.fake(name), { startTimeoutMs: 700 })));
    await place.dial(place.stdio('no-such-command', []));
    await until(() => timers() <= timersBefore && descriptors() <= filesBefore);
  });

  it('end a server that ignores all but SIGKILL, in the order of courtesy', async () => {
    const place = linkPlace();
    const link = await place.link(place.fake('ignores-sigterm'));
    const pid = link.pid ?? 0;
    const began = performance.now();
    await link.close(false);
    expect(performance.now() - began).toBeGreaterThan(3_500);
    expect(isThere(pid)).toBe(false);
    expect(place.log().map((line) => line.replace(/^\d+ /, ''))).toEqual(['stdin ended', 'SIGTERM']);
  });
});

describe('the watchdog', () => {
  const sleeper = (): ChildProcess => {
    const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  };

  it('ends what it knows when it is closed, and nothing else', async () => {
    const watchdog = new Watchdog();
    const [known, removed] = [sleeper(), sleeper()];
    watchdog.add(known.pid ?? 0);
    watchdog.add(removed.pid ?? 0);
    watchdog.remove(removed.pid ?? 0);
    const gone = once(known, 'exit');
    await watchdog.close();
    expect(await gone).toEqual([null, 'SIGTERM']);
    expect(isThere(removed.pid ?? 0)).toBe(true);
  });

  it('takes nothing of our own environment for a server', async () => {
    const [known, stranger] = [sleeper(), sleeper()];
    process.env.G = String(stranger.pid);
    onTestFinished(() => void delete process.env.G);
    const watchdog = new Watchdog();
    watchdog.add(known.pid ?? 0);
    const gone = once(known, 'exit');
    await watchdog.close();
    await gone;
    expect(isThere(stranger.pid ?? 0)).toBe(true);
  });

  it.runIf(isLinux)('finds a server that was being started by its mark alone', async () => {
    const watchdog = new Watchdog();
    const mark = watchdog.expect() ?? '';
    const failed = watchdog.expect() ?? '';
    const start = (COLIBRI_SPAWN: string) => {
      const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore', env: { ...process.env, COLIBRI_SPAWN } });
      onTestFinished(() => void child.kill('SIGKILL'));
      return child;
    };
    const [meant, stranger] = [start(mark), start(failed)];
    watchdog.unexpect(failed);
    const gone = once(meant, 'exit');
    await watchdog.close();
    expect(await gone).toEqual([null, 'SIGKILL']);
    expect(isThere(stranger.pid ?? 0)).toBe(true);
    expect(watchdog.expect()).toBeUndefined();
  });

  it('is started anew for the next server when somebody has ended it', async () => {
    const watchdog = new Watchdog();
    const [first, second] = [sleeper(), sleeper()];
    watchdog.add(first.pid ?? 0);
    const shell = watchdog.pid ?? 0;
    process.kill(shell, 'SIGKILL');
    await until(() => watchdog.pid === undefined);
    watchdog.add(second.pid ?? 0);
    expect(watchdog.pid).not.toBe(shell);
    const gone = Promise.all([once(first, 'exit'), once(second, 'exit')]);
    await watchdog.close();
    await gone;
  });

  it('does not exist before the first server', async () => {
    const watchdog = new Watchdog();
    expect(watchdog.pid).toBeUndefined();
    watchdog.remove(1);
    await watchdog.close();
  });
});
