// The list against a filter that anybody can read: every combination, page by page, while others write.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Answer, openTaskTools, STEPS_TO, type State, TASK_STATES, type TaskTools } from './task-tools.js';

const PRIORITIES = ['urgent', 'high', 'normal', 'low'];
const PROJECTS = ['alpha', 'beta', null];
const WORDS = ['100%', '50_50', 'back\\slash', 'CamelCase', 'ÄRGER', 'plain', 'a.*b', "O'Hara", '日本語'];
const COUNT = 500;

const random = (seed: number) => {
  let state = seed;
  return <T>(choices: readonly T[]): T => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return choices[Math.floor((state / 2_147_483_648) * choices.length)] as T;
  };
};

const fill = async (tools: TaskTools, count: number): Promise<Answer[]> => {
  const pick = random(11);
  const made = await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const [project, assignee] = [pick(PROJECTS), pick(['ann', 'bob', null])];
      const status = pick<State>([...TASK_STATES, 'INIT', 'INIT', 'INIT']);
      const task = await tools.ok('task_create', {
        title: `${pick(WORDS)} ${i}`,
        priority: pick(PRIORITIES),
        ...(project && { project }),
        ...(assignee && { assignee }),
        ...(pick([true, false]) && { description: `about ${pick(WORDS)}` }),
      });
      const steps = STEPS_TO[status].map((step) => ({ status: step, ...(step === 'DONE' && { note: 'n' }) }));
      for (const step of steps) await tools.ok('task_update', { task_id: task.task_id, ...step });
      return tools.ok('task_get', { task_id: task.task_id });
    }),
  );
  return made.sort((a, b) => Number(a.task_id.slice(2)) - Number(b.task_id.slice(2)));
};

const naive = (tasks: readonly Answer[], filter: Answer): string[] =>
  tasks
    .filter(({ status }) => filter.status === undefined || [filter.status].flat().includes(status))
    .filter(({ project }) => filter.project === undefined || filter.project === '*' || project === filter.project)
    .filter(({ assignee }) => filter.assignee === undefined || assignee === filter.assignee)
    .filter(({ priority }) => filter.priority === undefined || priority === filter.priority)
    .filter(({ title, description }) => {
      const search = filter.search?.toLowerCase() ?? '';
      return title.toLowerCase().includes(search) || (description ?? '').toLowerCase().includes(search);
    })
    .map(({ task_id }) => task_id);

/** All pages, and what happened between them. */
const pages = async (tools: TaskTools, filter: Answer, limit: number, between = async () => {}): Promise<string[]> => {
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Answer = await tools.ok('task_list', { ...filter, limit, ...(cursor && { cursor }) });
    expect(page.tasks.length).toBeLessThanOrEqual(limit);
    for (const task of page.tasks) expect(task).not.toHaveProperty('description');
    seen.push(...page.tasks.map((task: Answer) => task.task_id));
    cursor = page.next_cursor;
    await between();
  } while (cursor !== null);
  return seen;
};

const maybe = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 2, arbitrary: value }, { weight: 3, arbitrary: fc.constant(undefined) });
const filters = fc
  .record({
    status: maybe(
      fc.oneof(
        fc.constantFrom<State>(...TASK_STATES),
        fc.uniqueArray(fc.constantFrom<State>(...TASK_STATES), { minLength: 1, maxLength: 8 }),
      ),
    ),
    project: maybe(fc.constantFrom('alpha', 'beta', '*', 'nowhere')),
    assignee: maybe(fc.constantFrom('ann', 'bob', 'nobody')),
    priority: maybe(fc.constantFrom(...PRIORITIES)),
    search: maybe(
      fc.constantFrom(...['%', '_', '\\', '0%', 'camelCASE', 'ärger', "o'h", '本', '.*', '%_', ' 1', 'zzz']),
    ),
  })
  .map((filter) => Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)));

test(`filters in every combination over ${COUNT} tasks agree with a naive one, page by page`, async () => {
  const tools = await openTaskTools();
  const tasks = await fill(tools, COUNT);
  await fc.assert(
    fc.asyncProperty(filters, fc.constantFrom(1, 7, 50, 200), async (filter, limit) => {
      const wanted = naive(tasks, filter);
      // One by one only where that ends soon.
      expect(await pages(tools, filter, wanted.length > 60 ? Math.max(limit, 7) : limit)).toEqual(wanted);
    }),
    { numRuns: 100, seed: 3 },
  );
}, 60_000);

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
