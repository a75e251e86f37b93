// What a store takes over from others, and what it refuses: whatever it took over is right to both verifiers.
import { expect, it } from 'vitest';
import type { StatementKey } from '../../src/consensus/signed.js';
import { vrfKeyOf } from '../../src/vrf/ecvrf.js';
import type { Message } from '../support/serve.js';
import { bundleOf, foreignRound, forgedDecision, forgedVote, logOf, makeKey, noteOf, signed } from './forging.js';
import { openConsensus } from './in-process.js';
import { enrol, isRight, type Opened } from './judging.js';
import { drawn, jcs } from './recompute.js';

const cast = ({ call }: Opened, round_id: string, voter: string, vote = 'approve'): Promise<Message> =>
  call('consensus_vote', { round_id, voter, vote });

it('an attempt to vote twice that came without the vote contests a decided round, to the verifiers too', async () => {
  const [home, away] = [await openConsensus(), await openConsensus()];
  const voters = ['ada', 'bob', 'cyd'];
  const { round_id } = await home.call('consensus_propose', { statement: 'x', voters, need: 2 });
  await cast(home, round_id, 'ada');
  await cast(home, round_id, 'bob');
  home.pass(1);
  const since = home.now();
  expect(await cast(home, round_id, 'bob', 'reject')).toMatchObject({ equivocation: true });
  const { bundle } = await home.call('consensus_gossip', { since });
  expect(await away.hear(bundle)).toMatchObject({ equivocations: [{ round_id, voter: 'bob' }] });
  expect(await away.call('consensus_finality', { round_id })).toMatchObject({ contested: true });
  await isRight(home);
  await isRight(away);
  // The rest comes later, and the sets are equal.
  await away.hear((await home.call('consensus_gossip')).bundle);
  expect((await away.call('consensus_gossip')).bundle.length).toBe((await home.call('consensus_gossip')).bundle.length);
  await isRight(away);
});

const DRAW = { from: ['a', 'b'], count: 2 };

/** A draw over a checkpoint that somebody made up. */
const forgedDraw = ({ round_id, root, log }: Message, key: StatementKey, note: string, seen: string) => {
  const random = vrfKeyOf(new Uint8Array(32).fill(7));
  const { output, proof } = random.prove(Buffer.from(jcs({ checkpoint: seen, root, round_id })));
  const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
  const body = {
    ...{ v: 1, kind: 'draw', round_id, root, after: { log, seq: 1 }, at: '2026-11-19T09:00:00.000Z', checkpoint: note },
    ...{ output: hex(output), proof: hex(proof), vrf_key: hex(random.publicKey) },
    voters: drawn(DRAW.from, DRAW.count, hex(output)),
  };
  return signed(body, key);
};

it('a decision of voters that nobody knows yet waits; a draw needs the signed checkpoint of its log', async () => {
  const here = await openConsensus();
  const key = makeKey();
  const round = foreignRound(key, { draw: DRAW });
  const decided = forgedDecision(round, key);
  expect(await here.hear(bundleOf(key, round.proposal, decided))).toMatchObject({ events_new: 1, events_refused: 1 });
  await isRight(here);

  const root = Buffer.alloc(32, 1);
  const text = (log: string): string => `colibri.dev/log/${log}\n5\n${root.toString('base64')}\n`;
  const other = makeKey();
  for (const [note, seen] of [
    ['no note at all\n\n', ''],
    [`${text(round.log)}\n`, root.toString('hex')],
    [noteOf(text(round.log), round.log, other), root.toString('hex')],
    [noteOf(text(logOf(other)), logOf(other), other), root.toString('hex')],
  ] as const) {
    const heard = await here.hear(bundleOf(key, forgedDraw(round, key, note, seen), decided));
    expect(heard, note).toMatchObject({ events_new: 0, events_refused: 2 });
  }
  const right = forgedDraw(round, key, noteOf(text(round.log), round.log, key), root.toString('hex'));
  expect(await here.hear(bundleOf(key, right, decided))).toMatchObject({ events_new: 2, events_refused: 0 });
  await isRight(here);
});

it('nobody votes as an enrolled voter without its key, nor keeps it from voting', async () => {
  const ada = makeKey();
  const choice: { voterKey: StatementKey } = { voterKey: ada };
  const here = await openConsensus(choice);
  const [mallory, bob] = [makeKey(), makeKey()];
  // Heard before ada was enrolled: from then on it does not count, and does not stand in the way.
  const early = await here.call('consensus_propose', { statement: 'early', voters: ['ada', 'bob'], need: 2 });
  await here.hear(bundleOf(mallory, forgedVote(early, mallory, 'ada', 'reject')));
  await enrol(here, 'ada', ada);
  expect((await here.call('consensus_finality', { round_id: early.round_id })).tally).toMatchObject({ reject: 0 });
  expect(await cast(here, early.round_id, 'ada')).toMatchObject({
    vote_signed: true,
    identity: 'enrolled',
    level: 'SOFT',
  });
  await enrol(here, 'bob', bob);

  const action = { server: 's', tool: 't', exact: 'd'.repeat(64), definition: 'd'.repeat(64) };
  for (const about of [{}, { action }]) {
    const round = await here.call('consensus_propose', { statement: 'x', voters: ['ada', 'bob'], need: 2, ...about });
    const { round_id } = round;
    const forged = [
      ...['approve', 'reject'].flatMap((word) => ['ada', 'bob'].map((name) => forgedVote(round, mallory, name, word))),
      forgedVote(round, mallory, 'ada', 'reject', 'equivocation'),
      forgedVote(round, bob, 'ada', 'reject'), // the key of another enrolled voter
    ];
    expect(await here.hear(bundleOf(mallory, ...forged))).toMatchObject({ events_new: 0, events_refused: 6 });
    expect(await here.call('consensus_finality', { round_id })).toMatchObject({ level: 'PENDING', status: 'open' });
    const right = [forgedVote(round, ada, 'ada'), forgedVote(round, bob, 'bob')];
    expect(await here.hear(bundleOf(mallory, ...right))).toMatchObject({ events_new: 2, equivocations: [] });
    expect(await here.call('consensus_finality', { round_id })).toMatchObject({ result: 'approve', contested: false });
  }
  const open = await here.call('consensus_propose', { statement: 'any', action, need: 1 });
  expect(await here.hear(bundleOf(mallory, forgedVote(open, mallory, 'cyd')))).toMatchObject({ events_refused: 1 });
  expect((await here.credits()).filter((one) => /equivocated|disagreed/.test(one))).toEqual([]);
  await isRight(here);
});

it('what a bundle says of a claimed name counts for nobody’s reputation; what an enrolled voter signed does', async () => {
  const here = await openConsensus();
  const [mallory, gus] = [makeKey(), makeKey()];
  await enrol(here, 'gus', gus);
  const round = await here.call('consensus_propose', {
    statement: 'x',
    voters: ['ada', 'bob', 'cyd', 'dan', 'eve', 'gus'],
    need: 2,
  });
  const { round_id } = round;
  const said = [
    forgedVote(round, mallory, 'cyd', 'approve', 'equivocation'), // alone
    ...['approve', 'reject'].map((word) => forgedVote(round, mallory, 'dan', word)),
    forgedVote(round, mallory, 'eve', 'reject'),
    forgedVote(round, mallory, 'bob', 'reject'),
  ];
  await here.hear(bundleOf(mallory, ...said.slice(0, 3), said[4] as Message));
  expect(await cast(here, round_id, 'bob')).toMatchObject({ equivocation: true }); // a claimed name: void, but no failure
  await cast(here, round_id, 'ada');
  await here.hear(bundleOf(mallory, said[3] as Message, forgedVote(round, gus, 'gus')));
  expect(await here.call('consensus_finality', { round_id })).toMatchObject({ result: 'approve' });
  expect((await here.credits()).sort()).toEqual(['ada agreed', 'gus agreed']);
  await here.hear(bundleOf(mallory, forgedVote(round, gus, 'gus', 'reject')));
  await cast(here, round_id, 'ada', 'reject');
  expect((await here.credits()).slice(2)).toEqual(['gus equivocated', 'ada equivocated']);
  await isRight(here);
});

it('an open round takes 64 names from bundles too, so that other stores take over its decision', {
  timeout: 120_000,
}, async () => {
  const [home, away] = [await openConsensus(), await openConsensus()];
  const key = makeKey();
  const round = await home.call('consensus_propose', { statement: 'x', need: 60 });
  const many = Array.from({ length: 70 }, (_, n) => forgedVote(round, key, `n${n}`));
  expect(await home.hear(bundleOf(key, ...many))).toMatchObject({ events_new: 64, events_refused: 6 });
  expect(await home.call('consensus_finality', { round_id: round.round_id })).toMatchObject({ status: 'decided' });
  expect(await away.hear((await home.call('consensus_gossip')).bundle)).toMatchObject({ events_refused: 0 });
  expect(await away.call('consensus_finality', { round_id: round.round_id })).toMatchObject({ status: 'decided' });
  await isRight(home);
  await isRight(away);
});

it('a name with U+0000 or half a character is refused by itself', async () => {
  const here = await openConsensus();
  const key = makeKey();
  const round = await here.call('consensus_propose', { statement: 'x', need: 9 });
  const votes = ['a\u0000b', '\u0000', 'ada'].map((name) => forgedVote(round, key, name));
  expect(await here.hear(bundleOf(key, ...votes))).toMatchObject({ events_new: 1, events_refused: 2 });
  const odd = foreignRound(key, { voters: ['a\u0000b'] });
  expect(await here.hear(bundleOf(key, odd.proposal))).toMatchObject({ events_new: 0, events_refused: 1 });
  await isRight(here);
});

it('the home of a round of another store is claimed: whoever signs a proposal can name any store', async () => {
  const [home, here] = [await openConsensus(), await openConsensus()];
  const { store } = await home.call('consensus_gossip');
  const key = makeKey();
  const round = foreignRound(key, { voters: ['ada'] }, store);
  expect(await here.hear(bundleOf(key, round.proposal, forgedDecision(round, key)))).toMatchObject({ events_new: 2 });
  const { evidence } = await here.call('consensus_finality', { round_id: round.round_id });
  expect(evidence).toMatchObject({ home: store, home_identity: 'claimed', is_home: false, log: round.log });
  const own = await here.call('consensus_propose', { statement: 'x' });
  const seen = await here.call('consensus_finality', { round_id: own.round_id });
  expect(seen.evidence).toMatchObject({ home_identity: 'own', is_home: true });
});
