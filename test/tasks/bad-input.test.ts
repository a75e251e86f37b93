// What must be refused: with a structured error that says what to do, and with nothing written.
import { expect } from 'vitest';
import { deepTest, test } from '../support/by-gate.js';
import { checkSubjects } from '../support/evidence-check.js';
import { freshPlace, type Peer, serve, session } from '../support/serve.js';
import { type Answer, errorIn, openTaskTools, type TaskTools, taskIn } from './task-tools.js';

const TABLES = ['tasks', 'task_dependencies', 'leases', 'sessions', 'thoughts'];

const contents = (tools: TaskTools): Promise<unknown> =>
  tools.store.read(async (tx) => {
    const tables: unknown[] = [];
    for (const table of TABLES) tables.push(await tx.all(`SELECT * FROM ${table} ORDER BY rowid`));
    return tables;
  });

/** Refuses each, and leaves every table as it was. */
const refuses = async (tools: TaskTools, cases: readonly (readonly [string, unknown, string])[]): Promise<void> => {
  const before = await contents(tools);
  for (const [tool, args, code] of cases) {
    const shown = `${tool} ${JSON.stringify(args)?.slice(0, 200)}`;
    const error = errorIn(await tools.call(tool, args as Answer));
    expect(error?.code, shown).toBe(code);
    expect(error?.message.length, shown).toBeGreaterThan(20);
    expect(error?.message.length, shown).toBeLessThanOrEqual(300);
    expect(JSON.stringify(error).length, shown).toBeLessThan(8_192);
    if (code.startsWith('ERR_')) expect(error?.details.next.length, shown).toBeGreaterThan(0);
    else expect(error?.details.issues ?? error?.details.remedy, shown).toBeDefined();
  }
  expect(await contents(tools)).toEqual(before);
};

const TITLE = { title: 'good' };
const ID = { task_id: 'T-0001' };
const EMOJI = '🐦';
const HUNDRED = Array.from({ length: 100 }, (_, i) => `T-${i + 1}`);

const invalid = (tool: string, cases: readonly unknown[]): [string, unknown, string][] =>
  cases.map((args) => [tool, args, 'INVALID_PARAMS']);

const NO_TEXTS = ['', ' ', '\t\n\u00a0\u3000', 7, true, [], {}, 'nul\u0000', 'half \ud800'];
const NO_NAMES = [...NO_TEXTS, 'n'.repeat(129), EMOJI.repeat(129)];
const NO_IDS = [
  '',
  'T-',
  'T-0',
  '0',
  '-1',
  'T-1.5',
  '1e3',
  'X-1',
  'T-0001 x',
  'T-1234567890123456',
  1.5,
  null,
  {},
  '١',
];
const NO_COUNTS = [0, -1, 1.5, '1.5', 'one', null, 2 ** 53, 1e308];
const NO_ENUMS = ['', 'todo', 'completed', 'x', 7, null, []];

test('arguments past their bounds, of the wrong kind, or that nobody knows', async () => {
  const tools = await openTaskTools();
  await taskIn(tools, 'GATHER');
  const each = (values: readonly unknown[], key: string, rest: object) =>
    values.map((value) => ({ ...rest, [key]: value }));
  await refuses(tools, [
    ...invalid('task_create', [
      ...[null, [], 'x', 7, {}, { ...TITLE, titel: 'x' }, { ...TITLE, status: 'DONE' }, { ...TITLE, __proto__x: 1 }],
      ...each([...NO_TEXTS, null, 't'.repeat(257), EMOJI.repeat(257), EMOJI.repeat(16_384)], 'title', {}),
      ...each(
        [7, null, {}, 'd'.repeat(16_385), '"'.repeat(8_193), EMOJI.repeat(16_384), 'x\u0000'],
        'description',
        TITLE,
      ),
      ...each([...NO_NAMES, null, '*'], 'project', TITLE),
      ...each([...NO_NAMES, null], 'assignee', TITLE),
      ...each([...NO_NAMES, null], 'idempotency_key', TITLE),
      ...each(NO_ENUMS, 'priority', TITLE),
      ...each(['T-1, T-2', '', null, {}, [...HUNDRED, 'T-101'], ...NO_IDS.map((id) => [id])], 'depends_on', TITLE),
    ]),
    ...invalid('task_get', [{}, ...each(NO_IDS, 'task_id', {}), { ...ID, also: 1 }]),
    ...invalid('task_update', [
      ...[{}, { status: 'GATHER' }, { ...ID, Status: 'GATHER' }, { ...ID, attempt: 2 }, { ...ID, version: 1 }],
      ...each(NO_IDS, 'task_id', { title: 'x' }),
      ...each([...NO_TEXTS, null, 't'.repeat(257)], 'title', ID),
      ...each([7, {}, 'd'.repeat(16_385), EMOJI.repeat(16_384)], 'description', ID),
      ...each([...NO_NAMES, '*'], 'project', ID),
      ...each(NO_NAMES, 'assignee', ID),
      ...each(NO_ENUMS, 'priority', ID),
      ...each(NO_ENUMS, 'status', ID),
      ...each([...NO_TEXTS, null, 'n'.repeat(4_097), EMOJI.repeat(16_384)], 'note', ID),
      ...each(['T-1, T-2', '', null, [...HUNDRED, 'T-101'], ...NO_IDS.map((id) => [id])], 'depends_on', ID),
      ...each(NO_COUNTS, 'expected_version', ID),
      ...each(NO_COUNTS, 'lease_token', ID),
      ...each(['yes', 1, null], 'release', ID),
    ]),
    ...invalid('task_list', [
      ...each([...NO_ENUMS, ['INIT', 'x'], [null], Array(5_000).fill('x')], 'status', {}),
      ...each([...NO_NAMES, null], 'project', {}),
      ...each([...NO_NAMES, null], 'assignee', {}),
      ...each(NO_ENUMS, 'priority', {}),
      ...each(['', 's'.repeat(201), 7, null, 'x\u0000'], 'search', {}),
      ...each([...NO_COUNTS, 201], 'limit', {}),
      ...each([7, null, 'c'.repeat(1_001), 'c'.repeat(1_000)], 'cursor', {}),
      { offset: 1 },
    ]),
    ...invalid('task_next_actions', [
      ...each([...NO_NAMES, null], 'project', {}),
      ...each([...NO_NAMES, null], 'assignee', {}),
      ...each([...NO_NAMES, null], 'claim_by', {}),
      ...each([...NO_COUNTS, 101], 'limit', {}),
      ...each([...NO_COUNTS, 1441], 'lease_minutes', { claim_by: 'ann' }),
      { claim: 'ann' },
    ]),
  ]);
  const typo = await tools.no('task_update', { ...ID, statu: 'GATHER' });
  expect(typo.message).toContain('did you mean "status"?');
  expect((await tools.no('task_list', { status: 'completed' })).message).toContain('DONE is meant');
}, 30_000);

test('arguments at their bounds are taken', async () => {
  const tools = await openTaskTools();
  for (let i = 0; i < 100; i++) await tools.ok('task_create', { title: `t${i}` });
  const name = EMOJI.repeat(128);
  const texts = { title: EMOJI.repeat(256), description: 'd'.repeat(16_384), project: name, assignee: name };
  const task = await tools.whole('task_create', { ...texts, depends_on: HUNDRED, idempotency_key: name });
  expect(task).toMatchObject(texts);
  expect(task.depends_on).toHaveLength(100);
  await tools.ok('task_update', { ...texts, task_id: '101', note: 'n'.repeat(4_096), depends_on: [], release: false });
  await tools.ok('task_update', { task_id: 't-101', description: null, project: null, assignee: null, release: true });
  expect(await tools.ok('task_get', { task_id: 'T-000101' })).toMatchObject({ description: null, project: null });
  await tools.ok('task_create', { title: 'x', description: '', depends_on: ['1', 't-1', 'T-0001'] });
  for (const limit of [1, 200]) await tools.ok('task_list', { limit, search: EMOJI.repeat(200) });
  for (const limit of [1, 100]) await tools.ok('task_next_actions', { limit });
  for (const lease_minutes of [1, 1440]) await tools.ok('task_next_actions', { claim_by: name, lease_minutes });
  await tools.no('task_update', { ...ID, expected_version: 2 ** 53 - 1 });
  expect(checkSubjects(tools.path)).toEqual([]);
});

test('ids nobody has, circles, stale versions, stale leases', async () => {
  const tools = await openTaskTools();
  const ring: string[] = [];
  for (let i = 0; i < 50; i++) {
    const depends_on = ring.slice(-1);
    ring.push((await tools.ok('task_create', { title: `r${i}`, depends_on })).task_id);
  }
  const [first, last] = [ring[0], ring[49]];
  await tools.ok('task_update', { task_id: first, title: 'newer' });
  const { actions } = await tools.ok('task_next_actions', { claim_by: 'ann' });
  await tools.ok('task_update', { task_id: first, release: true, lease_token: actions[0].lease_token });
  await refuses(tools, [
    ['task_get', { task_id: 'T-9999' }, 'ERR_NOT_FOUND'],
    ['task_update', { task_id: 'T-9999', title: 'x', note: 'y' }, 'ERR_NOT_FOUND'],
    ['task_create', { title: 'x', depends_on: ['T-1', 'T-9999'] }, 'ERR_NOT_FOUND'],
    ['task_create', { title: 'x', depends_on: ['T-999999999999999'] }, 'ERR_NOT_FOUND'],
    ['task_update', { task_id: first, depends_on: ['T-9999'], note: 'n' }, 'ERR_NOT_FOUND'],
    ['task_update', { task_id: first, depends_on: [first], note: 'n' }, 'ERR_DEPENDENCY_CYCLE'],
    ['task_update', { task_id: first, depends_on: [last], note: 'n' }, 'ERR_DEPENDENCY_CYCLE'],
    ['task_update', { task_id: first, title: 'x', expected_version: 1, note: 'n' }, 'ERR_VERSION_CONFLICT'],
    ['task_update', { task_id: first, title: 'x', lease_token: actions[0].lease_token, note: 'n' }, 'ERR_LEASE_LOST'],
    ['task_update', { task_id: first, status: 'DONE', note: 'n' }, 'ERR_INVALID_TRANSITION'],
    ['task_update', { task_id: first, title: 'x', status: 'PLAN', note: 'n' }, 'ERR_INVALID_TRANSITION'],
  ]);
  const circle = await tools.no('task_update', { task_id: first, depends_on: [last] });
  expect(circle.details.path).toEqual([first, ...ring.toReversed()]);
  const self = await tools.no('task_update', { task_id: first, depends_on: ['t-1'] });
  expect(self.details.path).toEqual([first, first]);
});

const SQL = [
  "'; DROP TABLE tasks; --",
  "x' OR '1'='1",
  '"; DELETE FROM leases; --',
  '%',
  '_',
  '\\',
  '?1',
  ':n',
  "x); UPDATE tasks SET status = ('DONE') --",
];

test('SQL in every string is a string', async () => {
  const tools = await openTaskTools();
  const plain = await tools.ok('task_create', { title: 'plain' });
  for (const text of SQL) {
    const all = { title: text, description: text, project: text, assignee: text };
    const task = await tools.whole('task_create', { ...all, idempotency_key: text });
    expect(task).toMatchObject(all);
    await tools.ok('task_update', { task_id: task.task_id, ...all, note: text });
    const found = await tools.ok('task_list', { project: text, assignee: text, search: text });
    expect(found.tasks.map((row: Answer) => row.task_id)).toEqual([task.task_id]);
    const { actions } = await tools.ok('task_next_actions', { project: text, assignee: text, claim_by: text });
    expect(actions[0].task.task_id).toBe(task.task_id);
    for (const bad of [{ task_id: text }, { task_id: `T-1${text}` }]) {
      expect((await tools.no('task_get', bad)).code).toBe('INVALID_PARAMS');
    }
    expect((await tools.no('task_list', { cursor: text })).code).toBe('INVALID_PARAMS');
  }
  expect(await tools.ok('task_get', { task_id: plain.task_id })).toMatchObject(plain);
  expect((await tools.ok('task_list', { limit: 200 })).tasks).toHaveLength(SQL.length + 1);
  expect(checkSubjects(tools.path)).toEqual([]);
});

deepTest('READONLY: looking is allowed, a claim is not, writers are not there', async () => {
  const place = freshPlace();
  await session(place, (peer) => peer.call('task_create', { title: 'there' }));
  const reader: Peer = serve(place, { env: { COLIBRI_MODE: 'READONLY' } });
  await reader.initialize();
  await reader.phase2();
  const { result } = await reader.request('tools/list');
  const names = result.tools.map(({ name }: Answer) => name).filter((name: string) => name.startsWith('task_'));
  expect(names.sort()).toEqual(['task_get', 'task_list', 'task_next_actions']);
  const call = async (tool: string, args: Answer) => (await reader.call(tool, args)).result.structuredContent;
  expect((await call('task_get', ID)).data.title).toBe('there');
  expect((await call('task_list', {})).data.tasks).toHaveLength(1);
  expect((await call('task_next_actions', {})).data.actions).toHaveLength(1);
  const refused = errorIn(await call('task_next_actions', { claim_by: 'ann' }));
  expect(refused?.code).toBe('ERR_READ_ONLY');
  for (const { tool, arguments: args } of refused?.details.next ?? []) {
    expect(errorIn(await call(tool, args))).toBeUndefined();
  }
  for (const tool of ['task_create', 'task_update']) {
    expect(await call(tool, { ...TITLE, ...ID })).toMatchObject({ ok: false, error: { code: 'TOOL_NOT_ADMITTED' } });
  }
  await reader.end();
  expect(checkSubjects(place.db)).toEqual([]);
});
