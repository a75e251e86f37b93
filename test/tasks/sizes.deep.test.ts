// Results stay under the size at which clients cut them, whatever is in the store; lists give fewer rows and a cursor.
import { expect, test } from 'vitest';
import { bytesOf, hundred, RESULT_BYTES, range } from './sizes.shared.js';
import { type Answer, errorIn, openTaskTools, taskIn } from './task-tools.js';

const EMOJI_TITLE = '🐦'.repeat(256);
const EMOJI_NAME = '🐦'.repeat(128);
/** Six bytes a character on the wire. */
const CONTROL_TITLE = `${'\u0001'.repeat(255)}x`;
const CONTROL_NAME = `${'\u0001'.repeat(127)}x`;

/** Takes 16,384 bytes on the wire, whatever it is made of. */
const DESCRIPTIONS: readonly [string, string][] = [
  ['letters', 'x'.repeat(16_384)],
  ['quotes', '"'.repeat(8_192)],
  ['control characters', `${'\u0001'.repeat(2_730)}xxxx`],
  ['emoji', '🐦'.repeat(4_096)],
];

test('200 tasks with the longest titles and 100 dependencies each, page by page, each once', async () => {
  const tools = await openTaskTools();
  const depends_on = await hundred(tools);
  const rest = { project: EMOJI_NAME, assignee: EMOJI_NAME, depends_on };
  for (let i = 0; i < 200; i++) await tools.ok('task_create', { title: EMOJI_TITLE, ...rest });
  for (const filter of [{ project: EMOJI_NAME }, { project: EMOJI_NAME, search: '🐦🐦' }]) {
    const seen: string[] = [];
    let cursor: string | null = null;
    let pages = 0;
    do {
      const answer: Answer = await tools.call('task_list', { ...filter, limit: 200, ...(cursor && { cursor }) });
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
  const waiting = await tools.call('task_next_actions', { project: EMOJI_NAME });
  expect(waiting.data.blocked).toHaveLength(10);
  expect(bytesOf(waiting)).toBeLessThanOrEqual(RESULT_BYTES);
});

test.each([
  ['emoji', EMOJI_TITLE, EMOJI_NAME],
  ['control characters', CONTROL_TITLE, CONTROL_NAME],
])('a hundred next actions with the longest texts, dependencies and dependents: %s', async (_, title, name) => {
  const tools = await openTaskTools();
  const done = await Promise.all(range(100).map(() => taskIn(tools, 'DONE', { project: 'deps' })));
  const depends_on = done.map(({ task_id }) => task_id);
  const rest = { title, project: name, assignee: name, depends_on };
  const made = await Promise.all(range(100).map(() => tools.ok('task_create', rest)));
  for (const task of made.slice(0, 10)) {
    for (let i = 0; i < 10; i++) await tools.ok('task_create', { title, project: name, depends_on: [task.task_id] });
  }
  const looked = await tools.call('task_next_actions', { project: name, limit: 100 });
  expect(looked.data.actions.length).toBeGreaterThanOrEqual(3);
  expect(looked.data.actions[0].unblocks).toHaveLength(10);
  expect(bytesOf(looked)).toBeLessThanOrEqual(RESULT_BYTES);
  const claimed = await tools.call('task_next_actions', { project: name, claim_by: name });
  expect(claimed.data.actions).toHaveLength(1);
  expect(bytesOf(claimed)).toBeLessThanOrEqual(RESULT_BYTES);
});

test.each(DESCRIPTIONS)(
  'the longest description, made of %s: created, read, updated, repeated after a refusal',
  async (_, description) => {
    const tools = await openTaskTools();
    const depends_on = await hundred(tools);
    const texts = { title: CONTROL_TITLE, project: CONTROL_NAME, assignee: CONTROL_NAME, description, depends_on };
    const created = await tools.call('task_create', { ...texts, idempotency_key: CONTROL_NAME });
    expect(bytesOf(created)).toBeLessThanOrEqual(RESULT_BYTES);
    const { task_id } = created.data;
    const read = await tools.call('task_get', { task_id });
    expect(read.data.description).toBe(description);
    expect(bytesOf(read)).toBeLessThanOrEqual(RESULT_BYTES);
    const longer = await tools.no('task_create', { title: 't', description: `${description}x` });
    expect(longer).toMatchObject({ code: 'INVALID_PARAMS' });
    expect(longer.message).toContain('shorten it');

    const note = 'n'.repeat(4_096);
    for (const wrong of [{ expected_version: 7 }, { status: 'APPLY' }, { lease_token: 9 }]) {
      const refused = await tools.call('task_update', { task_id, ...texts, description, note, ...wrong });
      expect(errorIn(refused)?.message.length).toBeLessThanOrEqual(300);
      expect(bytesOf(refused)).toBeLessThanOrEqual(RESULT_BYTES);
      for (const { tool, arguments: args } of errorIn(refused)?.details.next ?? []) await tools.ok(tool, args);
    }
  },
);
