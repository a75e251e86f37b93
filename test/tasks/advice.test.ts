// A refusal comes with ready calls. Random worlds, random wrong moves: every call succeeds in the order given, at most
// three, and where three calls can fulfil the wish, they do.
import { expect, test } from 'vitest';
import { type NextCall, openTaskTools, taskIn } from './task-tools.js';

test('a blocker that two tasks wait for is ended once', async () => {
  const tools = await openTaskTools();
  const shared = await taskIn(tools, 'VERIFY');
  const between = await taskIn(tools, 'PLAN', { depends_on: [shared.task_id] });
  const { task_id } = await taskIn(tools, 'PLAN', { depends_on: [shared.task_id, between.task_id] });
  const { details } = await tools.no('task_update', { task_id, status: 'APPLY' });
  const steps = details.next.map(({ arguments: args }: NextCall) => `${args.task_id} ${args.status}`);
  expect(steps).toEqual([`${shared.task_id} DONE`, `${between.task_id} APPLY`, `${between.task_id} VERIFY`]);
  for (const { tool, arguments: args } of details.next) await tools.ok(tool, args);
});

test('a note is suggested only where DONE needs one', async () => {
  const tools = await openTaskTools();
  const { task_id } = await taskIn(tools, 'APPLY');
  const notes = async () => {
    const { details } = await tools.no('task_update', { task_id, status: 'DONE' });
    return details.next.map(({ arguments: args }: NextCall) => 'note' in args);
  };
  expect(await notes()).toEqual([false, true]);
  await tools.ok('task_update', { task_id, note: 'Checked.' });
  expect(await notes()).toEqual([false, false]);
});
