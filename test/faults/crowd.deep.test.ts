// Many processes on one file from its first moment on: they race for the schema, the key and the head.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Ledger, type Receipt, receiptOf } from '../support/ledger-check.js';
import { freshPlace, type Peer, serve } from '../support/serve.js';

const PROCESSES = 4;
const CALLS = 300;
const IN_FLIGHT = 64;

const callMany = async (peer: Peer, who: number): Promise<(Receipt | undefined)[]> => {
  const receipts: (Receipt | undefined)[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < CALLS) {
      const receipt = receiptOf(await peer.call('server_ping', { who, n: next++ }, 20_000));
      receipts.push(receipt);
      // On a slow machine the ledger falls behind the pings: then they come more slowly.
      if (receipt === undefined) await sleep(Math.random() * 2_000);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  return receipts;
};

test('four processes at once on a fresh path: one log, dense, whole, every receipt in it', async () => {
  const place = freshPlace();
  const peers = Array.from({ length: PROCESSES }, () => serve(place));
  const answered = await Promise.all(
    peers.map(async (peer, who) => {
      await peer.initialize(`client-${who}`);
      await peer.phase2(20_000);
      return callMany(peer, who);
    }),
  );
  const ended = await Promise.all(peers.map((peer) => peer.end()));
  expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0]);

  const ledger = new Ledger(place.db);
  expect(ledger.logs).toHaveLength(1);
  expect(fs.readdirSync(join(place.home, 'state', 'colibri', 'keys'))).toEqual([ledger.logs[0]?.log_id]);
  // Each step once, whoever of the four took it.
  const steps = ledger.ofKind('migrate').map(({ from, to }) => [from, to]);
  expect(steps).toEqual(steps.map((_, n) => [n, n + 1]));
  expect(ledger.ofKind('boot')).toHaveLength(PROCESSES);
  expect(ledger.ofKind('shutdown')).toHaveLength(PROCESSES);
  expect(ledger.ofKind('gap')).toEqual([]);

  expect(ledger.pairs).toHaveLength(PROCESSES * CALLS);
  expect(ledger.pairs.every(({ exit }) => exit?.body.outcome === 'ok')).toBe(true);
  const sent = ledger.pairs.map(({ enter }) => enter.payload?.json).sort();
  const wanted = peers.flatMap((_, who) => Array.from({ length: CALLS }, (_, n) => `{"n":${n},"who":${who}}`)).sort();
  expect(sent).toEqual(wanted);

  const seen = new Set<number>();
  for (const [who, receipts] of answered.entries()) {
    const { instance } = ledger.bootOf(peers[who]?.pid ?? 0);
    for (const receipt of receipts) {
      if (receipt === undefined) continue; // the ledger took longer than a ping waits; its pair is late
      const { enter } = ledger.pairOf(receipt);
      expect(enter.body).toMatchObject({ instance, client: { name: `client-${who}` } });
      seen.add(receipt.seq);
    }
  }
  const withReceipt = answered.flat().filter((receipt) => receipt !== undefined);
  expect(seen.size).toBe(withReceipt.length);
  expect(withReceipt.length).toBeGreaterThan((PROCESSES * CALLS) / 2);
  const late = ledger.pairs.filter(({ exit }) => exit?.body.late);
  expect(late).toHaveLength(PROCESSES * CALLS - withReceipt.length);
});
