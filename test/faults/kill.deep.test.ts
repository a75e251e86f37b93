// Processes that die without a word. Whoever was told something is right; whoever was not finds an open call closed as
// interrupted, once and only for those who are dead.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Ledger, type Receipt, receiptOf } from '../support/ledger-check.js';
import { eventually } from '../support/process-list.js';
import { freshPlace, type Peer, serve, serveWithTools, session } from '../support/serve.js';
import { keepBusy, outcomesOf, receiptsOf, started } from './kill.shared.js';

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
  const slow = living.call('sleep_open', { ms: 3_000 });
  const begun = (peer: Peer): boolean => outcomesOf(new Ledger(place.db), peer).length === 1;
  await eventually('both calls have begun', () => begun(dead) && begun(living));
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
        // And some in the middle of their work, however slow the machine is.
        if (round % 3 === 1) await peer.until(() => receiptsOf(peer.messages).length > 0);
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
