// Days on which nobody did anything wrong: clocks that jump, processes that stand still, a lost key, settings that differ. Nothing is lost,
// and start, verify, status and doctor say what is true.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { colibri, dataOf, keysDir } from '../support/command-line.js';
import { Ledger, type Receipt, receiptOf } from '../support/ledger-check.js';
import { eventually } from '../support/process-list.js';
import {
  type Environment,
  freshPlace,
  type Peer,
  type Place,
  serve,
  serveWithTools,
  session,
} from '../support/serve.js';
import { otherMachineOf } from '../support/two-machines.js';
import { change, expectHealthy, logsOf, onHost, ping, verdict } from './stores.js';

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

const started = async (place: Place, env: Environment = {}, start = serve): Promise<Peer> => {
  const peer = start(place, { env });
  await peer.initialize();
  await peer.phase2();
  return peer;
};

/** A call that must be acknowledged. */
const acknowledged = async (peer: Peer, tool: string, args: object): Promise<Receipt> => {
  const answer = await peer.call(tool, args);
  const receipt = receiptOf(answer);
  if (receipt === undefined) throw new Error(`no receipt: ${JSON.stringify(answer)}`);
  return receipt;
};

const expectKept = ({ db }: Place, receipts: readonly Receipt[]): void => {
  const ledger = new Ledger(db);
  for (const receipt of receipts) expect(ledger.pairOf(receipt).exit?.body.outcome).toBe('ok');
};

/** Expects that nothing is wrong, and that doctor and status see no more than verify. */
const expectQuiet = async (place: Place, env: Environment = {}): Promise<void> => {
  await expectHealthy(place);
  expect((await colibri(place, ['doctor'], { env })).stdout).toContain('0 problems');
  const status = await colibri(place, ['status'], { env });
  expect(status).toMatchObject({ code: 0, stdout: expect.not.stringMatching(/was here|IS GONE|copy|older than/) });
};

test('a process that stands still for ten minutes between intent and outcome is alive, and its call ends well', async () => {
  const place = freshPlace();
  const clock = clocksOf(place);
  const still = await started(place, clock.env, (at, { env } = {}) => serveWithTools(at, env));
  const slow = still.call('sleep_open', { ms: 1_000 });
  await eventually('the call has begun', () => new Ledger(place.db).pairs.length === 1);
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

test('another durability in every run, and in two processes at once', async () => {
  const place = freshPlace();
  const receipts: Receipt[] = [];
  const durability = (value: string): Environment => ({ COLIBRI_DURABILITY: value });
  const work = async (peer: Peer): Promise<void> => {
    for (let n = 0; n < 20; n++) receipts.push(await acknowledged(peer, 'task_create', { title: `task ${n}` }));
  };
  for (const value of ['normal', 'full', 'normal']) await session(place, work, { env: durability(value) });
  const peers = await Promise.all(['full', 'normal'].map((value) => started(place, durability(value))));
  await Promise.all(peers.map(work));
  await peers[0]?.kill('SIGKILL');
  await peers[1]?.end();
  expectKept(place, receipts);
  expect(receipts).toHaveLength(100);
  await expectQuiet(place);
});

test('the key is gone, with records that it has not signed', async () => {
  const place = freshPlace();
  await ping(place);
  const peer = await started(place);
  const receipts = [await acknowledged(peer, 'task_create', { title: 'one' })];
  const signed = new Ledger(place.db).ofKind('shutdown').at(-1)?.seq + 1;
  await peer.kill('SIGKILL');
  const [{ log_id: log, size } = { log_id: '', size: 0 }] = logsOf(place);
  const tail = size - signed;
  fs.renameSync(keysDir(place), join(place.dir, 'away'));
  expect(await verdict(place)).toMatchObject({ exit: 10, missing: [{ kind: 'unsigned', count: tail }] });
  expect((await colibri(place, ['doctor'])).stdout).toMatch(/(problem|warning) +key/);
  const { peer: next } = await ping(place);
  expect(next.stderr).not.toContain('phase 2 failed');
  const told = await verdict(place);
  const message = `The key of log ${log} was lost: its last ${tail} records are not signed.`;
  expect(told).toMatchObject({ exit: 10, findings: [], missing: [{ kind: 'lost key', message }] });
  // It comes back too late: the log that took over goes on.
  fs.renameSync(join(place.dir, 'away', log), join(keysDir(place), log));
  await ping(place);
  expect(await verdict(place)).toMatchObject({ exit: 10, findings: [], missing: [{ kind: 'lost key', message }] });
  expectKept(place, receipts);
});

test('a key that is gone after a clean end leaves nothing unsigned', async () => {
  const place = freshPlace();
  await ping(place);
  fs.rmSync(keysDir(place), { recursive: true });
  await ping(place);
  const { missing } = await verdict(place);
  expect(missing).toMatchObject([{ kind: 'lost key', message: expect.stringMatching(/all its records are signed/) }]);
});

test('a machine with a home of its own that never comes back: the others go on, and its tail is counted', async () => {
  const place = freshPlace();
  await ping(place);
  const lost = otherMachineOf(place, 'the heads');
  await ping(place, lost);
  const peer = await started(place, lost.env);
  const receipts = [await acknowledged(peer, 'task_create', { title: 'one' })];
  await peer.kill('SIGKILL');
  const log = receipts[0]?.log ?? '';
  const signed = Math.max(...fs.readdirSync(join(lost.headsDir, log)).map(Number).filter(Number.isInteger));
  const tail = (logsOf(place).find(({ log_id }) => log_id === log)?.size ?? 0) - signed;
  for (let n = 0; n < 2; n++) await ping(place);
  const told = await verdict(place);
  expect(told).toMatchObject({ exit: 10, findings: [], missing: [{ kind: 'unsigned', count: tail }] });
  expect(told.missing[0].message).toContain(`Log ${log} has ${tail} records after the newest signature`);
  expect((await colibri(place, ['doctor'])).stdout).toContain('0 problems');
  expectKept(place, receipts);
});

test('a process whose store a newer Colibri migrated writes nothing more, and says so', async () => {
  const place = freshPlace();
  const older = await started(place);
  const receipts = [await acknowledged(older, 'task_create', { title: 'one' })];
  change(place, (db) => db.exec('UPDATE logs SET format = 999; PRAGMA user_version = 999'));
  const before = new Ledger(place.db).records.length;
  for (const [tool, args] of [
    ['task_create', { title: 'two' }],
    ['task_list', {}],
    ['thought_record', { type: 'plan', content: 'late' }],
  ] as const) {
    expect(JSON.stringify(await older.call(tool, args))).toContain('STORE_UPGRADED');
  }
  expect(receiptOf(await older.call('server_ping', {}))).toBeUndefined();
  expect((await older.end()).code).toBe(0);
  expect(new Ledger(place.db).records).toHaveLength(before);
  expectKept(place, receipts);
});
