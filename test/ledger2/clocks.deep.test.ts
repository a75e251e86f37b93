// Clocks that jump, and processes that stand still: nothing is lost, nobody is taken for dead, and start, verify, status and doctor say what
// is true.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { colibri, dataOf, keysDir } from '../support/command-line.js';
import { Ledger, type Receipt, receiptOf } from '../support/ledger-check.js';
import { eventually } from '../support/process-list.js';
import { type Environment, freshPlace, type Peer, type Place, session } from '../support/serve.js';
import { acknowledged, expectKept, expectQuiet, started, startedWithTools } from './bad-days.shared.js';
import { bodiesOf, onHost, ping, verdict } from './stores.js';

// Each starts many processes, one after the other.
vi.setConfig({ testTimeout: 180_000 });

const OTHER_CLOCK = fileURLToPath(new URL('../children/other-clock.mjs', import.meta.url));
const HOUR_MS = 3_600_000;

/** Clocks that a test can set while processes run. */
const clocksOf = (place: Place) => {
  const file = join(place.dir, 'clock.json');
  const set = (wallMs: number, monotonicMs = 0): void => {
    fs.writeFileSync(`${file}.new`, JSON.stringify({ wallMs, monotonicMs }));
    fs.renameSync(`${file}.new`, file);
  };
  set(0);
  const env: Environment = { NODE_OPTIONS: `--import ${OTHER_CLOCK}`, TEST_CLOCK: file };
  return { set, env };
};

test('a process that stands still for ten minutes between intent and outcome is alive, and its call ends well', async () => {
  const place = freshPlace();
  const clock = clocksOf(place);
  const still = await startedWithTools(place, clock.env);
  const slow = still.call('sleep_open', { ms: 1_000 });
  await eventually('the call has begun', () => bodiesOf(place).at(-1)?.tool === 'sleep_open');
  process.kill(still.pid, 'SIGSTOP');
  clock.set(HOUR_MS / 6, HOUR_MS / 6);
  const { records } = (await verdict(place)).unsigned[0];
  expect(records).toBe(new Ledger(place.db).records.length);
  // Neither who starts now nor who verifies without the key takes it for dead.
  await ping(place);
  fs.renameSync(keysDir(place), join(place.dir, 'away'));
  expect(await verdict(place)).toMatchObject({ exit: 0, findings: [], missing: [] });
  fs.renameSync(join(place.dir, 'away'), keysDir(place));
  expect(new Ledger(place.db).calls.filter((call) => call.startsWith('sleep_open'))).toEqual(['sleep_open open']);
  expect((await colibri(place, ['doctor'])).stdout).toMatch(/^ok +processes +.*1/m);
  process.kill(still.pid, 'SIGCONT');
  const answer = await slow;
  expect((await still.end()).code).toBe(0);
  expectKept(place, [receiptOf(answer) as Receipt]);
  await expectQuiet(place);
});

test('a clock that goes back an hour, while processes run and between two runs', async () => {
  const place = freshPlace();
  const clock = clocksOf(place);
  const receipts: Receipt[] = [];
  const work = async (peer: Peer): Promise<void> => {
    const task = await peer.call('task_create', { title: 'one' });
    const { task_id } = dataOf(task);
    receipts.push(receiptOf(task) as Receipt);
    receipts.push(await acknowledged(peer, 'task_next_actions', { claim_by: 'ann', lease_minutes: 5 }));
    for (const status of ['GATHER', 'ANALYZE']) {
      receipts.push(await acknowledged(peer, 'thought_record', { type: 'plan', content: status, task_id }));
    }
  };
  const right = await started(place, onHost('elsewhere').env);
  const wrong = await started(place, clock.env);
  for (const wallMs of [0, -HOUR_MS, 0]) {
    clock.set(wallMs);
    await Promise.all([work(right), work(wrong)]);
    expect(await verdict(place)).toMatchObject({ exit: expect.toSatisfy((exit) => exit !== 20), findings: [] });
  }
  clock.set(-HOUR_MS);
  await wrong.end();
  await right.end();
  for (const wallMs of [-HOUR_MS, 0, -2 * HOUR_MS]) {
    clock.set(wallMs);
    await session(place, work, { env: clock.env });
    await expectQuiet(place, clock.env);
  }
  expectKept(place, receipts);
});

test.each([
  ['the wall clock alone', 0],
  ['both clocks', 8 * HOUR_MS],
])('a machine that slept for a night: %s', async (_, monotonicMs) => {
  const place = freshPlace();
  const clock = clocksOf(place);
  const peer = await started(place, clock.env);
  const receipts = [await acknowledged(peer, 'task_create', { title: 'one' })];
  const claim = { claim_by: 'ann', lease_minutes: 60 };
  const [held] = dataOf(await peer.call('task_next_actions', claim)).actions;
  expect(dataOf(await peer.call('task_next_actions', { ...claim, claim_by: 'bob' })).actions).toEqual([]);
  process.kill(peer.pid, 'SIGSTOP');
  clock.set(8 * HOUR_MS, monotonicMs);
  process.kill(peer.pid, 'SIGCONT');
  receipts.push(await acknowledged(peer, 'thought_record', { type: 'plan', content: 'good morning' }));
  // The lease ran out in the night: another agent gets the task, and the record says why.
  const [taken] = dataOf(await peer.call('task_next_actions', { ...claim, claim_by: 'bob' })).actions;
  expect(taken.task.task_id).toBe(held.task.task_id);
  expect(new Ledger(place.db).ofKind('call.exit').at(-1)).toMatchObject({ expired: [{ task_id: 'T-0001' }] });
  expect(await verdict(place)).toMatchObject({ findings: [], unsigned: [{ authentic: true }] });
  expect((await peer.end()).code).toBe(0);
  expectKept(place, receipts);
  await expectQuiet(place, clock.env);
  clock.set(0);
  await ping(place);
  await expectQuiet(place);
});
