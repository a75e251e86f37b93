// colibri tasks: the board, and one task with its history from the ledger.
import Database from 'better-sqlite3';
import { describe, expect, test, vi } from 'vitest';
import { colibri, json, usedStore } from '../support/command-line.js';
import { expectClearRefusals, expectFits, traces } from '../support/command-output.js';
import { freshPlace, type Message, session } from '../support/serve.js';
import { tasks } from './tasks.shared.js';

// Each starts a dozen processes, and others may be busy too.
vi.setConfig({ testTimeout: 120_000 });

describe('the board', () => {
  test('the same tasks as task_list chooses: without a project, all', async () => {
    const { place } = await usedStore();
    expect((await tasks(place)).stdout).toMatch(/^all projects: 1 open/);
  });

  test('counts end where they take too long', async () => {
    const { place } = await usedStore();
    const db = new Database(place.db);
    db.exec(`WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 10001)
      INSERT INTO tasks (title, status, priority, attempt, version, created_at, updated_at, call_no, salt, log_id, seq,
        open_deps, leased, terminal, priority_rank, stage, search_text)
      SELECT title, 'INIT', priority, attempt, version, created_at, updated_at, call_no, salt, log_id, seq,
        i % 2, leased, 0, priority_rank, stage, search_text FROM tasks, c WHERE n = 1`);
    db.close();
    const ran = await tasks(place);
    expect(ran.stdout).toMatch(/^all projects: 10,001\+ open, 1,000\+ blocked/);
    expect(ran.stdout).toMatch(/^INIT 10,000\+$/m);
    expect(ran.stdout).toMatch(/… 9,995\+ more/);
    expect((await colibri(place, ['status'])).stdout).toMatch(/tasks +10,001\+ open, 1,000\+ blocked/);
  });

  test('nothing there, mistakes, stores that cannot be looked at; nothing is written', async () => {
    const { place } = await usedStore();
    expect(await tasks(place, '--of', 'nobody')).toMatchObject({
      code: 0,
      stderr: 'No task matches the filters (project nobody); --all looks at every project.\n',
    });
    const fresh = freshPlace();
    await session(fresh, (peer) => peer.call('server_ping', {}));
    expect((await tasks(fresh)).stderr).toMatch(/^There are no tasks yet \(/);
    const mistakes: readonly (readonly [string[], RegExp])[] = [
      [['--state', 'plann'], /The nearest is PLAN/],
      [['--of', 'a', '--all'], /exclude each other/],
      [['--limit', '201'], /from 1 to 200/],
      [['T-99'], /has no task T-0099/],
      [['x'], /is not a task/],
    ];
    for (const [args, told] of mistakes) {
      const ran = await tasks(place, ...args);
      expect(ran, args.join(' ')).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(told) });
      expect(ran.stderr.trim().split('\n')).toHaveLength(1);
    }
    await expectClearRefusals(place, ['tasks']);
    const before = traces(place);
    for (const args of [[], ['T-1'], ['--json']]) expect(await tasks(place, ...args)).toMatchObject({ code: 0 });
    expect(traces(place)).toEqual(before);
  });
});

describe('one task', () => {
  test('reasons that were erased, long ones, and ones that would steer a terminal', async () => {
    const { place, note } = await usedStore();
    await session(place, (peer) =>
      peer.call('task_update', { task_id: '1', status: 'ANALYZE', note: '\u001b[2J蜂蜜 '.repeat(100) }),
    );
    const ran = await tasks(place, 't-1');
    expectFits(ran);
    expect(ran.stdout).toMatch(/analysis [0-9a-f-]{36}: \\u001b\[2J蜂蜜.*\n.*\n.*\n.* …\n/);
    await colibri(place, ['erase', note, '--reason', 'x', '--yes']);
    expect((await tasks(place, 't-1')).stdout).toContain(`analysis ${note}: (erased; its hash stays)`);
  });

  test('a task of a log that was closed', async () => {
    const { place } = await usedStore();
    await colibri(place, ['checkpoint', '--rotate', '--yes']);
    await session(place, (peer) => peer.call('task_update', { task_id: '1', status: 'ANALYZE' }));
    const { history } = json(await tasks(place, '1', '--json'));
    expect(history.complete).toBe(true);
    expect(history.entries.map(({ what }: Message) => what)).toEqual(['created', 'INIT → GATHER', 'GATHER → ANALYZE']);
    expect(new Set(history.entries.map(({ log }: Message) => log)).size).toBe(2);
  });

  test('a revision that no record accounts for is told', async () => {
    const { place } = await usedStore();
    const db = new Database(place.db);
    db.prepare('UPDATE tasks SET version = 9').run();
    db.close();
    expect((await tasks(place, '1')).stdout).toContain('There is more: some revisions are too far back to be found.');
  });
});
