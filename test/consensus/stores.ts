// Three stores whose processes exchange bundles, in any order.
import { expect } from 'vitest';
import type { Random } from '../support/random.js';
import type { AnyClient, Message } from '../support/serve.js';
import { ask, eventsOf, propose, setOf, vote } from './shared.js';

const WORDS = ['approve', 'reject', 'abstain'];
export const NAMES = ['ada', 'bob', 'cyd', 'dan'];

export const tell = async (client: AnyClient, bundle?: string): Promise<Message> =>
  ask(client, 'consensus_gossip', bundle === undefined ? {} : { bundle });

/** Some rounds and votes, some of which come too late, are of strangers, or contradict others: refusals are part of it. */
const someWork = async (clients: readonly AnyClient[], random: Random, rounds: string[]): Promise<void> => {
  const client = random.pick(clients);
  if (rounds.length === 0 || random.int(4) === 0) {
    const voters = random.int(3) === 0 ? {} : { voters: NAMES, need: 1 + random.int(3) };
    rounds.push((await propose(client, { statement: `s${random.int(1e9)}`, ...voters })).round_id);
  } else await vote(client, random.pick(rounds), random.pick([...NAMES, 'eve']), random.pick(WORDS));
};

/** Every store tells every other one until nobody hears anything new. */
export const exchangeAll = async (clients: readonly AnyClient[]): Promise<readonly string[]> => {
  for (let times = 0; times < 30; times += 1) {
    let news = 0;
    for (const from of clients)
      for (const to of clients.filter((one) => one !== from)) {
        const heard = await tell(to, (await tell(from)).bundle);
        expect(heard.events_refused).toBe(0);
        news += heard.events_new;
      }
    if (news === 0) return Promise.all(clients.map(async (one) => (await tell(one)).bundle as string));
  }
  throw new Error('the stores never ended');
};

/** One history: work and bundles in a random order, old bundles again, and at the end everything to everybody. */
export const gossipHistory = async (clients: readonly AnyClient[], random: Random, steps: number): Promise<void> => {
  const rounds: string[] = [];
  const kept: string[] = [];
  for (let step = 0; step < steps; step += 1) {
    if (random.int(2) === 0) await someWork(clients, random, rounds);
    else {
      const heard = await tell(random.pick(clients), kept.length > 0 ? random.pick(kept) : undefined);
      expect(heard.events_refused).toBe(0);
      kept.push(heard.bundle);
    }
  }
  const [first = '', ...others] = await exchangeAll(clients);
  for (const other of others) expect(setOf(other)).toEqual(setOf(first));
  // Nothing was lost: every round and every vote of this history is in the sets, and no round was decided twice.
  const events = eventsOf(first);
  const decided = events.filter(({ body }) => body.kind === 'decided').map(({ body }) => body.round_id);
  expect(new Set(decided).size).toBe(decided.length);
  for (const round of rounds) expect(events.some(({ body }) => body.round_id === round)).toBe(true);
};
