// Processes that die without a word. Whoever was told something is right; whoever was not finds an open call closed as
// interrupted, once and only for those who are dead.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Ledger, type Receipt, receiptOf } from '../ledger-check.js';
import { freshPlace, type Message, type Peer, type Place, serve, serveWithTools, session } from '../process.js';

const ping = (id: string): string =>
  `{"jsonrpc":"2.0","id":"${id}","method":"tools/call","params":{"name":"server_ping","arguments":{"id":"${id}"}}}`;

const receiptsOf = (messages: readonly Message[]): Receipt[] =>
  messages.map(receiptOf).filter((receipt) => receipt !== undefined);

/** Calls of the process that are not over. */
const openCallsOf = (ledger: Ledger, peer: Peer) => {
  const { instance } = ledger.bootOf(peer.pid);
  return ledger.pairs.filter(({ enter, exit }) => enter.body.instance === instance && exit === undefined);
};

const outcomesOf = (ledger: Ledger, peer: Peer): (string | undefined)[] => {
  const { instance } = ledger.bootOf(peer.pid);
  return ledger.pairs.filter(({ enter }) => enter.body.instance === instance).map(({ exit }) => exit?.body.outcome);
};

const started = async (place: Place, start: (place: Place) => Peer): Promise<Peer> => {
  const peer = start(place);
  await peer.initialize();
  await peer.phase2();
  return peer;
};

/** Keeps `width` pings in flight until the process is gone. */
const keepBusy = (peer: Peer, width: number): void => {
  let sent = 0;
  const more = async (): Promise<void> => {
    while (peer.isRunning) {
      const id = `p${sent++}`;
      const answer = peer.answer(id, 20_000);
      peer.send(ping(id));
      await answer;
    }
  };
  for (let n = 0; n < width; n++) more().catch(() => {});
};

test('killed under a flood of calls: every receipt stands, the rest is interrupted', async () => {
  const place = freshPlace();
  const peer = await started(place, serve);
  keepBusy(peer, 64);
  await sleep(400);
  await peer.kill('SIGKILL');
  const left = new Ledger(place.db);
  const receipts = receiptsOf(peer.messages);
  expect(receipts.length).toBeGreaterThan(100);
  for (const receipt of receipts) left.pairOf(receipt);
  const open = openCallsOf(left, peer).length;

  await session(place, async () => {});
  const ledger = new Ledger(place.db);
  expect(openCallsOf(ledger, peer)).toEqual([]);
  expect(outcomesOf(ledger, peer).filter((outcome) => outcome === 'interrupted')).toHaveLength(open);
  expect(ledger.ofKind('shutdown')).toHaveLength(1);
  for (const receipt of receipts) expect(ledger.pairOf(receipt).exit?.body.outcome).toBe('ok');
});

test('only the calls of the dead are closed: a living process keeps its own open', async () => {
  const place = freshPlace();
  const dead = await started(place, serveWithTools);
  const living = await started(place, serveWithTools);
  dead.send({
    jsonrpc: '2.0',
    id: 's',
    method: 'tools/call',
    params: { name: 'sleep_open', arguments: { ms: 60_000 } },
  });
  const slow = living.call('sleep_open', { ms: 2_000 });
  await sleep(200);
  await dead.kill('SIGKILL');
  living.kill('SIGSTOP'); // a process that stands still is alive
  await session(place, async () => {});
  const between = new Ledger(place.db);
  expect(outcomesOf(between, dead)).toEqual(['interrupted']);
  expect(outcomesOf(between, living)).toEqual([undefined]);
  living.kill('SIGCONT');
  const answer = await slow;
  await living.end();
  const ledger = new Ledger(place.db);
  expect(ledger.pairOf(receiptOf(answer)).exit?.body.outcome).toBe('ok');
  expect(outcomesOf(ledger, dead)).toEqual(['interrupted']);
});

test('a write that was killed in the middle happened whole or not at all', async () => {
  const place = freshPlace();
  const peer = await started(place, serveWithTools);
  const texts = Array.from({ length: 6_000 }, (_, n) => `t${n}`);
  for (const text of texts) {
    peer.send({
      jsonrpc: '2.0',
      id: text,
      method: 'tools/call',
      params: { name: 'scratch_write', arguments: { text } },
    });
  }
  await peer.until(() => peer.messages.length > 200);
  await peer.kill('SIGKILL');

  const again = await started(place, serveWithTools);
  const { texts: kept } = (await again.call('scratch_read', {})).result.structuredContent.data as { texts: string[] };
  await again.end();
  const ledger = new Ledger(place.db);
  const { instance } = ledger.bootOf(peer.pid);
  const writes = ledger.pairs.filter(({ enter }) => enter.body.instance === instance);
  const textOf = (json: string | null | undefined): string => (JSON.parse(json ?? '{}') as { text: string }).text;
  const done = writes.filter(({ exit }) => exit?.body.outcome === 'ok').map(({ enter }) => textOf(enter.payload?.json));
  expect(done).toEqual(kept);
  expect(writes.every(({ exit }) => ['ok', 'interrupted'].includes(exit?.body.outcome))).toBe(true);
  for (const receipt of receiptsOf(peer.messages)) ledger.pairOf(receipt);
});

test('twenty deaths at random moments, two processes at a time: the ledger stays sound', async () => {
  const place = freshPlace();
  const receipts: Receipt[] = [];
  const began = performance.now();
  for (let round = 0; round < 10 && performance.now() - began < 15_000; round++) {
    const pair = [serve(place), serve(place)];
    await Promise.all(
      pair.map(async (peer) => {
        // Some die before the store is open, some while the others migrate or sweep.
        if (round % 3 !== 0) await peer.initialize();
        keepBusy(peer, 16);
        await sleep(100 + Math.random() * 500);
        await peer.kill('SIGKILL');
        receipts.push(...receiptsOf(peer.messages));
      }),
    );
  }
  await session(place, async () => {});
  const ledger = new Ledger(place.db);
  expect(ledger.logs).toHaveLength(1);
  expect(receipts.length).toBeGreaterThan(0);
  for (const receipt of receipts) expect(ledger.pairOf(receipt).exit?.body.outcome).toBe('ok');
  expect(ledger.pairs.filter(({ exit }) => exit === undefined)).toEqual([]);
});
