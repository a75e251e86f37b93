import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { UNSEEN } from '../../core/unseen.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
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

test('this process is a client of what it starts below a hundred shells', async () => {
  const nested = 'n=$1; shift; if [ $n -gt 0 ]; then sh -c "$0" "$0" $((n-1)) "$@"; exit $?; fi; "$@"; exit $?';
  const { last, end } = await started('sh', ['-c', nested, nested, '100', 'sh', '-c', `${LAST}; true`]);
  const above = pidsOf(await clientProcesses(last));
  expect(above.length).toBeGreaterThan(100);
  expect(above).toContain(process.pid);
  await end();
});

/** Processes of which each has the one before it above itself; those of `command` start something for others. */
const family = (size: number, missing = 0, command = 'sh -c x') => {
  const look = async (pid: number) =>
    pid === missing || pid > size
      ? undefined
      : { name: `${pid}/0`, parent: pid - 1, group: pid, leads: false, command };
  return look;
};

test('a line that cannot be seen up to its end says so, also as the line of a client', async () => {
  const most = SWITCHBOARD_LIMITS.ancestors;
  expect(await ancestorNames(4, family(4))).toEqual(['4/0', '3/0', '2/0']);
  expect(await ancestorNames(4, family(4, 3))).toEqual(['4/0', UNSEEN]);
  expect(await ancestorNames(4, family(3))).toEqual([UNSEEN]);
  expect(await ancestorNames(most + 1, family(most + 1))).not.toContain(UNSEEN);
  expect((await ancestorNames(most + 2, family(most + 2))).at(-1)).toBe(UNSEEN);
  for (const pid of [0, 1]) expect(await ancestorNames(pid, family(4))).toEqual([]); // the first of a container
  expect((await clientProcesses(most + 3, family(most + 3))).at(-1)).toBe(UNSEEN);
  expect(await clientProcesses(5, family(5, 2))).toEqual(['4/0', '3/0', UNSEEN]);
  // The client is seen, and what is above it does not matter.
  expect(await clientProcesses(5, family(5, 2, 'an editor'))).toEqual(['4/0']);
});

test('a parent that ends while the line is read is no gap', async () => {
  const look = family(5);
  let isGone = false;
  const changing = async (pid: number) => {
    if (pid === 3 && !isGone) {
      isGone = true;
      return undefined;
    }
    const one = await look(pid);
    return pid === 4 && isGone && one !== undefined ? { ...one, parent: 1 } : one;
  };
  expect(await ancestorNames(5, changing)).toEqual(['5/0', '4/0']);
});

test('of a process that is gone nothing is seen, and everybody has ancestors', async () => {
  expect(await clientProcesses(2 ** 22 + 1)).toEqual([UNSEEN]);
  expect(pidsOf(await ancestorNames())[0]).toBe(process.ppid);
});
