import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { ancestorNames, clientProcesses } from './lineage.js';

/** Starts a chain of programs whose last prints its own number and stays until its input ends. */
const started = async (command: string, args: readonly string[]) => {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  const [text] = await once(child.stdout, 'data');
  const end = async () => {
    child.stdin.end();
    await once(child, 'close');
  };
  return { pid: child.pid ?? 0, last: Number(String(text)), end };
};

const LAST = `'${process.execPath}' -e 'console.log(process.pid); process.stdin.resume()'`;
const pidsOf = (names: readonly string[]): number[] => names.map((name) => Number(name.split('/')[0]));

test('this process is a client of what it starts, also through shells and programs that only start another', async () => {
  for (const line of [
    `${LAST}`,
    `sh -c "${LAST}; true"`,
    `nice timeout 60 ${LAST}`,
    `env A=1 sh -c "${LAST}; exit 0"`,
  ]) {
    const { last, end } = await started('sh', ['-c', `${line}; true`]);
    expect(pidsOf(await clientProcesses(last)), line).toContain(process.pid);
    await end();
  }
});

test('what is above a shell that somebody types into is no client', async () => {
  // A shell without arguments that reads its commands, as one at a prompt.
  const child = spawn('bash', [], { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  child.stdin.write(`sh -c "${LAST.replaceAll('"', '\\"')}; true" < /dev/zero &\n`);
  const [text] = await once(child.stdout, 'data');
  const last = Number(String(text));
  const pids = pidsOf(await clientProcesses(last));
  expect(pids.length).toBeGreaterThan(0);
  expect(pids).not.toContain(child.pid);
  expect(pids).not.toContain(process.pid);
  process.kill(last);
  child.stdin.end();
  await once(child, 'close');
});

test('a process that is gone has no client, and everybody has ancestors', async () => {
  expect(await clientProcesses(2 ** 22 + 1)).toEqual([]);
  expect(pidsOf(await ancestorNames())[0]).toBe(process.ppid);
});
