// A refusal comes with ready calls. They succeed in the order given, change no task that the caller did not name, and keep what the caller
// sent.
import { expect, test } from 'vitest';
import { walkAdvice } from './advice.shared.js';
import { openTaskTools, taskIn } from './task-tools.js';

test('random wrong requests: the advice harms nothing and reaches what the rules allow', async () => {
  const { codes, reached } = await walkAdvice(12, 11);
  expect([...codes.keys()]).toEqual(expect.arrayContaining(['ERR_INVALID_TRANSITION', 'ERR_VERSION_CONFLICT']));
  expect(reached).toBeGreaterThan(2);
}, 30_000);

test('a wish over several states is one call, and the note stays with the state it was written for', async () => {
  const tools = await openTaskTools();
  const { task_id } = await taskIn(tools, 'APPLY');
  const advice = async (rest: object) => (await tools.no('task_update', { task_id, ...rest })).details.next;
  expect(await advice({ status: 'DONE', note: 'all green', title: 'better' })).toEqual([
    {
      tool: 'task_update',
      arguments: { task_id, title: 'better', steps: [{ status: 'VERIFY' }, { status: 'DONE', note: 'all green' }] },
    },
  ]);
  // DONE needs a note that only the caller can write.
  const upTo = { tool: 'task_update', arguments: { task_id, status: 'VERIFY' } };
  expect(await advice({ status: 'DONE' })).toEqual([upTo]);
  await tools.ok('task_update', { task_id, note: 'checked' });
  expect((await advice({ status: 'DONE' }))[0].arguments.steps).toEqual([{ status: 'VERIFY' }, { status: 'DONE' }]);
});

test('a list of dependencies is never emptied, and a blocker is only looked at', async () => {
  const tools = await openTaskTools();
  const [first, gone] = [await taskIn(tools, 'INIT'), await taskIn(tools, 'CANCELLED')];
  const { task_id } = await taskIn(tools, 'PLAN', { depends_on: [first.task_id] });
  const missing = await tools.no('task_update', { task_id, depends_on: ['T-999'], note: 'why' });
  expect(missing.details.next).toEqual([{ tool: 'task_update', arguments: { task_id, note: 'why' } }]);
  const cancelled = await tools.no('task_update', { task_id, depends_on: [gone.task_id] });
  expect(cancelled).toMatchObject({ code: 'ERR_DEPENDENCY_CANCELLED', details: { cancelled: [gone.task_id] } });
  expect(cancelled.details.next).toEqual([{ tool: 'task_get', arguments: { task_id } }]);
  const blocked = await tools.no('task_update', { task_id, status: 'APPLY', note: 'go' });
  expect(blocked.details.next).toEqual([{ tool: 'task_get', arguments: { task_id: first.task_id } }]);
  expect((await tools.ok('task_get', { task_id })).depends_on).toEqual([first.task_id]);
});

test('a call that drops a cancelled dependency is announced where the message is about something else', async () => {
  const tools = await openTaskTools();
  const { task_id: gone } = await taskIn(tools, 'INIT');
  const { task_id } = await tools.ok('task_create', { title: 'waits in vain', depends_on: [gone] });
  await tools.ok('task_update', { task_id: gone, status: 'CANCELLED' });
  const skipped = await tools.no('task_update', { task_id, status: 'APPLY' });
  expect(skipped.code).toBe('ERR_INVALID_TRANSITION');
  expect(skipped.details.next[0].arguments.depends_on).toEqual([]);
  expect(skipped.message).toContain('details.next drops that one from depends_on');
});
