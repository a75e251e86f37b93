// A holder that dies, comes late, gives back, or goes on working.
import { expect, test } from 'vitest';
import { checkSubjects } from '../support/evidence-check.js';
import { claim, listed } from './lease.shared.js';
import { handClock, MINUTE, openTaskTools } from './task-tools.js';

test('more expired leases than a claim clears, most of them on tasks that are not for now', async () => {
  const clock = handClock();
  const tools = await openTaskTools();
  const count = 130;
  const { task_id: blocker } = await tools.ok('task_create', { title: 'blocker', project: 'elsewhere' });
  for (let i = 0; i < count; i++) await tools.ok('task_create', { title: `t${i}`, project: i < count - 1 ? 'a' : 'b' });
  for (let i = 0; i < count - 1; i++) {
    const one = await claim(tools, 'dead', { project: 'a', another: true });
    await tools.ok('task_update', { task_id: one?.task.task_id, lease_token: one?.lease_token, depends_on: [blocker] });
    clock.pass(1);
  }
  const last = await claim(tools, 'dead', { project: 'b' });
  clock.pass(31 * MINUTE);
  expect(await listed(tools, { project: 'b' })).toEqual([last?.task.task_id]);
  expect(await claim(tools, 'heir', { project: 'b' })).toMatchObject({ task: { task_id: last?.task.task_id } });
  const empty = await tools.ok('task_next_actions', { project: 'a', claim_by: 'heir' });
  expect(empty.reason).toMatch(/^every open task waits for others/);
  expect(empty.blocked).toHaveLength(10);
  expect(checkSubjects(tools.path, clock.now())).toEqual([]);
});

test('with 1,500 live leases a holder still finds its own, and what has expired is offered', async () => {
  const clock = handClock();
  const tools = await openTaskTools();
  const { task_id: expired } = await tools.ok('task_create', { title: 'expired', assignee: 'x', priority: 'low' });
  const { task_id: own } = await tools.ok('task_create', { title: 'own', assignee: 'me', priority: 'low' });
  const crowd = Array.from({ length: 1_500 }, () => ({ title: 'other', assignee: 'crowd' }));
  await Promise.all(crowd.map((other) => tools.ok('task_create', other)));
  await Promise.all(
    Array.from({ length: 1_500 }, () => claim(tools, 'crowd', { assignee: 'crowd', lease_minutes: 60, another: true })),
  );
  clock.pass(1_000);
  await claim(tools, 'me', { assignee: 'me', lease_minutes: 1440 });
  await claim(tools, 'x', { assignee: 'x', lease_minutes: 61 });
  expect(await listed(tools, { assignee: 'me' })).toEqual([own]);
  clock.pass(62 * MINUTE);
  // Now 1,501 have run out, the one asked for last of all.
  expect(await listed(tools, { assignee: 'x' })).toEqual([expired]);
  expect(await listed(tools, { assignee: 'me' })).toEqual([own]);
}, 90_000);
