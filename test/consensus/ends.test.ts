// How rounds end, and what that does for reputation: decided, run out, gates, enrolled voters.
import { expect, it } from 'vitest';
import type { StatementKey } from '../../src/consensus/signed.js';
import { enrolVoter, revokeVoter } from '../../src/consensus/voter-repository.js';
import type { Message } from '../support/serve.js';
import { makeKey } from './forging.js';
import { openConsensus } from './in-process.js';

const reasonOf = (answer: Message): string => answer.refused?.details?.reason ?? JSON.stringify(answer);

it('a round whose time is over takes no vote; whoever was drawn and said nothing is counted, once', async () => {
  const { call, sign: signLog, pass, credits } = await openConsensus();
  const draw = { from: ['ada', 'bob', 'cyd'], count: 3 };
  const { round_id } = await call('consensus_propose', { statement: 'x', draw, expires_minutes: 5 });
  expect(reasonOf(await call('consensus_vote', { round_id, voter: 'ada', vote: 'approve' }))).toBe('drawing');
  await signLog();
  expect((await call('consensus_vote', { round_id, voter: 'ada', vote: 'approve' })).level).toBe('SOFT');
  pass(6);
  expect(reasonOf(await call('consensus_vote', { round_id, voter: 'bob', vote: 'approve' }))).toBe('expired');
  expect(await call('consensus_finality', { round_id })).toMatchObject({
    status: 'expired',
    level: 'SOFT',
    result: null,
  });
  await call('consensus_finality', { round_id });
  expect((await credits()).sort()).toEqual(['bob silent', 'cyd silent']);
});

it('a draw that never came ends too, and blames nobody', async () => {
  const { call, pass, credits } = await openConsensus();
  const draw = { from: ['ada', 'bob'], count: 1 };
  const { round_id } = await call('consensus_propose', { statement: 'x', draw, expires_minutes: 1 });
  pass(1);
  expect(await call('consensus_finality', { round_id })).toMatchObject({
    status: 'expired',
    level: 'PENDING',
    voters: [],
  });
  expect(await credits()).toEqual([]);
});

it('agreed, disagreed, equivocated; abstaining and not being asked count for nothing', async () => {
  const { call, credits, records } = await openConsensus();
  const voters = ['ada', 'bob', 'cyd', 'dan', 'eve'];
  const { round_id } = await call('consensus_propose', { statement: 'x', voters, need: 2 });
  const vote = (voter: string, word: string) => call('consensus_vote', { round_id, voter, vote: word });
  await vote('ada', 'approve');
  await vote('bob', 'abstain');
  await vote('cyd', 'approve');
  expect((await records()).filter(({ kind }) => kind === 'decided')).toHaveLength(1);
  expect((await credits()).sort()).toEqual(['ada agreed', 'cyd agreed']);
  for (const word of ['reject', 'abstain', 'reject']) await vote('ada', word);
  expect((await credits()).sort()).toEqual(['ada agreed', 'ada equivocated', 'cyd agreed']);
  const second = await call('consensus_propose', { statement: 'y', voters, need: 2 });
  const again = (voter: string, word: string) =>
    call('consensus_vote', { round_id: second.round_id, voter, vote: word });
  for (const [voter, word] of [
    ['ada', 'approve'],
    ['ada', 'reject'],
    ['bob', 'approve'],
    ['cyd', 'reject'],
    ['dan', 'reject'],
  ] as const)
    await again(voter, word);
  expect((await credits()).slice(3).sort()).toEqual(['ada equivocated', 'bob disagreed', 'cyd agreed', 'dan agreed']);
});

it('a round without voters takes 64 names; one without a name is refused', async () => {
  const { call } = await openConsensus();
  const { round_id, need } = await call('consensus_propose', { statement: 'x', need: 64 });
  expect(need).toBe(64);
  for (let n = 0; n < 63; n += 1)
    expect((await call('consensus_vote', { round_id, voter: `v${n}`, vote: 'abstain' })).vote_signed).toBe(true);
  expect((await call('consensus_vote', { round_id, vote: 'approve' }, 'other')).vote_signed).toBe(true);
  expect(reasonOf(await call('consensus_vote', { round_id, voter: 'late', vote: 'approve' }))).toBe('full');
  expect(reasonOf(await call('consensus_vote', { round_id, vote: 'approve' }, ''))).toBe('nameless');
  expect((await call('consensus_propose', { statement: 'y' })).need).toBe(1);
});

it('an enrolled name votes with its key alone; an action takes nobody else; one process counts once; the asker never', async () => {
  const key = makeKey();
  const choice = { voterKey: key as StatementKey | { problem: string }, lineage: ['9/9'], isHidden: false };
  const { call, store, ledger, now } = await openConsensus(choice);
  const books = { log: ledger.log, at: now() };
  const enrol = (name: string, publicKey: string) =>
    store.write((tx) => enrolVoter(tx, books, { name, publicKey, by: 'a person' }));
  expect(await enrol('ada', key.publicKey)).toMatchObject({ name: 'ada', rev: 1 });
  expect(await enrol('ada', makeKey().publicKey)).toBeUndefined();
  expect(await enrol('eve', key.publicKey)).toBeUndefined();
  await enrol('bob', makeKey().publicKey);
  const action = { server: 's', tool: 't', exact: 'd'.repeat(64), definition: 'd'.repeat(64) };

  const text = await call('consensus_propose', { statement: 'x', voters: ['ada', 'bob', 'cyd'] });
  const inText = (args: Message) => call('consensus_vote', { round_id: text.round_id, vote: 'approve', ...args });
  expect(await inText({})).toMatchObject({ vote_signed: true, identity: 'enrolled' }); // the name of the key
  expect((await inText({ voter: 'bob' })).refused.message).toMatch(/^INVALID_KEY: .*not that of bob/);
  expect(await inText({ voter: 'cyd' })).toMatchObject({ identity: 'claimed' });

  const refused = await call('consensus_propose', { statement: 'x', action, voters: ['ada', 'cyd'] });
  expect(refused.refused.message).toContain('cyd is not an enrolled voter');
  const about = await call('consensus_propose', { statement: 'x', action, voters: ['ada', 'bob'] });
  // This process has proposed it.
  expect(reasonOf(await call('consensus_vote', { round_id: about.round_id, vote: 'approve' }))).toBe('asker');
  choice.isHidden = true;
  expect(reasonOf(await call('consensus_vote', { round_id: about.round_id, vote: 'approve' }))).toBe('unseen');
  choice.isHidden = false;
  const any = await call('consensus_propose', { statement: 'y', action });
  expect(reasonOf(await call('consensus_vote', { round_id: any.round_id, voter: 'cyd', vote: 'approve' }))).toBe(
    'not enrolled',
  );
  await store.write((tx) => tx.run('UPDATE rounds SET instance = ? WHERE round_id = ?', 'other', about.round_id));
  await store.write((tx) => tx.run('UPDATE rounds SET asker = ? WHERE round_id = ?', '["9/9"]', about.round_id));
  expect(reasonOf(await call('consensus_vote', { round_id: about.round_id, vote: 'approve' }))).toBe('asker');
  // Part of the line of the client that asked could not be seen.
  await store.write((tx) =>
    tx.run('UPDATE rounds SET asker = ? WHERE round_id = ?', '["1/1","unseen"]', about.round_id),
  );
  expect(reasonOf(await call('consensus_vote', { round_id: about.round_id, vote: 'approve' }))).toBe('unseen');
  await store.write((tx) => tx.run('UPDATE rounds SET asker = ? WHERE round_id = ?', '["1/1"]', about.round_id));
  choice.lineage.push('unseen');
  expect(reasonOf(await call('consensus_vote', { round_id: about.round_id, vote: 'approve' }))).toBe('unseen');
  choice.lineage.pop();
  expect(await call('consensus_vote', { round_id: about.round_id, vote: 'approve' })).toMatchObject({
    identity: 'enrolled',
  });
  await store.write((tx) => revokeVoter(tx, books, { name: 'bob', by: 'a person' }));
  expect(await enrol('bob', makeKey().publicKey)).toMatchObject({ rev: 3 });
});

it('gates: as long as too few may arbitrate everybody votes; then only they', async () => {
  const { call, store } = await openConsensus({ gates: true });
  const ask = () => call('consensus_propose', { statement: 'x', voters: ['ada', 'bob', 'cyd'], need: 2 });
  const vote = (round_id: string, voter: string) => call('consensus_vote', { round_id, voter, vote: 'approve' });
  const first = await ask();
  expect((await vote(first.round_id, 'ada')).vote_signed).toBe(true);
  const day = Math.floor(Date.parse('2026-11-19T00:00:00Z') / 86_400_000);
  const proven = (name: string) =>
    store.write((tx) =>
      tx.runMany('INSERT INTO reputation_days (node_id, domain, day, successes, failures) VALUES (?, ?, ?, ?, ?)', [
        [name, 'arbitration', day, 50, 0],
        [name, 'execution', day, 50, 0],
      ]),
    );
  await proven('ada');
  expect((await vote((await ask()).round_id, 'cyd')).vote_signed).toBe(true); // one of two that are needed
  await proven('bob');
  const third = await ask();
  expect(reasonOf(await vote(third.round_id, 'cyd'))).toBe('score');
  await vote(third.round_id, 'ada');
  expect(await vote(third.round_id, 'bob')).toMatchObject({ result: 'approve', level: 'QUORUM' });
});

it('a vote that nobody else could contradict is nobody’s success: a decision of one voter gives no credit', async () => {
  const { call, credits } = await openConsensus();
  for (const voters of [['zed'], ['zed', 'other']]) {
    const { round_id } = await call('consensus_propose', { statement: 'x', voters, need: 1 });
    expect(await call('consensus_vote', { round_id, voter: 'zed', vote: 'approve' })).toMatchObject({
      result: 'approve',
    });
  }
  const two = await call('consensus_propose', { statement: 'y', voters: ['zed', 'other', 'third'], need: 2 });
  await call('consensus_vote', { round_id: two.round_id, voter: 'third', vote: 'abstain' });
  await call('consensus_vote', { round_id: two.round_id, voter: 'other', vote: 'approve' });
  expect(await credits()).toEqual([]);
  await call('consensus_vote', { round_id: two.round_id, voter: 'zed', vote: 'approve' });
  expect((await credits()).sort()).toEqual(['other agreed', 'zed agreed']);
});
