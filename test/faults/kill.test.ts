// Processes that die without a word. Whoever was told something is right; whoever was not finds an open call closed as
// interrupted, once and only for those who are dead.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Ledger } from '../support/ledger-check.js';
import { freshPlace, type Peer, serve, serveWithTools, session } from '../support/serve.js';
import { keepBusy, outcomesOf, receiptsOf, started } from './kill.shared.js';

/** Calls of the process that are not over. */
const openCallsOf = (ledger: Ledger, peer: Peer) => {
  const { instance } = ledger.bootOf(peer.pid);
  return ledger.pairs.filter(({ enter, exit }) => enter.body.instance === instance && exit === undefined);
};

test('killed under a flood of calls: every receipt stands, the rest is interrupted', async () => {
  const place = freshPlace();
  const peer = await started(place, serve);
  keepBusy(peer, 64);
  await sleep(400);
  await peer.until(() => receiptsOf(peer.messages).length > 100); // on a slow machine it takes longer
  await peer.kill('SIGKILL');
  const left = new Ledger(place.db);
  const receipts = receiptsOf(peer.messages);
  expect(receipts.length).toBeGreaterThan(100);
  for (const receipt of receipts) left.pairOf(receipt);
  const open = openCallsOf(left, peer).length;

  await session(place, async () => {});
  const ledger = new Ledger(place.db);
  expect(openCallsOf(ledger, peer)).toEqual([]);
  // Calls that had begun are in the ledger or in the journal; the journal's are recovered.
  const recovered = ledger.pairs.filter(({ enter }) => enter.body.recovered === true);
  for (const { exit } of recovered) expect(exit?.body).toMatchObject({ outcome: 'interrupted', recovered: true });
  expect(outcomesOf(ledger, peer).filter((outcome) => outcome === 'interrupted')).toHaveLength(open + recovered.length);
  expect(recovered.length).toBeLessThanOrEqual(64);
  expect(ledger.ofKind('shutdown')).toHaveLength(1);
  for (const receipt of receipts) expect(ledger.pairOf(receipt).exit?.body.outcome).toBe('ok');
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
