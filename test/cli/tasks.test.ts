// colibri tasks: the board, and one task with its history from the ledger.
import * as fs from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test, vi } from 'vitest';
import { receiptOf } from '../ledger-check.js';
import { freshPlace, type Message, type Peer, type Place, session } from '../process.js';
import { colibri, dataOf, json, type Ran, usedStore } from './commands.js';
import {
  colourless,
  expectClearRefusals,
  expectFits,
  hasTerminals,
  onScreen,
  onTerminal,
  peerOf,
  traces,
} from './looking.js';

// Each starts a dozen processes, and others may be busy too.
vi.setConfig({ testTimeout: 120_000 });

const tasks = (place: Place, ...args: string[]): Promise<Ran> => onScreen(place, ['tasks', ...args]);

/** A place whose working directory is the project `hive`. */
const hive = (): Place => {
  const place = freshPlace();
  const dir = join(place.dir, 'hive');
  fs.mkdirSync(join(dir, '.git'), { recursive: true });
  place.env.COLIBRI_PROJECT_DIR = dir;
  return place;
};

const create = async (peer: Peer, args: Message): Promise<string> =>
  dataOf(await peer.call('task_create', args)).task_id;

const claim = async (peer: Peer, by: string): Promise<Message> =>
  dataOf(await peer.call('task_next_actions', { claim_by: by })).actions[0];

describe('the board', () => {
  test('counts by state, the first of each, who has it, what it waits for', async () => {
    const place = hive();
    const { value } = await session(place, async (peer) => {
      const first = await create(peer, { title: 'Clean the comb', priority: 'urgent' });
      const waiting = await create(peer, { title: 'Sell the honey', depends_on: [first] });
      for (let n = 0; n < 7; n++) await create(peer, { title: `Count bee ${n}`, priority: 'low' });
      const gone = await create(peer, { title: 'Never mind', assignee: 'bob' });
      await peer.call('task_update', { task_id: gone, status: 'CANCELLED', note: 'no' });
      await create(peer, { title: 'Elsewhere', project: 'moss' });
      const { task } = await claim(peer, 'ada');
      return { first, waiting, gone, claimed: task.task_id };
    });
    const ran = await tasks(place);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expectFits(ran);
    const lines = ran.stdout.split('\n');
    expect(lines[0]).toBe('project hive: 9 open, 1 blocked, 1 leased, 0 done, 1 cancelled');
    expect(lines[1]).toBe('INIT 9');
    expect(lines[2]).toMatch(new RegExp(`^  ${value.claimed} +urgent +Clean the comb +ada +leased, \\d+ min left$`));
    expect(lines[3]).toMatch(new RegExp(`^  ${value.waiting} +normal +Sell the honey +waits for ${value.first}$`));
    expect(lines[7]).toBe('  … 4 more: colibri tasks --state INIT');
    expect(ran.stdout).toMatch(/CANCELLED 1\n {2}T-0010 +normal +Never mind +bob\n/);
    expect(ran.stdout).not.toContain('Elsewhere');

    expect((await tasks(place, '--of', 'moss')).stdout).toMatch(/^project moss: 1 open.*\nINIT 1\n {2}T-0011/);
    expect((await tasks(place, '--all')).stdout).toMatch(/^all projects: 10 open/);
    expect((await tasks(place, '--state', 'init', '--limit', '200')).stdout.match(/Count bee/g)).toHaveLength(7);
    const board = json(await tasks(place, '--assignee', 'bob', '--json'));
    expect(board).toMatchObject({ project: 'hive', assignee: 'bob', counts: { CANCELLED: 1, INIT: 0 }, blocked: null });
    expect(board.tasks).toMatchObject([{ task_id: value.gone, lease: null }]);
    const whole = json(await tasks(place, '--json'));
    expect(whole.tasks[0]).toMatchObject({ task_id: value.first, lease: { holder: 'ada' } });
    expect(whole.tasks[1]).toMatchObject({ task_id: value.waiting, blocked_by: [value.first] });
  });

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
      stderr: 'There is no such task (project nobody); --all looks at every project.\n',
    });
    const fresh = freshPlace();
    await session(fresh, (peer) => peer.call('server_ping', {}));
    expect((await tasks(fresh)).stderr).toMatch(/^There are no tasks yet \(/);
    const mistakes: readonly (readonly [string[], RegExp])[] = [
      [['--state', 'plann'], /The nearest is PLAN/],
      [['--of', 'a', '--all'], /exclude each other/],
      [['--limit', '201'], /from 1 to 200/],
      [['T-99'], /has no task T-0099/],
      [['x'], /is no task/],
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
  test('its history: every change with who, which record, from where to where and why', async () => {
    const place = hive();
    const peer = await peerOf(place, 'claude-code');
    const before = await create(peer, { title: 'Before it' });
    const id = await create(peer, {
      title: 'Clean the comb',
      description: 'All of it.\nSlowly.',
      depends_on: [before],
    });
    const after = await create(peer, { title: 'After it', depends_on: [id] });
    const answers: Message[] = [];
    const update = async (args: Message) => answers.push(await peer.call('task_update', { task_id: id, ...args }));
    await update({ status: 'GATHER', note: 'The smell was strange.' });
    await update({ priority: 'high' }); // no thought leads to this one
    await update({ status: 'ANALYZE' }); // nor to this
    await update({ title: 'Clean all combs' });
    await update({ depends_on: [] });
    await update({ note: 'Only a note.' });
    await peer.call('thought_record', { type: 'decision', content: 'Use smoke.', task_id: id, agent_id: 'eve' });
    await update({ status: 'APPLY' }); // refused: no revision
    await peer.end();
    const other = await peerOf(place, 'cursor');
    await other.call('task_get', { task_id: id });
    const { task, lease_token } = await claim(other, 'ada');
    expect(task.task_id).toBe(id);
    await other.call('task_update', { task_id: id, lease_token, note: 'Extends the lease.' });
    await other.call('task_update', { task_id: id, lease_token, release: true });
    await other.end();

    const ran = await tasks(place, id);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expectFits(ran);
    expect(ran.stdout).toMatch(/^T-0002 {2}ANALYZE\ntitle +Clean all combs\n/);
    expect(ran.stdout).toContain(`unblocks  ${after}`);
    expect(ran.stdout).toContain("lease     none; the last was ada's");
    expect(ran.stdout).not.toContain('There is more');
    const { history, dependencies } = json(await tasks(place, id, '--json'));
    expect(dependencies).toEqual([]);
    expect(history.complete).toBe(true);
    const told = history.entries.map(({ what, client, agent }: Message) => [what, client, agent].join(' | '));
    expect(told).toEqual([
      `created, depends on ${before} | claude-code | `,
      'INIT → GATHER | claude-code | claude-code',
      'priority high | claude-code | ',
      'GATHER → ANALYZE | claude-code | ',
      'title or description changed | claude-code | ',
      'depends on none | claude-code | ',
      'note | claude-code | claude-code',
      'note | claude-code | eve',
      'claimed by ada | cursor | ada',
      'note | cursor | ada',
      'lease given back | cursor | ',
    ]);
    expect(history.entries[1]).toMatchObject({
      from: 'INIT',
      to: 'GATHER',
      seq: receiptOf(answers[0] ?? {})?.seq,
      call: receiptOf(answers[0] ?? {})?.call,
      thoughts: [{ type: 'analysis', content: 'The smell was strange.' }],
    });
    expect(ran.stdout).toMatch(/INIT → GATHER +claude-code +\d+\n +analysis [0-9a-f-]{36}: The smell was strange\.\n/);
    expect(ran.stdout).toMatch(/note +eve \(claude-code\) +\d+\n +decision [0-9a-f-]{36}: Use smoke\.\n/);
  });

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
    expect((await tasks(place, '1')).stdout).toContain('There is more: not every revision was found near enough.');
  });
});

describe.runIf(hasTerminals)('on a terminal', () => {
  test('as wide as it is', async () => {
    const { place } = await usedStore();
    for (const width of [50, 80]) {
      for (const args of [['tasks'], ['tasks', '1']]) {
        expectFits({ stdout: colourless(onTerminal(place, args, width).stdout) }, width);
      }
    }
  });
});
