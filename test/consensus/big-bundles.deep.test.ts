// Bundles that change more than the record of one call can name.
import { expect, it } from 'vitest';
import type { Message } from '../support/serve.js';
import { bundleOf, foreignRound, forgedDecision, forgedVote, logOf, makeKey, noteOf, signed } from './forging.js';
import { openConsensus } from './in-process.js';
import { enrol, isRight } from './judging.js';

it('a bundle that changes more than one record can name goes in by parts: the same one again goes on', {
  timeout: 120_000,
}, async () => {
  const [home, away] = [await openConsensus(), await openConsensus()];
  const key = makeKey();
  for (let n = 0; n < 45; n += 1) {
    const round = await home.call('consensus_propose', { statement: `r${n}`, need: 9 });
    const names = Array.from({ length: 9 }, (_, i) => `a reviewer with a long name ${i}`);
    const votes = names.map((name) => forgedVote(round, key, name));
    expect(await home.hear(bundleOf(key, ...votes))).toMatchObject({ events_new: 9, events_left: 0 });
  }
  const { bundle } = await home.call('consensus_gossip');
  let [taken, times] = [0, 0];
  for (let left = 1; left > 0; times += 1) {
    const heard = await away.hear(bundle);
    expect(heard.refused).toBeUndefined();
    expect([heard.events_refused, heard.events_new > 0]).toEqual([0, true]);
    taken += heard.events_new;
    left = heard.events_left;
  }
  expect(times).toBeGreaterThan(1);
  expect(taken).toBe(JSON.parse(bundle).body.events.length);
  expect(await away.hear(bundle)).toMatchObject({ events_new: 0, events_left: 0 });
  await isRight(home);
  await isRight(away);
});

it('many decisions of one bundle, with the credits of many voters, go in by parts too', {
  timeout: 120_000,
}, async () => {
  const home = await openConsensus();
  const voters = Array.from({ length: 60 }, (_, i) => `${'é'.repeat(100)}${i}`);
  const keys = await Promise.all(
    voters.slice(0, 2).map(async (name) => {
      const key = makeKey();
      await enrol(home, name, key);
      return { name, key };
    }),
  );
  const rounds: Message[] = [];
  for (let n = 0; n < 20; n += 1) {
    rounds.push(
      await home.call('consensus_propose', { statement: `r${n}`, draw: { from: voters, count: 60 }, need: 2 }),
    );
  }
  await home.sign();
  const carrier = makeKey();
  const bundle = bundleOf(
    carrier,
    ...rounds.flatMap((round) => keys.map(({ name, key }) => forgedVote(round, key, name))),
  );
  let times = 0;
  for (let left = 1; left > 0; times += 1) {
    const heard = await home.hear(bundle);
    expect(heard.refused).toBeUndefined();
    left = heard.events_left;
  }
  expect(times).toBeGreaterThan(1);
  for (const { round_id } of rounds)
    expect(await home.call('consensus_finality', { round_id })).toMatchObject({ status: 'decided' });
  await isRight(home);
});

it('a signature beside 600 decisions is noted under all of them', { timeout: 120_000 }, async () => {
  const gus = makeKey();
  const here = await openConsensus();
  await enrol(here, 'gus', gus);
  const key = makeKey();
  const rounds = Array.from({ length: 600 }, () => foreignRound(key, { voters: [] }));
  const log = logOf(key);
  const root = 'a'.repeat(64);
  const events = rounds.flatMap((round) => [round.proposal, forgedDecision(round, key)]);
  const text = `colibri.dev/log/${log}\n9\n${Buffer.from(root, 'hex').toString('base64')}\n`;
  const checkpoint = signed({ v: 1, kind: 'checkpoint', log, note: noteOf(text, log, key) }, key);
  const cosigned = signed({ v: 1, kind: 'cosigned', log, size: 9, root, voter: 'gus' }, gus);
  const bundle = bundleOf(key, ...events, checkpoint, cosigned);
  for (let left = 1; left > 0; ) {
    const heard = await here.hear(bundle);
    expect(heard.refused).toBeUndefined();
    left = heard.events_left;
  }
  for (const { round_id } of [rounds[0] as Message, rounds[599] as Message])
    expect((await here.call('consensus_finality', { round_id })).level).toBe('ABSOLUTE');
});
