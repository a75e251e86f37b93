// Stores that nobody touched from outside, written by several processes at once, on one machine or two, some of them killed: no false alarm.
// Verify may say 10, with what can be counted in the store as the cause.
import { copyFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { counted } from '../support/counted.js';
import { type Random, randomFrom } from '../support/random.js';
import { falseAlarms } from '../support/stated-causes.js';
import { SHARINGS, type Sharing } from '../support/two-machines.js';
import { duringWork, type Event, makeStore, type Round } from './store-life.js';
import { reasonOf, verdictOf } from './verdicts.js';

const STORES = counted('healthy stores', 1_000);

const EVENTS: readonly Event[] = [
  'the key is lost',
  'contents are erased',
  'arguments are pruned',
  'a backup is put back',
];
const POLICIES = ['stored', 'stored', 'digest', 'none'];

const round = (random: Random, shared: Sharing | undefined): Round => {
  const processes = 2 + random.int(2);
  const env = { COLIBRI_AUDIT_PAYLOADS: random.pick(POLICIES) };
  return {
    processes,
    calls: 5 + random.int(40),
    killed: random.int(processes),
    env,
    ...(shared !== undefined && { shared }),
  };
};

/** Work, and for some stores something else that happens between two rounds of it. */
const lifeOf = (seed: number): (Round | Event)[] => {
  const random = randomFrom(seed);
  const shared = random.pick([undefined, ...SHARINGS]);
  const [first, second, third] = [round(random, shared), round(random, shared), round(random, shared)];
  if (random.chance(0.5)) return [first];
  return random.chance(0.4) ? [first, second] : [first, second, random.pick(EVENTS), third];
};

const faultOf = async (seed: number): Promise<string | undefined> => {
  const store = await makeStore(seed, lifeOf(seed));
  try {
    const verdict = await verdictOf(store.path, store);
    const alarms = falseAlarms(store.path, store, verdict);
    if (verdict.valid && verdict.complete && alarms.length === 0) return undefined;
    const kept = join(tmpdir(), `colibri-false-alarm-${seed}.db`);
    copyFileSync(store.path, kept);
    return `seed ${seed}: ${alarms.join('\n  ')} ${reasonOf(verdict)}\n  kept as ${kept}`;
  } finally {
    await store.remove();
  }
};

test(`${STORES.count} stores that nobody touched, no alarm`, { timeout: 60_000 + STORES.count * 20_000 }, async () => {
  const alarms: string[] = [];
  for (let i = 0; i < STORES.count; i++) {
    const fault = await faultOf(STORES.seed + i);
    if (fault !== undefined) {
      alarms.push(fault);
      process.stderr.write(`alarm: ${fault}\n`);
    }
    STORES.progress(i + 1);
  }
  expect(alarms).toEqual([]);
});

test('a store that is being written, no alarm', { timeout: 60_000 }, async () => {
  const alarms: string[] = [];
  const sizes = new Set<number>();
  await duringWork(STORES.seed, { processes: 3, calls: 60, killed: 1 }, async (store) => {
    const verdict = await verdictOf(store.path, store);
    sizes.add(verdict.record_count);
    if (!verdict.valid || !verdict.complete) alarms.push(reasonOf(verdict));
  });
  expect(alarms).toEqual([]);
  // It did grow under the eyes of the verification.
  expect(sizes.size).toBeGreaterThan(2);
});
