// Days on which nobody did anything wrong: a lost key, settings that differ, a machine that is gone, a backup, a newer version. Nothing is lost,
// and start, verify, status and doctor say what is true.
import * as fs from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { colibri, copyStore, headFiles, json, keysDir, replaceStore } from '../support/command-line.js';
import { Ledger, type Receipt, receiptOf } from '../support/ledger-check.js';
import { eventually } from '../support/process-list.js';
import { type Environment, freshPlace, type Peer, session } from '../support/serve.js';
import { otherMachineOf } from '../support/two-machines.js';
import { acknowledged, expectKept, expectQuiet, started, startedWithTools } from './bad-days.shared.js';
import { bodiesOf, change, copyFiles, logsOf, ping, refusal, verdict } from './stores.js';

// Each starts many processes, one after the other.
vi.setConfig({ testTimeout: 180_000 });

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
  const message = `The key of log ${log} was lost: the last ${tail} records are not signed.`;
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
  expect(missing).toMatchObject([
    { kind: 'lost key', message: expect.stringMatching(/all records of that log are signed/) },
  ]);
});

test('a machine that never comes back: the others go on, and what it left is counted', async () => {
  const place = freshPlace();
  await ping(place);
  const lost = otherMachineOf(place, 'the heads');
  await ping(place, lost);
  const peer = await startedWithTools(place, lost.env);
  const receipts = [await acknowledged(peer, 'task_create', { title: 'one' })];
  void peer.call('sleep_open', { ms: 60_000 }).catch(() => {});
  await eventually('the call has begun', () => bodiesOf(place).at(-1)?.tool === 'sleep_open');
  await peer.kill('SIGKILL');
  const log = receipts[0]?.log ?? '';
  const signed = Math.max(...headFiles(place, log).map((file) => Number(basename(file))));
  const tail = (logsOf(place).find(({ log_id }) => log_id === log)?.size ?? 0) - signed;
  for (let n = 0; n < 2; n++) await ping(place);
  const told = await verdict(place);
  expect(told).toMatchObject({ exit: 10, findings: [] });
  expect(told.missing).toMatchObject([
    { kind: 'open calls', count: 1 },
    { kind: 'unsigned', count: tail, message: expect.stringContaining(`Log ${log} has ${tail} records after`) },
  ]);
  const doctor = await colibri(place, ['doctor']);
  expect(doctor.stdout).toMatch(/warning +processes +1 process of elsewhere\/\S+ died .*at least 1 call is open/);
  expect(doctor.stdout).toContain('A running server of that machine and user closes these calls');
  expect(doctor.stdout).toContain('0 problems');
  const status = (await colibri(place, ['status'])).stdout.replaceAll(/\s+/g, ' ');
  expect(status).toContain('1 call open: the next server of the same machine and user closes it');
  expectKept(place, receipts);
});

test('a backup of a store of two machines is put back: restore shows what both lost before a person accepts it', async () => {
  const place = freshPlace();
  const other = otherMachineOf(place, 'the heads');
  const both = async (): Promise<void> => {
    await ping(place);
    await ping(place, other);
  };
  await both();
  const [copy, before] = [copyStore(place), logsOf(place)];
  await both();
  const after = logsOf(place);
  replaceStore(place, copy);
  const losses = before.map(({ log_id: log, size }, i) => {
    const known_size = after[i]?.size ?? 0;
    return { log, size, known_size, lost: known_size - size };
  });
  const shown = await colibri(place, ['restore']);
  for (const { log, lost } of losses) {
    expect(shown.stdout).toMatch(new RegExp(`log +${log}[^]*missing ${lost} records`));
  }
  const [first, second] = losses;
  expect(json(await colibri(place, ['restore', '--json']))).toMatchObject({ ...first, others: [second] });
  const accepted = json(await colibri(place, ['accept-loss', 'a test', '--yes', '--json']));
  expect(accepted.lost).toBe((first?.lost ?? 0) + (second?.lost ?? 0));
  await both();
  const { exit, findings, missing } = await verdict(place);
  expect({ exit, findings }).toEqual({ exit: 10, findings: [] });
  const restored = missing.filter(({ kind }: { kind: string }) => kind === 'restore');
  expect(restored.map(({ count }: { count: number }) => count)).toEqual(losses.map(({ lost }) => lost));
});

test('a copy that another machine with the same heads has used: each lacks what the other signed, and a person decides', async () => {
  const place = freshPlace();
  await ping(place);
  const copy = copyFiles(place, join(place.dir, 'there', 'colibri.db'));
  const there = otherMachineOf(place, 'the heads');
  await ping(copy, there);
  expect(await verdict(copy, [], there)).toMatchObject({ exit: 0 });
  expect(await refusal(place)).toMatchObject({ code: 'STORE_ROLLED_BACK' });
  expect(await colibri(place, ['accept-loss', 'a copy', '--yes'])).toMatchObject({ code: 0 });
  await ping(place);
  expect(await verdict(place)).toMatchObject({ exit: 10, findings: [], missing: [{ kind: 'missing log' }] });
  const { exit, findings } = await verdict(copy, [], there);
  expect({ exit, kinds: [...new Set(findings.map(({ kind }: { kind: string }) => kind))] }).toEqual({
    exit: 20,
    kinds: ['head'],
  });
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
