// The tools of consensus through the clients people use: every answer and every error, held against a recomputation that shares no code with ours.
import { expect, it } from 'vitest';
import { drawn, isSigned, jcs, provedOutput, rootInNote, roundNumber, sha } from '../consensus/recompute.js';
import { ask, CONSENSUS, eventsOf, finality, propose, refusedCode, untilFinality, vote } from '../consensus/shared.js';
import { colibri, json } from '../support/command-line.js';
import { checkSubjects } from '../support/evidence-check.js';
import { type ClientKind, connect, freshPlace, type Message } from '../support/serve.js';

const KINDS: readonly ClientKind[] = ['v1', 'v2 legacy', 'v2 modern'];
const LEVELS = ['PENDING', 'SOFT', 'QUORUM', 'HARD', 'ABSOLUTE'];

it.each(KINDS)('a round from its proposal to HARD, with every refusal: %s', async (kind) => {
  const place = freshPlace();
  const client = await connect(place, kind, CONSENSUS);
  const listed = (await client.listTools()).tools.map(({ name }: Message) => name);
  expect(listed.filter((name: string) => /^(consensus_|vrf_)/.test(name))).toEqual([
    ...['consensus_propose', 'consensus_vote', 'consensus_finality', 'consensus_gossip', 'vrf_eval'],
  ]);
  const voters = ['ada', 'bob', 'cyd', 'dan', client.name];
  const round = await propose(client, { statement: 'Ship it.', voters });
  expect(round).toMatchObject({ status: 'open', need: 3, voters: voters.slice(0, 4), repeats: [] });
  expect(round.root).toBe(sha(jcs({ statement: 'Ship it.' })));
  const { round_id } = round;
  expect(await finality(client, round_id)).toMatchObject({ level: 'PENDING', result: null, contested: false });

  const first = await vote(client, round_id, 'ada');
  expect(first).toMatchObject({ vote_signed: true, level: 'SOFT', identity: 'claimed', tally: { approve: 1 } });
  const again = await vote(client, round_id, 'ada');
  expect(again.refused.message).toMatch(/^ALREADY_VOTED: /);
  const other = await vote(client, round_id, 'ada', 'reject');
  expect(other).toMatchObject({
    vote_signed: false,
    equivocation: true,
    level: 'SOFT',
    tally: { approve: 0, equivocated: 1 },
  });
  expect(other.sig_b64).toBeUndefined();
  expect((await vote(client, round_id, client.name)).refused.details.reason).toBe('requester');
  expect((await vote(client, round_id, 'eve')).refused.details.reason).toBe('stranger');
  const wrongRoot = { round_id, voter: 'bob', vote: 'approve', root: 'a'.repeat(64) };
  expect((await ask(client, 'consensus_vote', wrongRoot)).refused.details.reason).toBe('root');
  expect((await vote(client, '17', 'ada')).refused.message).toBe('ROUND_NOT_FOUND: 17');
  expect((await finality(client, '17')).refused.message).toBe('ROUND_NOT_FOUND: 17');
  for (const name of ['bob', 'cyd']) expect((await vote(client, round_id, name)).level).toBe('SOFT');
  expect(await vote(client, round_id, 'dan')).toMatchObject({
    level: 'QUORUM',
    result: 'approve',
    tally: { approve: 3 },
  });
  expect((await vote(client, round_id, 'eve')).refused.details.reason).toBe('stranger');
  const hard = await untilFinality(client, round_id, ({ level }) => level === 'HARD');
  expect(hard).toMatchObject({
    status: 'decided',
    result: 'approve',
    contested: false,
    tally: { approve: 3, equivocated: 1 },
  });
  // A second vote after the decision contests it, and changes nothing.
  expect(await vote(client, round_id, 'bob', 'reject')).toMatchObject({ equivocation: true, contested: true });
  expect(await finality(client, round_id)).toMatchObject({ level: 'HARD', result: 'approve', contested: true });

  for (const [tool, args] of [
    ['consensus_propose', { statement: ' ' }],
    ['consensus_propose', { statement: 'x', voters: ['a'], draw: { from: ['a'], count: 1 } }],
    ['consensus_propose', { statement: 'x', voters: ['a', 'b'], need: 3 }],
    ['consensus_propose', { statement: 'x', draw: { from: ['a'], count: 2 } }],
    ['consensus_propose', { statement: 'x', voters: [client.name] }],
    ['consensus_propose', { statement: 'x', voters: Array.from({ length: 65 }, (_, i) => `v${i}`) }],
    ['consensus_vote', { round_id, vote: 'maybe' }],
    ['consensus_vote', { round_id, vote: 'approve', root: 'x' }],
    ['consensus_finality', { round_id: '' }],
    ['consensus_gossip', { since: 'yesterday' }],
  ] as const)
    expect((await ask(client, tool, args)).refused.code, `${tool} ${JSON.stringify(args)}`).toBe('INVALID_PARAMS');
  expect(refusedCode(await propose(client, { statement: 'x', task_id: 'T-0009' }))).toBe('TASK_NOT_FOUND');
  expect(refusedCode(await ask(client, 'consensus_gossip', { bundle: '{}' }))).toBe('INVALID_BUNDLE');
  await client.close();
  expect(json(await colibri(place, ['verify', '--json']))).toMatchObject({ exit: 0, findings: [] });
  expect(checkSubjects(place.db)).toEqual([]);
});

it('what was signed is checked by anybody: proposal, votes, decision, draw', async () => {
  const place = freshPlace();
  const client = await connect(place, 'v2 modern', CONSENSUS);
  const from = ['ada', 'bob', 'cyd', 'dan', 'eve', 'fay'];
  const asked = { statement: 'Who reviews?', draw: { from: [...from, client.name], count: 3 }, need: 2 };
  const round = await propose(client, asked);
  expect(round).toMatchObject({ status: 'drawing', voters: [], draw: { pending: true, from, count: 3 } });
  const { round_id } = round;
  const open = await untilFinality(client, round_id, ({ status }) => status === 'open');
  const { output, proof, vrf_key, checkpoint } = open.draw;
  const input = jcs({ round_id, root: open.root, checkpoint: rootInNote(checkpoint) });
  expect(provedOutput(vrf_key, input, proof)).toBe(output);
  expect(provedOutput(vrf_key, `${input} `, proof)).toBeUndefined();
  expect(open.voters).toEqual(drawn(from, 3, output));
  // A statement has one draw: asked again, it is the same one, and shown; with another pool it is refused.
  const repeated = await propose(client, asked);
  expect(repeated.repeats).toEqual([round_id]);
  const drawnAgain = await untilFinality(client, repeated.round_id, ({ status }) => status === 'open');
  expect([drawnAgain.voters, drawnAgain.draw.of, drawnAgain.repeats]).toEqual([open.voters, round_id, [round_id]]);
  const otherPool = await propose(client, { ...asked, draw: { from: ['ada', 'bob', 'zoe'], count: 3 } });
  expect(refusedCode(otherPool)).toBe('DRAWN_ALREADY');

  const [one = '', two = '', silent = ''] = open.voters;
  const cast = await ask(client, 'consensus_vote', { round_id, voter: one, vote: 'reject', reason: 'Too late.' });
  expect(await vote(client, round_id, two, 'reject')).toMatchObject({ level: 'QUORUM', result: 'reject' });
  await untilFinality(client, round_id, ({ level }) => level === 'HARD');
  const { bundle } = await ask(client, 'consensus_gossip');
  const events = eventsOf(bundle);
  expect(events.every(isSigned)).toBe(true);
  expect(isSigned(JSON.parse(bundle))).toBe(true);
  const of = (kind: string): Message[] => events.filter(({ body }) => body.kind === kind && body.round_id === round_id);
  const [proposal] = of('round');
  const { store, nonce, root, rules, rule_version } = proposal?.body ?? {};
  expect(roundNumber(store, root, nonce)).toBe(round_id);
  expect([rule_version, rules.need]).toEqual([sha(jcs(rules)), 2]);
  expect(of('vote').find(({ body }) => body.voter === one)).toMatchObject({
    sig: cast.sig_b64,
    body: { v: 1, kind: 'vote', round_id, root, rule_version, voter: one, vote: 'reject' },
  });
  expect(of('decided')[0]?.body).toMatchObject({ result: 'reject', tally: { approve: 0, reject: 2, abstain: 0 } });
  await client.close();
  const logged = json(await colibri(place, ['verify', '--json']));
  expect(logged).toMatchObject({ exit: 0, findings: [] });
  // Who agreed, and who was drawn and said nothing.
  const reputation = await connect(place, 'v1', { COLIBRI_TOOLSETS: 'reputation' });
  const of2 = async (node_id: string) =>
    (await ask(reputation, 'reputation_get', { node_id, domain: 'arbitration' })).row;
  expect([await of2(one), await of2(silent)]).toMatchObject([
    { successes: 1, failures: 0 },
    { successes: 0, failures: 1 },
  ]);
  await reputation.close();
});

it('levels only rise, over restarts too', async () => {
  const place = freshPlace();
  let client = await connect(place, 'v2 legacy', CONSENSUS);
  const { round_id } = await propose(client, { statement: 'x', voters: ['ada', 'bob'], need: 2 });
  const seen: string[] = [];
  const look = async (): Promise<void> => void seen.push((await finality(client, round_id)).level);
  const restart = async (): Promise<void> => {
    await client.close();
    client = await connect(place, 'v2 legacy', CONSENSUS);
  };
  await look();
  for (const name of ['ada', 'bob']) {
    await vote(client, round_id, name);
    await look();
    await restart();
    await look();
  }
  await vote(client, round_id, 'ada', 'reject');
  await look();
  await client.close();
  const places = seen.map((level) => LEVELS.indexOf(level));
  expect(places).toEqual([...places].sort());
  expect([seen[0], seen[1], seen.at(-1)]).toEqual(['PENDING', 'SOFT', 'HARD']);
});
