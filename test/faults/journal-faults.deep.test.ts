// A store that takes no commits while the journal still takes intents: another process holds the write lock, or the disk is full. And clients that
// cancel a call at each step between its intent and its outcome. Answers are clear, nothing is lost, nothing is done twice, and after one failed commit
// no further effect happens without a record.
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { type Ledger, type Pair, type Receipt, receiptOf } from '../support/ledger-check.js';
import { eventually } from '../support/process-list.js';
import { freshPlace, type Message, type Peer, type Place, type SpawnChoice, serve } from '../support/serve.js';
import { untilHealthy } from '../support/switchboard-file.js';
import { effectsIn, expectSound, keyOf, PROXIED, withEffects } from './crash.shared.js';

const started = async (choice: SpawnChoice = {}): Promise<{ place: Place; peer: Peer }> => {
  const place = freshPlace();
  withEffects(place);
  const peer = serve(place, choice);
  await peer.initialize();
  await peer.phase2();
  await untilHealthy(peer, 'counts');
  return { place, peer };
};

/** Holds the write lock of the store until the returned function is called. */
const lockStore = ({ db }: Place): (() => void) => {
  const other = new Database(db, { timeout: 5_000 });
  other.exec('BEGIN IMMEDIATE');
  return () => {
    other.exec('ROLLBACK');
    other.close();
  };
};

/** What the refusal of a proxied call says. */
const sentenceOf = ({ result }: Message): string => (result?.isError === true ? result.content[0].text : '');

const pairOf = (ledger: Ledger, key: string): Pair[] =>
  ledger.pairs.filter(({ enter }) => enter.payload !== undefined && keyOf(enter.payload.json) === key);

const receiptsOf = (peer: Peer): Receipt[] =>
  peer.messages
    .filter(({ result }) => result?.isError !== true)
    .map(receiptOf)
    .filter((receipt) => receipt !== undefined);

test('another process holds the write lock for longer than we wait: one effect without a receipt, then none', async () => {
  const { place, peer } = await started();
  const call = (key: string, tool = PROXIED) => peer.call(tool, { key }, 20_000);
  expect(receiptOf(await call('before'))).toBeDefined();
  const release = lockStore(place);
  const held = await call('held');
  expect(held.result.content[0].text).toBe('counted');
  expect(receiptOf(held)).toBeUndefined();
  const refused = await Promise.all([call('refused 1'), call('refused 2')]);
  for (const answer of refused) expect(sentenceOf(answer)).toMatch(/^another process holds the store .* Try again/);
  expect((await call('vital', 'server_ping')).result.structuredContent.ok).toBe(true);
  expect(effectsIn(place)).toEqual(['before', 'held']);
  release();
  expect(receiptOf(await call('after'))).toBeDefined();
  const receipts = receiptsOf(peer);
  expect((await peer.end()).code).toBe(0);
  expect(effectsIn(place)).toEqual(['before', 'held', 'after']);
  const ledger = await expectSound(place, receipts);
  expect(
    pairOf(ledger, 'held').map(({ enter, exit }) => [enter.body.late, exit?.body.outcome, exit?.body.late]),
  ).toEqual([[undefined, 'ok', true]]);
  for (const key of ['refused 1', 'refused 2'])
    expect(
      pairOf(ledger, key).map(({ enter, exit }) => [enter.body.late, exit?.body.outcome, exit?.body.code]),
    ).toEqual([[true, 'failed', 'AUDIT_ENTER_FAILED']]);
  expect(pairOf(ledger, 'vital')).toHaveLength(1);
}, 90_000);

test('killed while its commits fail: the effect that had no record is recovered, and nothing else', async () => {
  const { place, peer } = await started();
  await peer.call(PROXIED, { key: 'before' });
  const release = lockStore(place);
  await peer.call(PROXIED, { key: 'held' }, 20_000);
  await peer.call(PROXIED, { key: 'refused' }, 20_000);
  const receipts = receiptsOf(peer);
  await peer.kill('SIGKILL');
  release();
  const ledger = await expectSound(place, receipts);
  expect(pairOf(ledger, 'held').map(({ exit }) => exit?.body)).toMatchObject([
    { outcome: 'interrupted', recovered: true },
  ]);
  expect(pairOf(ledger, 'refused')).toEqual([]); // it did not run, and was told so
  expect(effectsIn(place)).toEqual(['before', 'held']);
}, 90_000);

test('ended well while its commits fail: the effect that had no record is recovered at the next start', async () => {
  const { place, peer } = await started();
  await peer.call(PROXIED, { key: 'before' });
  const release = lockStore(place);
  await peer.call(PROXIED, { key: 'held' }, 20_000);
  const receipts = receiptsOf(peer);
  await peer.end();
  release();
  const ledger = await expectSound(place, receipts);
  expect(pairOf(ledger, 'held').map(({ exit }) => exit?.body)).toMatchObject([
    { outcome: 'interrupted', recovered: true },
  ]);
}, 120_000);

/** No file may become larger: the journal, of 1 MiB, fits in any case. */
const FILE_KIB = [1040, 1044, 1048, 1052];
const LONG = 'x'.repeat(20_000);

const fillUp = async (fileKiB: number): Promise<void> => {
  const { place, peer } = await started({ fileKiB });
  const ends: ('receipt' | 'no receipt' | 'refused')[] = [];
  while (ends.filter((end) => end !== 'receipt').length < 6 && ends.length < 200) {
    const answer = await peer.call(PROXIED, { key: `${ends.length}`, text: LONG }, 20_000);
    if (answer.result.isError === true) expect(sentenceOf(answer)).toMatch(/^the disk (is full|failed) /);
    ends.push(answer.result.isError === true ? 'refused' : receiptOf(answer) === undefined ? 'no receipt' : 'receipt');
  }
  // After a commit that failed, nothing happens before one has succeeded.
  expect(ends).toContain('refused');
  const done = ends.flatMap((end, i) => (end === 'refused' ? [] : [`${i}`]));
  expect(effectsIn(place)).toEqual(done);
  const receipts = receiptsOf(peer);
  expect((await peer.end()).code).toBe(0);
  const ledger = await expectSound(place, receipts);
  for (const key of done) expect(pairOf(ledger, key)).toHaveLength(1);
  // Where there was room for an intent and none for its outcome, two calls in a row have no receipt: the second one's intent was committed alone.
  for (const [i, end] of ends.entries()) {
    if (end !== 'no receipt' || ends[i - 1] !== 'no receipt') continue;
    const [pair] = pairOf(ledger, `${i}`);
    expect(Number(pair?.exit?.body.seq)).toBeGreaterThan(Number(pair?.enter.body.seq) + 1);
  }
};

test('a full disk: after one commit that failed no server gets a call, and every effect is on record in the end', async () => {
  await Promise.all(FILE_KIB.map(fillUp));
}, 120_000);

const request = (id: string, name: string, args: Message): object => ({
  ...{ jsonrpc: '2.0', id, method: 'tools/call' },
  params: { name, arguments: args },
});
const cancelOf = (requestId: string): object => ({
  ...{ jsonrpc: '2.0', method: 'notifications/cancelled' },
  params: { requestId },
});

const KINDS: Readonly<Record<string, readonly [tool: string, args: (key: string) => Message]>> = {
  'own read': ['server_ping', (key) => ({ key })],
  'own write': ['task_create', (key) => ({ title: key, idempotency_key: key })],
  'proxied call': [PROXIED, (key) => ({ key })],
};

const outcomesOf = (ledger: Ledger, key: string): string[] =>
  ledger.pairs
    .filter(({ enter }) => (enter.payload?.json ?? '').includes(`"${key}"`))
    .map(({ exit }) => String(exit?.body.outcome));

describe.each(Object.entries(KINDS))('a client cancels: %s', (_, [tool, args]) => {
  test('in the same chunk, at once afterwards, and after the answer', async () => {
    const { place, peer } = await started();
    const text = (message: object): string => `${JSON.stringify(message)}\n`;
    peer.write(text(request('chunk', tool, args('chunk'))) + text(cancelOf('chunk')));
    peer.send(request('next', tool, args('next')));
    await sleep(0);
    peer.send(cancelOf('next'));
    await peer.call(tool, args('whole'));
    peer.send(cancelOf('3'));
    await peer.call(tool, args('last'));
    const receipts = receiptsOf(peer);
    const ids = peer.messages.map(({ id }) => id).filter((id) => id !== undefined);
    expect(ids).toHaveLength(new Set(ids).size);
    expect((await peer.end()).code).toBe(0);
    const ledger = await expectSound(place, receipts);
    for (const key of ['chunk', 'next', 'whole', 'last']) {
      const outcomes = outcomesOf(ledger, key);
      expect(outcomes, key).toHaveLength(1);
      expect(['ok', 'cancelled'], key).toContain(outcomes[0]);
    }
    expect(outcomesOf(ledger, 'last')).toEqual(['ok']);
  });

  test('while another process holds the write lock, so that the outcome waits', async () => {
    const { place, peer } = await started();
    await peer.call(tool, args('before'));
    const release = lockStore(place);
    peer.send(request('held', tool, args('held')));
    await sleep(300);
    peer.send(cancelOf('held'));
    await sleep(300);
    release();
    await eventually('the outcome is on record', async () => {
      await peer.call('server_ping', {});
      return true;
    });
    const receipts = receiptsOf(peer);
    expect((await peer.end()).code).toBe(0);
    const ledger = await expectSound(place, receipts);
    const outcomes = outcomesOf(ledger, 'held');
    expect(outcomes).toHaveLength(1);
    expect(['ok', 'cancelled']).toContain(outcomes[0]);
  });
});

test('a client cancels while the server works, before and after the intent was committed by itself', async () => {
  const { place, peer } = await started();
  await peer.call(PROXIED, { key: 'before' });
  for (const [key, waitMs] of [
    ['young', 3],
    ['old', 150],
  ] as const) {
    peer.send(request(key, PROXIED, { key, ms: 2_000 }));
    await sleep(waitMs);
    peer.send(cancelOf(key));
  }
  await peer.call(PROXIED, { key: 'after' });
  const receipts = receiptsOf(peer);
  expect(peer.messages.some(({ id }) => id === 'young' || id === 'old')).toBe(false);
  expect((await peer.end()).code).toBe(0);
  const ledger = await expectSound(place, receipts);
  expect(['young', 'old'].map((key) => outcomesOf(ledger, key))).toEqual([['cancelled'], ['cancelled']]);
});
