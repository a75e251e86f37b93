// Lists: nothing twice, nothing lost, no page longer than clients take.
import { expect, test } from 'vitest';
import { freshPlace } from '../process.js';
import { type Answer, allPages, bytesOf, codeOf, type Started, started } from './trail.js';

const EMOJI = '🐦';
const TYPES = ['plan', 'analysis', 'decision', 'reflection'];
const CONTENTS = [
  'short',
  'x'.repeat(280),
  'x'.repeat(281),
  EMOJI.repeat(300),
  '"'.repeat(4_000),
  `a${EMOJI.repeat(400)}`,
];

/** 150 thoughts over three sessions and two tasks, as they were answered. */
const fill = async (desk: Started): Promise<Answer[]> => {
  for (const title of ['one', 'two']) await desk.ok('task_create', { title });
  for (const session_id of ['a', 'b']) await desk.ok('audit_session_start', { intent: 'i', session_id });
  const made: Answer[] = [];
  for (let i = 0; i < 150; i++) {
    const [type, content] = [TYPES[i % 4], CONTENTS[i % 6]];
    const place = [
      { session_id: 'a' },
      { session_id: 'b', task_id: 'T-1' },
      { task_id: 'T-1' },
      { task_id: 'T-2' },
      {},
    ][i % 5];
    made.push({ type, content, ...place, ...(await desk.ok('thought_record', { type, content, ...place })) });
  }
  return made;
};

const ids = (rows: readonly Answer[]): string[] => rows.map(({ thought_id }) => thought_id);

test('every filter, every page size: all of it, once, in order', async () => {
  const place = freshPlace();
  const desk = await started(place);
  const made = await fill(desk);
  const where = (of: (row: Answer) => boolean) => ids(made.filter(of));
  const cases: [Answer, string[]][] = [
    [{}, ids(made)],
    [{ session_id: 'a' }, where(({ session_id }) => session_id === 'a')],
    [{ task_id: 't-1' }, where(({ task_id }) => task_id === 'T-1')],
    [{ type: 'decision' }, where(({ type }) => type === 'decision')],
    [{ session_id: 'b', type: 'plan' }, where((row) => row.session_id === 'b' && row.type === 'plan')],
    [{ task_id: 'T-2', type: 'reflection' }, where((row) => row.task_id === 'T-2' && row.type === 'reflection')],
  ];
  for (const [filter, wanted] of cases) {
    expect(wanted.length).toBeGreaterThan(5);
    for (const limit of [1, 7, 50, 500]) {
      expect(ids(await allPages(desk, { ...filter, limit })), JSON.stringify({ ...filter, limit })).toEqual(wanted);
    }
  }
  await desk.peer.end();
}, 60_000);

test('contents are cut at 280 characters, never inside one; how long they are is said', async () => {
  const place = freshPlace();
  const desk = await started(place);
  const made = await fill(desk);
  const rows = await allPages(desk, { limit: 500 });
  for (const [i, row] of rows.entries()) {
    const points = [...(made[i]?.content ?? '')];
    expect(row.content).toBe(points.slice(0, 280).join(''));
    expect(row.content.isWellFormed()).toBe(true);
    expect(row.content_chars).toBe(points.length);
    expect(Object.keys(row).toSorted()).toEqual([
      ...['agent_id', 'content', 'content_chars', 'hash', 'prev_hash', 'seq', 'session_id', 'skill', 'task_id'],
      ...['thought_id', 'timestamp', 'type'],
    ]);
  }
  const one = made[5]?.thought_id;
  expect((await desk.ok('thought_record_list', { thought_id: one })).thoughts).toMatchObject([
    { content: CONTENTS[5] },
  ]);
  await desk.peer.end();
}, 30_000);

test('a page with the widest rows there are stays under 24 KB', async () => {
  const place = freshPlace();
  const desk = await started(place);
  const [session_id, agent_id] = [EMOJI.repeat(128), '\u0001'.repeat(127).concat('x')];
  await desk.ok('audit_session_start', { intent: 'i', session_id });
  for (let i = 0; i < 40; i++) {
    await desk.ok('thought_record', { type: 'plan', content: '\u0001'.repeat(300).concat('x'), session_id, agent_id });
  }
  const answer = await desk.call('thought_record_list', { session_id, limit: 500 });
  expect(bytesOf(answer)).toBeLessThanOrEqual(24 * 1024);
  expect(answer.data.thoughts.length).toBeLessThan(40);
  expect((await allPages(desk, { session_id })).map(({ seq }) => seq)).toEqual(Array.from({ length: 40 }, (_, i) => i));
  await desk.peer.end();
});

test('a cursor is good for its own list alone; what is added behind it is seen', async () => {
  const place = freshPlace();
  const desk = await started(place);
  await fill(desk);
  const filters: Answer[] = [{}, { session_id: 'a' }, { session_id: 'b' }, { task_id: 'T-1' }, { type: 'plan' }];
  for (const own of filters) {
    const { next_cursor } = await desk.ok('thought_record_list', { ...own, limit: 1 });
    for (const other of filters) {
      const args = { ...other, limit: 3, cursor: next_cursor };
      if (own === other) await desk.ok('thought_record_list', args);
      else expect(codeOf(await desk.no('thought_record_list', args))).toBe('INVALID_PARAMS');
    }
    for (const forged of [`${next_cursor}A`, next_cursor.slice(1), next_cursor.slice(0, -2)]) {
      expect((await desk.no('thought_record_list', { ...own, cursor: forged })).code).toBe('INVALID_PARAMS');
    }
  }
  const page = await desk.ok('thought_record_list', { session_id: 'a', limit: 29 });
  const added = await desk.ok('thought_record', { type: 'plan', content: 'late', session_id: 'a' });
  const rest = await desk.ok('thought_record_list', { session_id: 'a', limit: 29, cursor: page.next_cursor });
  expect(ids(rest.thoughts).at(-1)).toBe(added.thought_id);
  await desk.peer.end();
}, 30_000);
