// Two machines on one store, with one or two processes each, which are killed at random moments under load. Nothing that a client got a
// receipt for is lost, verify gives no alarm, and every tail without a signature is counted right, with keys and without them.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { verifyStore } from '../../src/verify/verify.js';
import { counted } from '../support/counted.js';
import { Ledger, type Receipt, receiptOf } from '../support/ledger-check.js';
import { eventually } from '../support/process-list.js';
import { type Random, randomFrom } from '../support/random.js';
import {
  type AnyClient,
  CLIENT_KINDS,
  connect,
  freshPlace,
  gone,
  type Message,
  type Place,
  session,
} from '../support/serve.js';
import { type Custody, falseAlarms, tailsIn } from '../support/stated-causes.js';
import { otherMachineOf, SHARINGS, type Sharing, type TestMachine, thisMachineOf } from '../support/two-machines.js';

const ROUNDS = counted('rounds of deaths on two machines', 200);

/** A store lives for so many rounds. */
const PER_STORE = 4;
const IN_FLIGHT = 8;
const LONGEST_WORK_MS = 600;

const figures = { acknowledged: 0, kills: 0, unanswered: 0, verdicts: 0, tails: 0, tailRecords: 0 };

const CALLS: readonly ((n: number) => readonly [tool: string, args: Message])[] = [
  (n) => ['server_ping', { n }],
  (n) => ['task_create', { title: `task ${n}` }],
  (n) => ['thought_record', { type: 'plan', content: `thought ${n}` }],
  () => ['task_next_actions', { claim_by: 'ann', lease_minutes: 5 }],
];

interface Work {
  readonly receipts: Receipt[];
  isOver: boolean;
}

/** Keeps calls in flight until the process is gone or the work is over; keeps the receipts that come. */
const keepCalling = async (client: AnyClient, random: Random, work: Work): Promise<void> => {
  const more = async (): Promise<void> => {
    for (let n = 0; !work.isOver; n++) {
      const receipt = receiptOf(await client.callTool(...random.pick(CALLS)(n)));
      if (receipt !== undefined) work.receipts.push(receipt);
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: IN_FLIGHT }, more));
  figures.unanswered += ends.filter(({ status }) => status === 'rejected').length;
};

/** One process: it is killed in the middle of its work, or ends well. */
const liveAndEnd = async (
  place: Place,
  { env }: TestMachine,
  random: Random,
  isKilled: boolean,
): Promise<Receipt[]> => {
  const client = await connect(place, random.pick(CLIENT_KINDS), env);
  const work: Work = { receipts: [], isOver: false };
  const calling = keepCalling(client, random, work);
  // Some die while the store is opened, most in the middle of their work, however slow the machine is.
  if (random.chance(0.8)) await eventually('a first answer', () => work.receipts.length > 0);
  await sleep(random.int(LONGEST_WORK_MS));
  if (isKilled) {
    process.kill(client.pid, 'SIGKILL');
    figures.kills += 1;
    await gone(client.pid);
  }
  work.isOver = true;
  await calling;
  await client.close();
  return work.receipts;
};

interface Life {
  readonly place: Place;
  readonly machines: readonly TestMachine[];
  readonly receipts: Receipt[];
}

const verdictFor = async (
  { place, receipts }: Life,
  host: string,
  { keysDir, headsDir }: Custody,
): Promise<string[]> => {
  const keys = keysDir === undefined ? {} : { keys: { dir: keysDir } };
  const choice = { path: place.db, scope: { kind: 'store' }, workers: 0 } as const;
  const verdict = await verifyStore({ ...choice, headsDir, host, receipts, ...keys });
  figures.verdicts += 1;
  return falseAlarms(place.db, { keysDir, headsDir }, verdict);
};

/** What a round left, as each machine and somebody without any key see it. */
const alarmsOf = async (life: Life): Promise<string[]> => {
  const alarms: string[] = [];
  for (const { host, ...custody } of life.machines) alarms.push(...(await verdictFor(life, host, custody)));
  const [{ host, headsDir } = { host: '', headsDir: '' }] = life.machines;
  alarms.push(...(await verdictFor(life, host, { keysDir: undefined, headsDir })));
  const { tails, records } = tailsIn(life.place.db);
  figures.tails += tails;
  figures.tailRecords += records;
  return alarms;
};

const playRound = async ({ place, machines, receipts }: Life, random: Random): Promise<void> => {
  const processes = machines.flatMap((machine) => Array.from({ length: 1 + random.int(2) }, () => machine));
  const first = random.int(processes.length);
  const lives = processes.map((machine, i) =>
    liveAndEnd(place, machine, randomFrom(random.int(2 ** 32)), i === first || random.chance(0.6)),
  );
  for (const list of await Promise.all(lives)) receipts.push(...list);
};

/** Both machines come back: every call has an outcome, and every log is signed to its end. */
const expectRecovered = async ({ place, machines, receipts }: Life): Promise<void> => {
  for (const { env } of machines) await session(place, async () => {}, { env });
  const ledger = new Ledger(place.db);
  expect(ledger.pairs.filter(({ exit }) => exit === undefined)).toEqual([]);
  for (const receipt of receipts) expect(ledger.pairOf(receipt).exit?.body.outcome).toBe('ok');
  expect(tailsIn(place.db)).toEqual({ tails: 0, records: 0 });
};

const livesOf = async (seed: number, rounds: number, done: (n: number) => void): Promise<string[]> => {
  const random = randomFrom(seed);
  const cleaners: (() => Promise<void>)[] = [];
  const place = freshPlace((clean) => void cleaners.push(clean));
  const shared = random.pick<Sharing>(SHARINGS);
  const life: Life = { place, machines: [thisMachineOf(place), otherMachineOf(place, shared)], receipts: [] };
  const alarms: string[] = [];
  try {
    for (let n = 0; n < rounds; n++) {
      await playRound(life, random);
      alarms.push(...(await alarmsOf(life)).map((alarm) => `seed ${seed}, ${shared}, round ${n}: ${alarm}`));
      done(n);
    }
    await expectRecovered(life);
    alarms.push(...(await alarmsOf(life)).map((alarm) => `seed ${seed}, ${shared}, recovered: ${alarm}`));
    figures.acknowledged += life.receipts.length;
    return alarms;
  } finally {
    for (const clean of cleaners) await clean();
  }
};

test(`${ROUNDS.count} rounds of deaths on two machines`, { timeout: 60_000 + ROUNDS.count * 20_000 }, async () => {
  const alarms: string[] = [];
  for (let at = 0; at < ROUNDS.count; at += PER_STORE) {
    const rounds = Math.min(PER_STORE, ROUNDS.count - at);
    const found = await livesOf(ROUNDS.seed + at, rounds, (n) => ROUNDS.progress(at + n + 1));
    for (const alarm of found) process.stderr.write(`alarm: ${alarm}\n`);
    alarms.push(...found);
  }
  process.stderr.write(`${JSON.stringify(figures)}\n`);
  expect(alarms).toEqual([]);
  expect(figures.kills).toBeGreaterThanOrEqual(ROUNDS.count);
  expect(figures.tails).toBeGreaterThan(0);
});
