// Rounds that five processes vote on at the same time, while some of them are killed: none is decided twice, no vote is lost, none is there twice.
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { colibri, json } from '../support/command-line.js';
import { counted } from '../support/counted.js';
import { type Random, randomFrom } from '../support/random.js';
import { freshPlace, type Message, type Peer, type Place, serve } from '../support/serve.js';
import { CONSENSUS } from './shared.js';

const PROCESSES = 5;
const ROUNDS_AT_ONCE = 4;
const PATIENCE_MS = 20_000;
const { count, seed, progress } = counted('rounds over five processes with kills', 1_000);

/** A process that comes back when it was killed. Its calls are sent again until they are answered. */
class Voter {
  readonly #place: Place;
  readonly name: string;
  #peer: Promise<Peer>;

  constructor(place: Place, name: string) {
    this.#place = place;
    this.name = name;
    this.#peer = this.#start();
  }

  async #start(): Promise<Peer> {
    const peer = serve(this.#place, { env: CONSENSUS });
    await peer.initialize(`client-${this.name}`);
    return peer;
  }

  async call(tool: string, args: Message): Promise<Message> {
    for (;;) {
      const peer = await this.#peer;
      const answer = peer.call(tool, args, PATIENCE_MS).catch(() => undefined);
      const answered = await Promise.race([answer, peer.ended.then(() => undefined)]);
      if (answered !== undefined) return answered.result.structuredContent;
      while ((await this.#peer) === peer) await sleep(5);
    }
  }

  async kill(): Promise<void> {
    const peer = await this.#peer;
    await peer.kill('SIGKILL');
    this.#peer = this.#start();
    await this.#peer;
  }

  async end(): Promise<void> {
    await (await this.#peer).end();
  }
}

const words = ['approve', 'approve', 'approve', 'reject', 'abstain'];

/** One round: everybody votes, in a random order, some at the same time. Returns its number and the votes that were signed. */
const round = async (voters: readonly Voter[], random: Random, n: number) => {
  const names = voters.map(({ name }) => name);
  const { data } = await random
    .pick(voters)
    .call('consensus_propose', { statement: `round ${n}`, voters: names, need: 3 });
  const signed: string[] = [];
  const votes = voters.map(async (voter) => {
    await sleep(random.int(20));
    const args = { round_id: data.round_id, voter: voter.name, vote: random.pick(words) };
    const { ok, data: cast, error } = await voter.call('consensus_vote', args);
    const refused = String(error?.message);
    if (ok && cast.vote_signed) signed.push(voter.name);
    else if (refused.startsWith('ALREADY_VOTED'))
      signed.push(voter.name); // the answer was lost with its process
    else expect(refused).toMatch(/^VOTE_REFUSED: the round is decided/);
  });
  await Promise.all(votes);
  return { round_id: String(data.round_id), signed };
};

it('none decided twice, no vote lost or doubled', { timeout: 120_000 + count * 5_000 }, async () => {
  const place = freshPlace();
  const random = randomFrom(seed);
  const voters = Array.from({ length: PROCESSES }, (_, i) => new Voter(place, `v${i}`));
  const rounds: { round_id: string; signed: string[] }[] = [];
  let kills = 0;
  let isOver = false;
  const killing = (async () => {
    while (!isOver) {
      await sleep(200 + random.int(800));
      if (isOver) break;
      await random.pick(voters).kill();
      kills += 1;
    }
  })();
  for (let n = 0; n < count; n += ROUNDS_AT_ONCE) {
    const some = Array.from({ length: Math.min(ROUNDS_AT_ONCE, count - n) }, (_, i) => round(voters, random, n + i));
    rounds.push(...(await Promise.all(some)));
    progress(rounds.length);
  }
  isOver = true;
  await killing;
  for (const voter of voters) await voter.end();

  const db = new Database(place.db, { readonly: true });
  const records = db.prepare<[], { body: string }>("SELECT body FROM actions WHERE kind = 'decided'").all();
  const decided = records.map(({ body }) => String(JSON.parse(body).round_id));
  expect(new Set(decided).size).toBe(decided.length);
  const rows = db.prepare<[], Message>('SELECT round_id, voter, form FROM votes').all();
  db.close();
  const stored = rows.map((row) => `${row.round_id} ${row.voter}`);
  expect(new Set(stored).size).toBe(stored.length);
  expect(rows.every(({ form }) => form === 'vote')).toBe(true);
  const signed = rounds.flatMap(({ round_id, signed: names }) => names.map((name) => `${round_id} ${name}`));
  expect(stored.sort()).toEqual(signed.sort());
  expect(rounds).toHaveLength(count);
  process.stderr.write(`${rounds.length} rounds, ${decided.length} decided, ${stored.length} votes, ${kills} kills\n`);
  expect(kills).toBeGreaterThan(0);
  const { exit, findings } = json(await colibri(place, ['verify', '--json']));
  expect([[0, 10].includes(exit), findings]).toEqual([true, []]);
});
