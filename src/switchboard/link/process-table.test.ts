// Reads the system's process table in both ways: the one for this system, and the one for other systems.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { processTable, procTable, psTable } from './process-table.js';

const sleeper = (env: Record<string, string> = {}) => {
  const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore', env: { PATH: process.env.PATH, ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, pid: child.pid ?? 0 };
};

const TABLES = [['ps', psTable] as const, ...(process.platform === 'linux' ? [['/proc', procTable] as const] : [])];

describe.each(TABLES)('%s', (_name, table) => {
  it('names a process by its start for as long as it lives', async () => {
    const { child, pid } = sleeper();
    const start = await table.startOf(pid);
    expect(start).toMatch(/\S/);
    expect(await table.startOf(pid)).toBe(start);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await table.startOf(pid)).toBeUndefined();
  });

  it('tells two processes apart that started at different times', async () => {
    const first = sleeper();
    await sleep(1_100); // ps knows seconds
    const second = sleeper();
    expect(await table.startOf(first.pid)).not.toBe(await table.startOf(second.pid));
  });

  it('lists the groups with their processes', async () => {
    const { child, pid } = sleeper();
    expect((await table.groups()).get(pid)).toEqual([pid]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect((await table.groups()).has(pid)).toBe(false);
  });

  it('does not count one that has ended and was not asked about', async () => {
    // The shell starts a child that ends, becomes a sleeper, and never asks.
    const parent = spawn('sh', ['-c', 'true & exec sleep 60'], { detached: true, stdio: 'ignore' });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const pid = parent.pid ?? 0;
    await expect.poll(async () => (await table.groups()).get(pid), { timeout: 10_000 }).toEqual([pid]);
  });

  it('knows nothing of a process that is not there', async () => {
    expect(await table.startOf(2 ** 30)).toBeUndefined();
    expect(await table.hasVariable(2 ** 30, 'A', 'b')).toBe(false);
  });
});

it.runIf(process.platform === 'linux')('Linux shows the environment of a process', async () => {
  const { pid } = sleeper({ COLIBRI_SPAWN: 'abc' });
  const has = (name: string, value: string) => procTable.hasVariable(pid, name, value);
  expect([await has('COLIBRI_SPAWN', 'abc'), await has('COLIBRI_SPAWN', 'ab'), await has('SPAWN', 'abc')]).toEqual([
    true,
    false,
    false,
  ]);
  expect(await psTable.hasVariable(pid, 'COLIBRI_SPAWN', 'abc')).toBe(false);
});

it('is the one of the platform', () => {
  expect([processTable('linux'), processTable('darwin')]).toEqual([procTable, psTable]);
});
