// Results stay under the size at which clients cut them, whatever is in the store; lists give fewer rows and a cursor.
import { expect, test } from 'vitest';
import { listedTool } from '../../src/call/registry.js';
import { createServer } from '../../src/server.js';
import { registerTaskTools } from '../../src/start/register-tools.js';
import { bytesOf, hundred, RESULT_BYTES, range } from './sizes.shared.js';
import { openTaskTools, taskIn } from './task-tools.js';

const LIST_BYTES = 6.5 * 1024;

test('the five tools cost at most 6.5 KB of tools/list', () => {
  const ctx = createServer({ mode: 'FULL' });
  registerTaskTools(ctx, () => null);
  const listed = [...ctx.tools.values()].map(listedTool);
  expect(listed).toHaveLength(5);
  expect(Buffer.byteLength(JSON.stringify(listed))).toBeLessThanOrEqual(LIST_BYTES);
});

test('refusals that name a hundred tasks, or a way of hundreds, stay short and say what to do', async () => {
  const tools = await openTaskTools();
  const depends_on = await hundred(tools);
  const waiting = await taskIn(tools, 'PLAN', { title: 'waits', depends_on });
  const blocked = await tools.no('task_update', { task_id: waiting.task_id, status: 'APPLY' });
  expect(blocked).toMatchObject({ code: 'ERR_BLOCKED', details: { blocked_by: depends_on } });
  const nobody = range(100).map((i) => `T-${900_000 + i}`);
  const missing = await tools.no('task_create', { title: 't', depends_on: nobody });
  expect(missing).toMatchObject({ code: 'ERR_NOT_FOUND', details: { missing: nobody } });
  const rewired = await tools.no('task_update', { task_id: waiting.task_id, depends_on: nobody });
  expect(rewired).toMatchObject({ code: 'ERR_NOT_FOUND', details: { missing: nobody } });

  let last = await tools.ok('task_create', { title: 'first of the ring' });
  const first = last.task_id;
  for (let i = 0; i < 300; i++) last = await tools.ok('task_create', { title: 'ring', depends_on: [last.task_id] });
  const ring = await tools.no('task_update', { task_id: first, depends_on: [last.task_id] });
  expect(ring.code).toBe('ERR_DEPENDENCY_CYCLE');
  expect(ring.details.path).toHaveLength(101);
  expect(ring.details.path.at(0)).toBe(first);
  expect(ring.details.path.at(-1)).toBe(first);
  for (const error of [blocked, missing, rewired, ring]) {
    expect(error.message.length).toBeLessThanOrEqual(300);
    expect(error.message).not.toContain('…');
    expect(error.message).toMatch(/[.]$/);
    expect(bytesOf(error)).toBeLessThanOrEqual(RESULT_BYTES - 64);
  }
  const lease = await tools.ok('task_next_actions', { claim_by: '🐦'.repeat(128) });
  const held = await tools.no('task_update', { task_id: lease.actions[0].task.task_id, status: 'GATHER' });
  expect(held.message).toMatch(/gives you the token again\.$/);
}, 30_000);
