// What a call leaves behind: thoughts with their reasons, records, payloads, numbers; and what it leaves alone.
import { expect, test } from 'vitest';
import { checkSubjects } from '../support/evidence-check.js';
import { Ledger, receiptOf } from '../support/ledger-check.js';
import { freshPlace, session } from '../support/serve.js';
import { type Answer, handClock, openTaskTools, STEPS_TO, TASK_STATES, type TaskTools, taskIn } from './task-tools.js';

const thoughtsOf = (tools: TaskTools, task_id: string): Promise<Answer[]> =>
  tools.store.read((tx) => tx.all('SELECT * FROM thoughts WHERE task_id = ? ORDER BY session_id, place', task_id));

const exits = (tools: TaskTools): readonly Answer[] => new Ledger(tools.path).ofKind('call.exit');

const TYPES: Answer = {
  INIT: 'analysis',
  GATHER: 'analysis',
  ANALYZE: 'analysis',
  PLAN: 'plan',
  APPLY: 'decision',
  VERIFY: 'reflection',
  DONE: 'reflection',
  CANCELLED: 'decision',
};

test('a note becomes a thought of the right type, in one chain, and the reason of its change', async () => {
  const tools = await openTaskTools();
  for (const state of TASK_STATES) {
    const before = await taskIn(tools, STEPS_TO[state].length === 0 ? 'INIT' : (STEPS_TO[state].at(-2) ?? 'INIT'));
    const { task_id } = before;
    await tools.ok('task_update', { task_id, status: state, note: `why ${state}` }, 'client');
    const [thought, ...others] = await thoughtsOf(tools, task_id);
    expect(others).toEqual([]);
    expect(thought).toMatchObject({ type: TYPES[state], content: `why ${state}`, agent_id: 'client', attempt: 1 });
    const last = exits(tools).at(-1);
    expect(last?.subjects).toContainEqual({ type: 'thought', id: thought?.thought_id, rev: 1, digest: thought?.hash });
    expect(thought?.seq).toBe(last?.seq);
    if (state === 'INIT') expect(last).not.toHaveProperty('changes');
    else expect(last?.changes).toMatchObject([{ task_id, to: state, because: thought?.thought_id }]);
    expect(last?.changes?.[0]?.thought).toBe(state === 'DONE' ? thought?.thought_id : undefined);
    expect(last?.done).toEqual(state === 'APPLY' ? [] : undefined);
    // Alone it is of the state the task is in.
    await tools.ok('task_update', { task_id, note: 'later' });
    expect((await thoughtsOf(tools, task_id)).map(({ type }) => type)).toEqual([TYPES[state], TYPES[state]]);
  }
  const moved = await taskIn(tools, 'GATHER');
  expect(exits(tools).at(-1)?.changes).toEqual([
    { task_id: moved.task_id, from: 'INIT', to: 'GATHER', version: 2, attempt: 1 },
  ]);
  expect(checkSubjects(tools.path)).toEqual([]);
});

test('a note alone changes neither version nor time; nor does what is already so', async () => {
  const clock = handClock();
  const tools = await openTaskTools();
  const task = await tools.whole('task_create', { title: 'same', description: 'd', assignee: 'ann' });
  clock.pass(5_000);
  const { task_id, title, description, assignee } = task;
  expect(await tools.ok('task_update', { task_id, note: 'thinking' })).toMatchObject({ version: 1 });
  expect(
    exits(tools)
      .at(-1)
      ?.subjects.map(({ type }: Answer) => type)
      .sort(),
  ).toEqual(['session', 'thought']);
  const again = { task_id, title, description, assignee, depends_on: [], status: 'INIT', priority: 'normal' };
  expect(await tools.ok('task_update', again)).toMatchObject({ version: 1 });
  await tools.ok('task_update', { task_id });
  expect(exits(tools).at(-1)).not.toHaveProperty('subjects');
  expect(await tools.ok('task_get', { task_id })).toEqual({ ...task, thoughts: 1 });
  const changed = await tools.whole('task_update', { task_id, description: null });
  expect(changed).toMatchObject({ version: 2, updated_at: clock.now(), description: null });
});

test('a refused change leaves no note', async () => {
  const tools = await openTaskTools();
  const { task_id } = await taskIn(tools, 'INIT');
  await tools.no('task_update', { task_id, status: 'DONE', note: 'too early' });
  expect(await thoughtsOf(tools, task_id)).toEqual([]);
  expect(await tools.store.read((tx) => tx.all('SELECT * FROM sessions'))).toEqual([]);
});

test('the retry raises the attempt, and DONE wants a new thought then', async () => {
  const tools = await openTaskTools();
  const { task_id } = await taskIn(tools, 'VERIFY');
  await tools.ok('task_update', { task_id, note: 'it does not hold' });
  expect(await tools.ok('task_update', { task_id, status: 'GATHER', note: 'again' })).toMatchObject({ attempt: 2 });
  for (const status of ['ANALYZE', 'PLAN', 'APPLY', 'VERIFY']) await tools.ok('task_update', { task_id, status });
  const error = await tools.no('task_update', { task_id, status: 'DONE' });
  expect(error).toMatchObject({ code: 'ERR_WRITEBACK_REQUIRED', details: { missing: ['thought'] } });
  await tools.ok('task_update', { task_id, note: 'now it does' });
  expect(await tools.ok('task_update', { task_id, status: 'DONE' })).toMatchObject({ status: 'DONE', attempt: 2 });
  expect((await thoughtsOf(tools, task_id)).map(({ attempt }) => attempt)).toEqual([1, 1, 2]);
  expect(checkSubjects(tools.path)).toEqual([]);
});

test('a repeated request finds its task and writes nothing; another one under its key is refused', async () => {
  const tools = await openTaskTools();
  const request = { title: 'once', description: 'd', idempotency_key: 'k' };
  const task = await tools.ok('task_create', request);
  const first = exits(tools).at(-1);
  const moved = await tools.ok('task_update', { task_id: task.task_id, status: 'GATHER' });
  const again = { ...moved, replayed: true };
  expect(await tools.ok('task_create', request)).toEqual(again);
  expect(await tools.ok('task_create', { ...request, priority: 'normal', depends_on: [] })).toEqual(again);
  const replayed = exits(tools).at(-1);
  expect(replayed).toMatchObject({ tool: 'task_create', outcome: 'ok', replay_of: first?.sequence_no });
  expect(replayed).not.toHaveProperty('subjects');
  for (const other of [{ title: 'twice' }, { priority: 'low' }, { depends_on: ['T-1'] }, { depends_on: ['T-777'] }]) {
    const error = await tools.no('task_create', { ...request, ...other });
    expect(error).toMatchObject({ code: 'ERR_IDEMPOTENCY_MISMATCH', details: { task_id: task.task_id } });
    for (const { tool, arguments: args } of error.details.next) await tools.ok(tool, args);
  }
  expect((await tools.ok('task_list', {})).tasks).toHaveLength(1);
  expect(checkSubjects(tools.path)).toEqual([]);
});

test('a number never comes back', async () => {
  const tools = await openTaskTools();
  await tools.ok('task_create', { title: 'one' });
  await tools.ok('task_create', { title: 'two' });
  await tools.no('task_create', { title: 'none', depends_on: ['T-99'] });
  await tools.store.write((tx) => tx.run('DELETE FROM tasks WHERE n = 2'));
  expect((await tools.ok('task_create', { title: 'three' })).task_id).toBe('T-0003');
});

test('a dependency that is taken back, or cancelled, or done', async () => {
  const tools = await openTaskTools();
  const [a, b, c] = [await taskIn(tools, 'VERIFY'), await taskIn(tools, 'VERIFY'), await taskIn(tools, 'VERIFY')];
  const depends_on = [a.task_id, b.task_id, c.task_id];
  const { task_id } = await taskIn(tools, 'PLAN', { depends_on });
  const openDeps = async () =>
    (await tools.store.read((tx) => tx.get<{ open_deps: number }>('SELECT open_deps FROM tasks WHERE n = 4')))
      ?.open_deps;
  await tools.ok('task_update', { task_id: a.task_id, status: 'DONE', note: 'n' });
  expect(await openDeps()).toBe(2);
  await tools.ok('task_update', { task_id, depends_on: [a.task_id, c.task_id] });
  expect(await openDeps()).toBe(1);
  await tools.ok('task_update', { task_id: b.task_id, status: 'DONE', note: 'n' });
  expect(await openDeps()).toBe(1);
  await tools.ok('task_update', { task_id: c.task_id, status: 'CANCELLED' });
  expect(await tools.ok('task_get', { task_id })).toMatchObject({ blocked_by: [c.task_id] });
  const blocked = await tools.no('task_update', { task_id, status: 'APPLY', note: 'go' });
  expect(blocked.details.next).toEqual([
    { tool: 'task_update', arguments: { task_id, status: 'APPLY', note: 'go', depends_on: [a.task_id] } },
  ]);
  // Both at once: the new dependencies count.
  const more = await taskIn(tools, 'INIT');
  const waiting = { task_id, status: 'APPLY', depends_on: [a.task_id, more.task_id] };
  expect((await tools.no('task_update', waiting)).code).toBe('ERR_BLOCKED');
  const gone = await tools.whole('task_update', { task_id, status: 'APPLY', depends_on: [a.task_id, b.task_id] });
  expect(gone).toMatchObject({ status: 'APPLY', blocked_by: [] });
  expect(checkSubjects(tools.path)).toEqual([]);
});

test('over the wire: payloads leave out the texts that the tools keep', async () => {
  const place = freshPlace();
  const texts = ['the title', 'the description', 'the note'];
  const { value: receipts } = await session(place, async (peer) => {
    const answers = [
      await peer.call('task_create', { title: texts[0], description: texts[1], priority: 'high' }),
      await peer.call('task_update', { task_id: 'T-1', title: texts[0], note: texts[2], status: 'GATHER' }),
      await peer.call('task_update', { task_id: 'T-1', titel: 'x', note: texts[2] }),
    ];
    return answers.map(receiptOf);
  });
  const ledger = new Ledger(place.db);
  const payloads = receipts.map((receipt) => ledger.pairOf(receipt).enter.payload?.json);
  expect(payloads).toEqual([
    '{"priority":"high"}',
    '{"status":"GATHER","task_id":"T-1"}',
    '{"task_id":"T-1","titel":"x"}',
  ]);
  const bodies = JSON.stringify(ledger.records.map(({ body }) => body));
  for (const text of texts) expect(bodies).not.toContain(text);
  expect(checkSubjects(place.db)).toEqual([]);
});
