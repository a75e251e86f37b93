// `kill -9` under load: one process or four on one store, own and proxied calls, both durabilities, clients of both protocol eras. After each round a next
// process starts, and the store is sound: nothing acknowledged is lost, nothing happened without an intent, every intent has one outcome.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { counted } from '../support/counted.js';
import { type Receipt, receiptOf } from '../support/ledger-check.js';
import { type Random, randomFrom } from '../support/random.js';
import { freshPlace, type Message, modernMeta, type Peer, type Place, serve } from '../support/serve.js';
import { untilHealthy } from '../support/switchboard-file.js';
import { effectsIn, expectSound, PROXIED, withEffects } from './crash.shared.js';

const ROUNDS = counted('rounds of kill -9 under load', 300);

/** A store lives for so many rounds. */
const PER_STORE = 5;
const IN_FLIGHT = 8;
const LONGEST_WORK_MS = 300;

const figures = { kills: 0, acknowledged: 0, effects: 0, recovered: 0, interrupted: 0 };

const ERAS = ['old', 'new'] as const;
type Era = (typeof ERAS)[number];

const CALLS: readonly ((key: string, random: Random) => readonly [tool: string, args: Message])[] = [
  (key) => ['server_ping', { key }],
  (key) => ['task_create', { title: key, idempotency_key: key }],
  (key) => [PROXIED, { key }],
  (key, random) => [PROXIED, { key, ms: random.int(60) }],
];

/** Keeps calls in flight until the process is gone. */
const keepCalling = (peer: Peer, era: Era, name: string, random: Random): void => {
  let sent = 0;
  const more = async (): Promise<void> => {
    while (peer.isRunning) {
      const id = `${name}-${sent++}`;
      const [tool, args] = random.pick(CALLS)(id, random);
      const answer = peer.answer(id, 10_000);
      const _meta = era === 'new' ? { _meta: modernMeta('load') } : {};
      peer.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: tool, arguments: args, ..._meta } });
      await answer;
    }
  };
  for (let n = 0; n < IN_FLIGHT; n++) more().catch(() => {});
};

const receiptsOf = (messages: readonly Message[]): Receipt[] =>
  messages
    .filter(({ result }) => result !== undefined && result.isError !== true) // a call before the servers' lists are known is rejected
    .map(receiptOf)
    .filter((receipt) => receipt !== undefined);

/** Starts processes, loads them and kills all of them, at moments of their own. Returns the receipts of calls that succeeded. */
const playRound = async (place: Place, random: Random, round: string): Promise<Receipt[]> => {
  const peers = Array.from({ length: random.pick([1, 4]) }, () => ({
    peer: serve(place, { env: { COLIBRI_DURABILITY: random.pick(['normal', 'full']) } }),
    era: random.pick<Era>(ERAS),
    own: randomFrom(random.int(2 ** 32)),
  }));
  const lives = peers.map(async ({ peer, era, own }, i) => {
    if (era === 'old') await peer.initialize();
    // Some die while the store is opened, the most in the middle of their work.
    if (i === 0 || own.chance(0.7)) await untilHealthy(peer, 'counts');
    keepCalling(peer, era, `${round}-${i}`, own);
    if (i === 0 || own.chance(0.7)) await peer.until(() => receiptsOf(peer.messages).length > 0);
    await sleep(own.int(LONGEST_WORK_MS));
    await peer.kill('SIGKILL');
    figures.kills += 1;
    return receiptsOf(peer.messages);
  });
  return (await Promise.all(lives)).flat();
};

const livesOf = async (seed: number, rounds: number, done: (n: number) => void): Promise<void> => {
  const random = randomFrom(seed);
  const cleaners: (() => Promise<void>)[] = [];
  const place = freshPlace((clean) => void cleaners.push(clean));
  withEffects(place);
  const receipts: Receipt[] = [];
  try {
    for (let n = 0; n < rounds; n++) {
      receipts.push(...(await playRound(place, random, `${seed}-${n}`)));
      const ledger = await expectSound(place, receipts);
      done(n);
      if (n < rounds - 1) continue;
      const closed = ledger.pairs.filter(({ exit }) => exit?.body.outcome === 'interrupted');
      const recovered = closed.filter(({ enter }) => enter.body.recovered === true).length;
      figures.recovered += recovered;
      figures.interrupted += closed.length - recovered;
      figures.effects += effectsIn(place).length;
      figures.acknowledged += receipts.length;
    }
  } finally {
    for (const clean of cleaners) await clean();
  }
};

test(`${ROUNDS.count} rounds of kill -9 under load`, { timeout: 60_000 + ROUNDS.count * 15_000 }, async () => {
  for (let at = 0; at < ROUNDS.count; at += PER_STORE) {
    const rounds = Math.min(PER_STORE, ROUNDS.count - at);
    await livesOf(ROUNDS.seed + at, rounds, (n) => ROUNDS.progress(at + n + 1)).catch((thrown: Error) => {
      throw new Error(`seed ${ROUNDS.seed + at}: ${thrown.message}`, { cause: thrown });
    });
  }
  process.stderr.write(`${JSON.stringify(figures)}\n`);
  expect(figures.kills).toBeGreaterThanOrEqual(ROUNDS.count);
  expect(figures.recovered).toBeGreaterThan(0);
  expect(figures.effects).toBeGreaterThan(0);
});
