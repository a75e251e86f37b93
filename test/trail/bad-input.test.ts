// What must be refused: with a structured error that says what to do, and with nothing written.
import { expect } from 'vitest';
import { deepTest, test } from '../support/by-gate.js';
import { ON_POSTGRES } from '../support/postgres.js';
import { freshPlace } from '../support/serve.js';
import { type Answer, bytesOf, codeOf, errorIn, rowsOf, type Started, started } from '../support/trail-tools.js';
import { EMOJI, THOUGHT } from './bad-input.shared.js';

const contents = (path: string): Answer[] =>
  ['sessions', 'thoughts', 'tasks'].flatMap((table) => rowsOf(path, `SELECT * FROM ${table} ORDER BY rowid`));

type Case = readonly [tool: string, args: unknown, code: string];

/** Refuses each, and leaves every table as it was. */
const refuses = async (tools: Started, path: string, cases: readonly Case[]): Promise<void> => {
  const before = contents(path);
  for (const [tool, args, code] of cases) {
    const shown = `${tool} ${JSON.stringify(args)?.slice(0, 200)}`;
    const error = errorIn(await tools.call(tool, args as Answer)) ?? { message: '' };
    expect(codeOf(error), shown).toBe(code);
    expect(error.message.length, shown).toBeGreaterThan(20);
    expect(error.message.length, shown).toBeLessThanOrEqual(300);
    expect(bytesOf(error), shown).toBeLessThan(24 * 1024);
    if (code === 'INVALID_PARAMS') expect(error.details.issues ?? error.details.remedy, shown).toBeDefined();
    else expect(error.details.next.length, shown).toBeGreaterThan(0);
  }
  expect(contents(path)).toEqual(before);
};

const invalid = (tool: string, cases: readonly unknown[]): Case[] =>
  cases.map((args) => [tool, args, 'INVALID_PARAMS']);
const each = (values: readonly unknown[], key: string, rest: object) =>
  values.map((value) => ({ ...rest, [key]: value }));

const NO_TEXTS = ['', 7, true, [], {}, null, 'nul\u0000', 'half \ud800', '\udc00 half'];
const NO_NAMES = [...NO_TEXTS, 'n'.repeat(129), EMOJI.repeat(129), 'x'.repeat(100_000)];
const NO_IDS = ['', 'T-', 'T-0', '-1', 'T-1.5', 'X-1', 'T-0001 x', 1.5, null, {}];
const NO_COUNTS = [0, -1, 1.5, '1.5', 'one', null, 501, 2 ** 53];
const NO_TYPES = ['', 'plans', 'idea', 7, null, []];

const anyThoughtIn = async (tools: Started, session_id: string): Promise<string> =>
  (await tools.ok('thought_record_list', { session_id })).thoughts[0].thought_id;

test('arguments past their bounds, of the wrong kind, or that nobody knows', async () => {
  const place = freshPlace();
  const tools = await started(place);
  await tools.ok('task_create', { title: 't' });
  await tools.ok('audit_session_start', { intent: 'i', session_id: 's' });
  const { thought_id } = await tools.ok('thought_record', { ...THOUGHT, session_id: 's' });
  await refuses(tools, place.db, [
    ...invalid('audit_session_start', [
      ...[[], 'x', {}, { intent: 'i', also: 1 }, { intent: 'i', opened_by: 'colibri' }],
      ...each([...NO_TEXTS, ' \n', 'i'.repeat(2_001), EMOJI.repeat(2_001)], 'intent', {}),
      ...each(NO_IDS, 'task_id', { intent: 'i' }),
      ...each(NO_NAMES, 'session_id', { intent: 'i' }),
      ...each([...NO_NAMES, ' '], 'agent_id', { intent: 'i' }),
    ]),
    ...invalid('thought_record', [
      ...[{}, { type: 'plan' }, { content: 'c' }, { ...THOUGHT, skil: 'x' }, { ...THOUGHT, seq: 7 }],
      ...each(NO_TYPES, 'type', { content: 'c' }),
      ...each([...NO_TEXTS, ' ', 'x'.repeat(65_537), EMOJI.repeat(16_385)], 'content', { type: 'plan' }),
      ...each([`${EMOJI.repeat(16_383)}xxxxx`, `${'x'.repeat(65_535)}é`], 'content', { type: 'plan' }),
      ...each(NO_NAMES, 'session_id', THOUGHT),
      ...each(NO_IDS, 'task_id', THOUGHT),
      ...each(NO_NAMES, 'agent_id', THOUGHT),
      ...each(NO_NAMES, 'idempotency_key', THOUGHT),
    ]),
    ...invalid('thought_record_list', [
      ...[{ offset: 1 }, { session_id: 's', task_id: 'T-1' }, { session_id: 's', thought_id }],
      ...[
        { task_id: 'T-1', thought_id },
        { session_id: 's', task_id: 'T-1', thought_id },
      ],
      ...each(NO_NAMES, 'session_id', {}),
      ...each(NO_IDS, 'task_id', {}),
      ...each(NO_NAMES, 'thought_id', {}),
      ...each(NO_TYPES, 'type', {}),
      ...each(NO_COUNTS, 'limit', {}),
      ...each([7, null, '', 'x', 'c'.repeat(1_001), 'WzFd', '0'.repeat(40)], 'cursor', {}),
    ]),
    ...invalid('audit_verify_chain', [
      ...[{ session_id: 's', task_id: 'T-1' }, { thought_id }, { scope: 'store' }],
      ...each(NO_NAMES, 'session_id', {}),
      ...each(NO_IDS, 'task_id', {}),
    ]),
    ...invalid('merkle_finalize', [{}, { session_id: 's', force: true }, ...each(NO_NAMES, 'session_id', {})]),
    ...invalid('merkle_root', [
      ...[{}, { thought_id }, { session_id: 's', size: 1 }],
      ...each(NO_NAMES, 'session_id', {}),
      ...each(NO_NAMES, 'thought_id', { session_id: 's' }),
    ]),
  ]);
  expect((await tools.no('thought_record_list', { session: 's' })).message).toContain('did you mean "session_id"?');
  expect((await tools.no('audit_verify_chain', { session_id: 's', task_id: '1' })).message).toContain('at most one');
  await tools.peer.end();
}, 60_000);

deepTest(
  'ids nobody has, names that are taken, sessions that are empty or over',
  async () => {
    const place = freshPlace();
    const tools = await started(place);
    await tools.ok('task_create', { title: 't' });
    for (const session_id of ['empty', 'open', 'over'])
      await tools.ok('audit_session_start', { intent: 'i', session_id });
    const { thought_id } = await tools.ok('thought_record', { ...THOUGHT, session_id: 'over' });
    await tools.ok('thought_record', { ...THOUGHT, session_id: 'open' });
    await tools.ok('merkle_finalize', { session_id: 'over' });
    const [nobody, long] = ['00000000-0000-7000-8000-000000000000', EMOJI.repeat(128)];
    const cases: Case[] = [
      ['audit_session_start', { intent: 'i', task_id: 'T-77' }, 'ERR_NOT_FOUND'],
      ['audit_session_start', { intent: 'i'.repeat(2_000), session_id: 'open' }, 'ERR_SESSION_EXISTS'],
      ['audit_session_start', { intent: 'i', session_id: 'over', task_id: '1', agent_id: 'a' }, 'ERR_SESSION_EXISTS'],
      ['thought_record', { ...THOUGHT, session_id: long }, 'SESSION_NOT_FOUND'],
      ['thought_record', { ...THOUGHT, session_id: nobody, task_id: 'T-77' }, 'SESSION_NOT_FOUND'],
      ['thought_record', { ...THOUGHT, content: 'x'.repeat(65_536), session_id: nobody }, 'SESSION_NOT_FOUND'],
      ['thought_record', { ...THOUGHT, session_id: 'over', idempotency_key: 'k' }, 'SESSION_FINALIZED'],
      ['thought_record', { ...THOUGHT, content: '"'.repeat(20_000), session_id: 'over' }, 'SESSION_FINALIZED'],
      ['thought_record', { ...THOUGHT, task_id: 'T-77' }, 'TASK_NOT_FOUND'],
      ['thought_record', { ...THOUGHT, session_id: 'open', task_id: 'T-77' }, 'TASK_NOT_FOUND'],
      ['thought_record_list', { session_id: long }, 'SESSION_NOT_FOUND'],
      ['thought_record_list', { task_id: 'T-77' }, 'TASK_NOT_FOUND'],
      ['thought_record_list', { thought_id: nobody }, 'THOUGHT_NOT_FOUND'],
      ['audit_verify_chain', { session_id: nobody }, 'SESSION_NOT_FOUND'],
      ['audit_verify_chain', { task_id: 'T-77' }, 'TASK_NOT_FOUND'],
      ['merkle_finalize', { session_id: nobody }, 'ERR_SESSION_NOT_FOUND'],
      ['merkle_finalize', { session_id: 'over' }, 'ERR_ALREADY_FINALIZED'],
      ['merkle_finalize', { session_id: 'empty' }, 'ERR_NO_RECORDS'],
      ['merkle_root', { session_id: nobody }, 'ERR_SESSION_NOT_FOUND'],
      ['merkle_root', { session_id: 'open' }, 'ERR_NOT_FINALIZED'],
      ['merkle_root', { session_id: 'empty', thought_id }, 'ERR_NOT_FINALIZED'],
      ['merkle_root', { session_id: 'over', thought_id: nobody }, 'ERR_NOT_FOUND'],
    ];
    await refuses(tools, place.db, cases);
    // Ready calls are ready, one after another, in the order given.
    for (const [tool, args] of cases) {
      const { details } = await tools.no(tool, args as Answer).catch(() => ({ details: { next: [] } }));
      for (const next of details.next) await tools.ok(next.tool, next.arguments);
    }
    // A session that Colibri opened is sealed by Colibri: the advice does not seal it.
    const { task_id } = await tools.ok('task_create', { title: 'work' });
    const { session_id } = await tools.ok('task_update', { task_id, note: 'why' });
    const early = await tools.no('merkle_root', { session_id });
    expect(early.details.next).toEqual([{ tool: 'thought_record_list', arguments: { session_id } }]);
    const strayed = await tools.no('merkle_root', {
      session_id: 'over',
      thought_id: await anyThoughtIn(tools, 'open'),
    });
    expect(strayed).toMatchObject({ code: 'ERR_NOT_FOUND', details: { found_in: 'open' } });
    for (const next of strayed.details.next) await tools.ok(next.tool, next.arguments);
    await tools.peer.end();
  },
  60_000,
);

test.skipIf(ON_POSTGRES)(
  'a verdict names what was changed from outside',
  async () => {
    const place = freshPlace();
    const tools = await started(place);
    const { thought_id, session_id } = await tools.ok('thought_record', THOUGHT);
    await tools.peer.end();
    const { default: Database } = await import('better-sqlite3');
    const db = new Database(place.db);
    db.prepare("UPDATE thoughts SET content = 'rewritten'").run();
    db.close();
    const reader = await started(place, 'raw', { COLIBRI_MODE: 'READONLY' });
    for (const args of [{}, { session_id }]) {
      const verdict = await reader.ok('audit_verify_chain', args);
      expect(verdict).toMatchObject({ valid: false, first_broken_at: { id: thought_id } });
      expect(verdict.broken_count).toBeGreaterThan(0);
      expect(verdict.findings.length).toBeLessThanOrEqual(5);
    }
  },
  30_000,
);
