// The tools of reputation through the clients people use, held against a recomputation from the export that shares no code with ours; gates.
import { expect, it } from 'vitest';
import { epochIn, rowFrom } from '../reputation/recompute.js';
import { call, expectRecomputed, exported, SETS, toDone, work } from '../reputation/shared.js';
import { type ClientKind, connect, freshPlace, type Message } from '../support/serve.js';
import { fakeServer, writeBoard } from '../support/switchboard-file.js';

it('three clients work; what the tools say is what anybody recomputes from the export', async () => {
  const place = freshPlace();
  writeBoard(place, { plain: fakeServer('plain') });
  const kinds: readonly ClientKind[] = ['v1', 'v2 legacy', 'v2 modern'];
  for (const kind of kinds) {
    const client = await connect(place, kind, SETS);
    const listed = (await client.listTools()).tools.map(({ name }: Message) => name);
    expect(listed.filter((name: string) => name.startsWith('reputation_'))).toHaveLength(4);
    await work(client);
    await client.callTool('plain__echo', { a: 1 });
    await client.callTool('plain__fail').catch(() => {});
    for (const [tool, args] of [
      ['reputation_get', { node_id: '' }],
      ['reputation_get', { node_id: 'ada', domain: 'dancing' }],
      ['reputation_history', { node_id: 'ada', domain: 'social', cursor: 'x' }],
      ['reputation_leaderboard', { domain: 'social', limit: 1_001 }],
      ['reputation_check_gates', { node_id: 'ada', current_epoch: -1 }],
    ] as const)
      expect((await call(client, tool, args)).refused.code, `${kind} ${tool}`).toBe('INVALID_PARAMS');
    await client.close();
  }
  const events = await exported(place);
  const whys = new Set(events.map(({ node, why }) => `${node} ${why}`));
  for (const why of [
    'ada done',
    'bob reopened',
    'bob handed',
    'client-v1 delivered',
    'client-v1 cancelled',
    'server:plain result',
  ])
    expect([...whys]).toContain(why);
  expect([...whys]).not.toContain('client-v1 done');
  const client = await connect(place, 'v2 modern', SETS);
  const today = epochIn(new Date().toISOString());
  for (const later of [0, 30, 630]) await expectRecomputed(client, events, today + later);
  const gates = await call(client, 'reputation_check_gates', { node_id: 'ada' });
  const score = rowFrom(events, 'ada', 'execution', today)?.score ?? 0;
  expect(gates).toMatchObject({
    identity: 'claimed',
    formula: 'colibri.reputation/1',
    max_parallel_tasks: 20,
    rate_limit_bonus: Math.floor(Math.log2(score)),
    stake_discount: Math.floor(10_000_000 / score),
    can_arbitrate: false,
    can_govern: false,
    binding: false,
  });
  expect(gates.logs).toHaveLength(1);
  await client.close();
});

it('gates: off, nothing is refused; on, a new agent holds one task, gets it back, and a proven one holds more', async () => {
  const place = freshPlace();
  const off = await connect(place, 'v2 modern');
  for (const title of ['a', 'b', 'c', 'd', 'e', 'f']) await call(off, 'task_create', { title });
  for (let n = 0; n < 3; n += 1)
    expect((await call(off, 'task_next_actions', { claim_by: 'free', another: true })).actions).toHaveLength(1);
  await off.close();

  const on = await connect(place, 'v2 legacy', { ...SETS, COLIBRI_GATES: 'on' });
  const mine = (await call(on, 'task_next_actions', { claim_by: 'new' })).actions[0];
  const again = await call(on, 'task_next_actions', { claim_by: 'new' });
  expect(again.actions[0]).toMatchObject({ lease_token: mine.lease_token, resumed: true });
  const { refused } = await call(on, 'task_next_actions', { claim_by: 'new', another: true });
  expect(refused).toMatchObject({
    code: 'ERR_TOO_MANY_TASKS',
    details: { max_parallel_tasks: 1, held: 1, score: 0, next: [{ tool: 'task_get' }] },
  });
  expect((await call(on, refused.details.next[0].tool, refused.details.next[0].arguments)).status).toBe('INIT');
  expect((await call(on, 'task_create', { title: 'mine', claim_by: 'new' })).refused.code).toBe('ERR_TOO_MANY_TASKS');
  expect((await call(on, 'reputation_check_gates', { node_id: 'new' })).binding).toBe(true);
  await call(on, 'task_update', { task_id: mine.task.task_id, ...toDone(mine.lease_token) });
  for (let n = 0; n < 2; n += 1)
    expect((await call(on, 'task_next_actions', { claim_by: 'new', another: true })).actions ?? 'refused').toHaveLength(
      1,
    );
  await on.close();
});
