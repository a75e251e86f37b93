// The same call twice: with a key, or recognised by its note. It changes nothing again.
import { expect, test } from 'vitest';
import { checkSubjects } from '../support/evidence-check.js';
import { Ledger } from '../support/ledger-check.js';
import { type Answer, handClock, MINUTE, openTaskTools, type TaskTools, taskIn } from './task-tools.js';

const EVIDENCE = ['tasks', 'task_dependencies', 'sessions', 'thoughts', 'replays'];
const contents = (tools: TaskTools): Promise<Answer[][]> =>
  tools.store.read(async (tx) => {
    const tables: Answer[][] = [];
    for (const table of EVIDENCE) tables.push(await tx.all(`SELECT * FROM ${table} ORDER BY rowid`));
    return tables;
  });
const lastExit = (tools: TaskTools): Answer => new Ledger(tools.path).ofKind('call.exit').at(-1) ?? {};

test('an update with a key changes the task once; the key belongs to the task, the token does not belong to the request', async () => {
  const tools = await openTaskTools();
  const { task_id, lease_token } = await tools.ok('task_create', { title: 't', claim_by: 'ada' });
  const other = await taskIn(tools, 'INIT');
  const steps = [
    { status: 'GATHER', note: 'a' },
    { status: 'ANALYZE', note: 'b' },
  ];
  for (const request of [
    { status: 'GATHER', note: 'why', title: 'u', idempotency_key: 'k1' },
    { note: 'only a note', idempotency_key: 'k2' },
    { title: 'no note', idempotency_key: 'k3' },
    { steps: steps.slice(1), idempotency_key: 'k4' },
  ]) {
    const first = await tools.ok('task_update', { task_id, lease_token, ...request });
    const record = lastExit(tools);
    expect(record.subjects.at(-1)).toMatchObject({
      type: 'replay',
      id: `${task_id}/${request.idempotency_key}`,
      rev: 1,
    });
    const before = await contents(tools);
    const { lease_until: _until, session_id: _session, ...same } = first;
    for (const token of [{ lease_token }, {}])
      expect(await tools.ok('task_update', { task_id, ...request, ...token })).toEqual({ ...same, replayed: true });
    expect(lastExit(tools)).toMatchObject({ replay_of: record.sequence_no });
    const changed = { task_id, lease_token, ...request, priority: 'low' };
    expect(await tools.no('task_update', changed)).toMatchObject({
      code: 'ERR_IDEMPOTENCY_MISMATCH',
      details: { task_id },
    });
    expect(await contents(tools)).toEqual(before);
  }
  await tools.ok('task_update', { task_id: other.task_id, title: 'u', idempotency_key: 'k1' });
  await tools.no('task_update', { task_id, status: 'DONE', lease_token, idempotency_key: 'k9' });
  await tools.ok('task_update', { task_id, status: 'PLAN', lease_token, idempotency_key: 'k9' });
  expect(checkSubjects(tools.path)).toEqual([]);
});

test('without a key: the state that the task is in, with the note that the same agent recorded last', async () => {
  const clock = handClock();
  const tools = await openTaskTools();
  const { task_id, lease_token } = await tools.ok('task_create', { title: 't', claim_by: 'ada' });
  const until = () => new Date(Date.now() + 30 * MINUTE).toISOString();
  const way = ['GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'GATHER'];
  for (const status of way) {
    const call = { task_id, lease_token, status, note: `why ${status}` };
    const first = await tools.ok('task_update', call);
    const before = await contents(tools);
    clock.pass(MINUTE);
    const again = await tools.ok('task_update', call);
    expect(again).toMatchObject({ status, version: first.version, replayed: true, lease_until: until() });
    expect(await contents(tools)).toEqual(before);
  }
  const thoughts = async () => (await tools.ok('task_get', { task_id })).thoughts;
  const count = await thoughts();
  // Another note, another agent, a note alone, or an edit beside it is a new call.
  for (const [rest, client] of [
    [{ status: 'GATHER', note: 'other', lease_token }, 'x'],
    [{ status: 'GATHER', note: 'why GATHER' }, 'stranger'],
    [{ note: 'other', lease_token }, 'x'],
    [{ status: 'GATHER', note: 'other', title: 'new', lease_token }, 'x'],
  ] as [Answer, string][])
    expect(await tools.ok('task_update', { task_id, ...rest }, client)).not.toHaveProperty('replayed');
  expect(await thoughts()).toBe(count + 4);
  const steps = [{ status: 'ANALYZE', note: 'a' }, { status: 'PLAN' }, { status: 'APPLY', note: 'c' }];
  await tools.ok('task_update', { task_id, steps, lease_token });
  expect(await tools.ok('task_update', { task_id, steps, lease_token })).toMatchObject({
    status: 'APPLY',
    replayed: true,
  });
  const lost = await tools.no('task_update', { task_id, status: 'APPLY', note: 'c', lease_token: 5 }, 'ada');
  expect(lost.code).toBe('ERR_LEASE_LOST');
  expect(checkSubjects(tools.path, clock.now())).toEqual([]);
});

test('DONE again with the old token: the task as it is; a new note is kept', async () => {
  const tools = await openTaskTools();
  const { task_id, lease_token } = await tools.ok('task_create', { title: 't', claim_by: 'ada' });
  const steps = ['GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'DONE'].map((status) => ({ status, note: status }));
  await tools.ok('task_update', { task_id, steps, lease_token });
  const before = await contents(tools);
  for (const rest of [{ status: 'DONE' }, { status: 'DONE', note: 'DONE' }, { steps }])
    expect(await tools.ok('task_update', { task_id, lease_token, ...rest })).toMatchObject({
      ...{ status: 'DONE', version: 2, replayed: true },
    });
  expect(await contents(tools)).toEqual(before);
  const late = await tools.ok('task_update', { task_id, lease_token, status: 'DONE', note: 'one thing more' });
  expect(late).toMatchObject({ status: 'DONE', version: 2 });
  expect(late).not.toHaveProperty('replayed');
  expect((await tools.no('task_update', { task_id, lease_token, status: 'GATHER' })).code).toBe('ERR_LEASE_LOST');
  expect(checkSubjects(tools.path)).toEqual([]);
});

test('a lease that is given back twice stays given back, whoever it was handed to', async () => {
  const tools = await openTaskTools();
  const { task_id, lease_token } = await tools.ok('task_create', { title: 't', claim_by: 'ada' });
  await tools.ok('task_update', { task_id, lease_token, status: 'GATHER', note: 'begun' });
  const release = { task_id, lease_token, note: 'the rest is yours', assignee: 'bea', release: true };
  const { session_id: _session, ...first } = await tools.ok('task_update', release);
  const before = await contents(tools);
  expect(await tools.ok('task_update', release)).toEqual({ ...first, replayed: true });
  expect(await tools.ok('task_update', { task_id, lease_token, release: true })).toMatchObject({ replayed: true });
  expect(await contents(tools)).toEqual(before);
  // Anything that is not so already is a new wish, for which the lease is over.
  for (const more of [{ note: 'another note' }, { assignee: 'zoe' }, { status: 'ANALYZE' }, { title: 'u' }])
    expect((await tools.no('task_update', { ...release, ...more })).code).toBe('ERR_LEASE_LOST');
  await tools.ok('task_next_actions', { claim_by: 'bea', task_id });
  expect((await tools.no('task_update', release)).code).toBe('ERR_LEASE_LOST');
  expect(checkSubjects(tools.path)).toEqual([]);
});
