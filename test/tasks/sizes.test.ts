// Results stay under the size at which clients cut them, whatever is in the store; lists give fewer rows and a cursor.
import { expect, test } from 'vitest';
import { listedTool } from '../../src/call/registry.js';
import { registerTaskTools } from '../../src/domains/tasks/register.js';
import { createServer } from '../../src/server.js';
import { type Answer, type Desk, errorIn, openDesk, taskIn } from './desk.js';

const RESULT_BYTES = 24_576;
const LIST_BYTES = 5_120;

const bytesOf = (answer: Answer): number => Buffer.byteLength(JSON.stringify(answer));
const EMOJI_TITLE = '🐦'.repeat(256);
const EMOJI_NAME = '🐦'.repeat(128);
/** Six bytes a character on the wire. */
const CONTROL_TITLE = `${'\u0001'.repeat(255)}x`;
const CONTROL_NAME = `${'\u0001'.repeat(127)}x`;
const range = (count: number) => Array.from({ length: count }, (_, i) => i);

test('the five tools cost at most 5 KB of tools/list', () => {
  const ctx = createServer({ mode: 'FULL' });
  registerTaskTools(ctx, null);
  const listed = [...ctx.tools.values()].map(listedTool);
  expect(listed).toHaveLength(5);
  expect(Buffer.byteLength(JSON.stringify(listed))).toBeLessThanOrEqual(LIST_BYTES);
});

/** A hundred tasks to wait for, in the way of nobody else's numbers. */
const hundred = async (desk: Desk): Promise<string[]> => {
  const made = range(100).map((i) => desk.ok('task_create', { title: `d${i}`, project: 'deps', priority: 'low' }));
  return (await Promise.all(made)).map(({ task_id }) => task_id);
};

test('200 tasks with the longest titles and 100 dependencies each, page by page, each once', async () => {
  const desk = await openDesk();
  const depends_on = await hundred(desk);
  const rest = { project: EMOJI_NAME, assignee: EMOJI_NAME, depends_on };
  for (let i = 0; i < 200; i++) await desk.ok('task_create', { title: EMOJI_TITLE, ...rest });
  for (const filter of [{ project: EMOJI_NAME }, { project: EMOJI_NAME, search: '🐦🐦' }]) {
    const seen: string[] = [];
    let cursor: string | null = null;
    let pages = 0;
    do {
      const answer: Answer = await desk.call('task_list', { ...filter, limit: 200, ...(cursor && { cursor }) });
      expect(errorIn(answer)).toBeUndefined();
      expect(bytesOf(answer)).toBeLessThanOrEqual(RESULT_BYTES);
      seen.push(...answer.data.tasks.map((task: Answer) => task.task_id));
      cursor = answer.data.next_cursor;
      pages += 1;
    } while (cursor !== null);
    expect(seen).toHaveLength(200);
    expect(new Set(seen).size).toBe(200);
    expect(pages).toBeLessThan(60);
  }
  const waiting = await desk.call('task_next_actions', { project: EMOJI_NAME });
  expect(waiting.data.blocked).toHaveLength(10);
  expect(bytesOf(waiting)).toBeLessThanOrEqual(RESULT_BYTES);
});

test.each([
  ['emoji', EMOJI_TITLE, EMOJI_NAME],
  ['control characters', CONTROL_TITLE, CONTROL_NAME],
])('a hundred next actions with the longest texts, dependencies and dependents: %s', async (_, title, name) => {
  const desk = await openDesk();
  const done = await Promise.all(range(100).map(() => taskIn(desk, 'DONE', { project: 'deps' })));
  const depends_on = done.map(({ task_id }) => task_id);
  const rest = { title, project: name, assignee: name, depends_on };
  const made = await Promise.all(range(100).map(() => desk.ok('task_create', rest)));
  for (const task of made.slice(0, 10)) {
    for (let i = 0; i < 10; i++) await desk.ok('task_create', { title, project: name, depends_on: [task.task_id] });
  }
  const looked = await desk.call('task_next_actions', { project: name, limit: 100 });
  expect(looked.data.actions.length).toBeGreaterThanOrEqual(3);
  expect(looked.data.actions[0].unblocks).toHaveLength(10);
  expect(bytesOf(looked)).toBeLessThanOrEqual(RESULT_BYTES);
  const claimed = await desk.call('task_next_actions', { project: name, claim_by: name });
  expect(claimed.data.actions).toHaveLength(1);
  expect(bytesOf(claimed)).toBeLessThanOrEqual(RESULT_BYTES);
});

/** Takes 16,384 bytes on the wire, whatever it is made of. */
const DESCRIPTIONS: readonly [string, string][] = [
  ['letters', 'x'.repeat(16_384)],
  ['quotes', '"'.repeat(8_192)],
  ['control characters', `${'\u0001'.repeat(2_730)}xxxx`],
  ['emoji', '🐦'.repeat(4_096)],
];

test.each(DESCRIPTIONS)(
  'the longest description, made of %s: created, read, updated, repeated after a refusal',
  async (_, description) => {
    const desk = await openDesk();
    const depends_on = await hundred(desk);
    const texts = { title: CONTROL_TITLE, project: CONTROL_NAME, assignee: CONTROL_NAME, description, depends_on };
    const created = await desk.call('task_create', { ...texts, idempotency_key: CONTROL_NAME });
    expect(bytesOf(created)).toBeLessThanOrEqual(RESULT_BYTES);
    const { task_id } = created.data;
    const read = await desk.call('task_get', { task_id });
    expect(read.data.description).toBe(description);
    expect(bytesOf(read)).toBeLessThanOrEqual(RESULT_BYTES);
    const longer = await desk.no('task_create', { title: 't', description: `${description}x` });
    expect(longer).toMatchObject({ code: 'INVALID_PARAMS' });
    expect(longer.message).toContain('shorten it');

    const note = 'n'.repeat(4_096);
    for (const wrong of [{ expected_version: 7 }, { status: 'APPLY' }, { lease_token: 9 }]) {
      const refused = await desk.call('task_update', { task_id, ...texts, description, note, ...wrong });
      expect(errorIn(refused)?.message.length).toBeLessThanOrEqual(300);
      expect(bytesOf(refused)).toBeLessThanOrEqual(RESULT_BYTES);
      for (const { tool, arguments: args } of errorIn(refused)?.details.next ?? []) await desk.ok(tool, args);
    }
  },
);

test('refusals that name a hundred tasks, or a way of hundreds, stay short and say what to do', async () => {
  const desk = await openDesk();
  const depends_on = await hundred(desk);
  const waiting = await taskIn(desk, 'PLAN', { title: 'waits', depends_on });
  const blocked = await desk.no('task_update', { task_id: waiting.task_id, status: 'APPLY' });
  expect(blocked).toMatchObject({ code: 'ERR_BLOCKED', details: { blocked_by: depends_on } });
  const nobody = range(100).map((i) => `T-${900_000 + i}`);
  const missing = await desk.no('task_create', { title: 't', depends_on: nobody });
  expect(missing).toMatchObject({ code: 'ERR_NOT_FOUND', details: { missing: nobody } });
  const rewired = await desk.no('task_update', { task_id: waiting.task_id, depends_on: nobody });
  expect(rewired).toMatchObject({ code: 'ERR_NOT_FOUND', details: { missing: nobody } });

  let last = await desk.ok('task_create', { title: 'first of the ring' });
  const first = last.task_id;
  for (let i = 0; i < 300; i++) last = await desk.ok('task_create', { title: 'ring', depends_on: [last.task_id] });
  const ring = await desk.no('task_update', { task_id: first, depends_on: [last.task_id] });
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
  const lease = await desk.ok('task_next_actions', { claim_by: '🐦'.repeat(128) });
  const held = await desk.no('task_update', { task_id: lease.actions[0].task.task_id, status: 'GATHER' });
  expect(held.message).toMatch(/shows it\.$/);
}, 30_000);
