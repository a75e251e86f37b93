// The list against a filter that anybody can read: every combination, page by page, while others write.
import { expect, test } from 'vitest';
import { pages } from './list.shared.js';
import { type Answer, openTaskTools } from './task-tools.js';

test('every row that was there is given once while others write; nothing twice', async () => {
  const tools = await openTaskTools();
  const before: string[] = [];
  for (let i = 0; i < 60; i++) before.push((await tools.ok('task_create', { title: `old ${i}` })).task_id);
  let n = 0;
  const write = async () => {
    await tools.ok('task_create', { title: `new ${n++}` });
    await tools.ok('task_update', { task_id: before[(n * 7) % 60], title: `old but new ${n}` });
  };
  for (const filter of [{}, { priority: 'normal' }, { search: 'old' }]) {
    const seen = await pages(tools, filter, 7, n < 200 ? write : undefined);
    expect(new Set(seen).size).toBe(seen.length);
    expect(before.filter((id) => !seen.includes(id))).toEqual([]);
  }
});

test('a cursor belongs to its filter and to nothing else', async () => {
  const tools = await openTaskTools({ project: 'mine' });
  for (let i = 0; i < 5; i++) await tools.ok('task_create', { title: `t ${i}` });
  const filter = { status: ['INIT', 'DONE'], search: 't', limit: 2 };
  const { next_cursor: cursor } = await tools.ok('task_list', filter);
  expect((await tools.ok('task_list', { ...filter, cursor })).tasks).toHaveLength(2);
  expect(
    (await tools.ok('task_list', { ...filter, status: ['DONE', 'INIT', 'INIT'], limit: 1, cursor })).tasks,
  ).toHaveLength(1);
  const strangers: Answer[] = [
    { limit: 2 },
    { ...filter, status: 'INIT' },
    { ...filter, search: 'T' },
    { ...filter, project: '*' },
    { ...filter, project: 'other' },
    { ...filter, assignee: 'ann' },
    { ...filter, priority: 'low' },
  ];
  for (const other of strangers) {
    const error = await tools.no('task_list', { ...other, cursor });
    expect(error.code).toBe('INVALID_PARAMS');
    expect(error.message).toContain('without the cursor');
  }
  const flipped = `${cursor[0] === 'A' ? 'B' : 'A'}${cursor.slice(1)}`;
  const forged = [
    flipped,
    cursor.slice(0, -1),
    cursor.slice(1),
    `${cursor}A`,
    `${cursor}=`,
    '',
    ' ',
    'null',
    '[1]',
    '💣',
  ];
  const made = [Buffer.from('[0]'), Buffer.from(`${'0'.repeat(16)}[2]`), Buffer.from(`${'0'.repeat(16)}["x"]`)];
  for (const bad of [...forged, ...made.map((bytes) => bytes.toString('base64url'))]) {
    expect((await tools.no('task_list', { ...filter, cursor: bad })).code, JSON.stringify(bad)).toBe('INVALID_PARAMS');
  }
});

test('a search that has looked far enough hands out a cursor and goes on', async () => {
  const tools = await openTaskTools();
  // Straight into the table: what is searched is what counts here.
  await tools.ok('task_create', { title: 'needle first' });
  await tools.store.write(async (tx) => {
    const columns = (await tx.all<{ name: string }>("SELECT name FROM pragma_table_info('tasks')"))
      .map(({ name }) => name)
      .filter((name) => name !== 'n');
    const list = columns.join(', ');
    const copied = columns.map((name) => (['title', 'search_text'].includes(name) ? "'hay'" : name)).join(', ');
    await tx.run(
      `WITH RECURSIVE many (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM many WHERE i < 6000)
       INSERT INTO tasks (${list}) SELECT ${copied} FROM many, tasks WHERE n = 1`,
    );
  });
  await tools.ok('task_create', { title: 'needle last' });
  const first = await tools.ok('task_list', { search: 'NEEDLE' });
  expect(first.tasks.map((task: Answer) => task.title)).toEqual(['needle first']);
  expect(first.next_cursor).not.toBeNull();
  const second = await tools.ok('task_list', { search: 'NEEDLE', cursor: first.next_cursor });
  expect(second.tasks.map((task: Answer) => task.title)).toEqual(['needle last']);
  expect(second.next_cursor).toBeNull();
});
