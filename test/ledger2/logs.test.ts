// Several logs in one store: a log that was taken out or put in shows in the revisions of the rows that it changed.
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { verifyStore } from '../../src/verify/verify.js';
import { temporaryFolder } from '../support/stores.js';
import { claim } from '../tasks/lease.shared.js';
import { type Answer, openTaskTools, type TaskTools, taskIn } from '../tasks/task-tools.js';
import { Forger } from './forger.js';

const linesOf = async (path: string): Promise<{ exit: number; text: string }> => {
  const request = { path, scope: { kind: 'store' }, headsDir: join(dirname(path), 'heads'), workers: 0 } as const;
  const { exit, findings } = await verifyStore(request);
  return { exit, text: findings.map(({ where, message }) => `${where.table} ${where.id}: ${message}`).join('\n') };
};

interface Machines {
  readonly path: string;
  readonly first: TaskTools;
  readonly second: TaskTools;
}

/** Two machines on one store, each with its log. */
const machines = async (): Promise<Machines> => {
  const dir = temporaryFolder();
  const first = await openTaskTools({ dir, node: 'first/user' });
  const second = await openTaskTools({ dir, node: 'second/user' });
  return { path: first.path, first, second };
};

const edit = (tools: TaskTools, title: string): Promise<Answer> =>
  tools.ok('task_update', { task_id: 'T-0001', title });

const TABLES = ['actions', 'payloads', 'tiles', 'checkpoints', 'instances', 'logs'];

/** Takes a whole log out of the store, by its number. */
const takeOut = (path: string, no: number): void => {
  const db = new Database(path);
  db.pragma('foreign_keys = OFF');
  const log = db.prepare('SELECT log_id FROM logs WHERE no = ?').pluck().get(no);
  for (const table of TABLES) db.prepare(`DELETE FROM ${table} WHERE log_id = ?`).run(log);
  db.close();
};

describe('two machines on one store', () => {
  it('that take turns have no findings', async () => {
    const { path, first, second } = await machines();
    await taskIn(first, 'VERIFY');
    await taskIn(second, 'PLAN', { depends_on: ['T-0001'] });
    for (const tools of [second, first, second]) await edit(tools, `by ${tools === first ? 'first' : 'second'}`);
    await second.ok('task_update', { task_id: 'T-0001', status: 'DONE', note: 'seen from the other machine' });
    await first.ok('task_update', { task_id: 'T-0002', status: 'APPLY' });
    for (const tools of [first, second]) await claim(tools, 'worker', { lease_minutes: 1 });
    expect(await linesOf(path)).toEqual({ exit: 10, text: '' });
  });

  it('the second log taken out: its revisions are missing', async () => {
    const { path, first, second } = await machines();
    await first.ok('task_create', { title: 'one' });
    await edit(first, 'two');
    for (const title of ['three', 'four']) await edit(second, title);
    await edit(first, 'five');
    expect(await linesOf(path)).toEqual({ exit: 10, text: '' });
    takeOut(path, 2);
    const { exit, text } = await linesOf(path);
    expect(text).toContain('tasks T-0001: is revision 5, but no record made revisions 3 to 4');
    expect(exit).toBe(20);
  });

  it('the first log taken out: the first revisions are missing', async () => {
    const { path, first, second } = await machines();
    await first.ok('task_create', { title: 'one' });
    await edit(second, 'two');
    takeOut(path, 1);
    const { exit, text } = await linesOf(path);
    expect(text).toContain('tasks T-0001: is revision 2, but no record made revision 1');
    expect(exit).toBe(20);
  });

  it('the log taken out that moved a task: no state is guessed, the hole is named', async () => {
    const { path, first, second } = await machines();
    await first.ok('task_create', { title: 'one' });
    for (const status of ['GATHER', 'ANALYZE']) await second.ok('task_update', { task_id: 'T-0001', status });
    await first.ok('task_update', { task_id: 'T-0001', status: 'PLAN' });
    takeOut(path, 2);
    expect((await linesOf(path)).text).toBe('tasks T-0001: is revision 4, but no record made revisions 2 to 3');
  });

  it('the log taken out that claimed: the lease lacks a revision', async () => {
    const { path, first, second } = await machines();
    await first.ok('task_create', { title: 'one', assignee: 'worker' });
    const held = await claim(second, 'worker');
    await first.ok('task_update', { task_id: 'T-0001', lease_token: held?.lease_token });
    takeOut(path, 2);
    expect((await linesOf(path)).text).toContain('leases T-0001: is revision 2, but no record made revision 1');
  });

  it('the log taken out that opened a session: the session lacks its beginning', async () => {
    const { path, first, second } = await machines();
    await taskIn(first, 'VERIFY');
    await second.ok('task_update', { task_id: 'T-0001', note: 'begins a session' });
    await first.ok('task_update', { task_id: 'T-0001', status: 'DONE', note: 'ends it' });
    takeOut(path, 2);
    expect((await linesOf(path)).text).toMatch(/sessions \S+: is revision 2, but no record made revision 1/);
  });
});

describe('a log taken out, and its loss accepted', () => {
  /** T-0001 was edited by both machines and claimed by the first; the second's log is gone. No head is known, so the acceptance counts. */
  const accepted = async (): Promise<Forger> => {
    const { path, first, second } = await machines();
    await first.ok('task_create', { title: 'one' });
    for (const title of ['two', 'three']) await edit(second, title);
    await edit(first, 'four');
    await claim(first, 'worker');
    const { log, size } = new Forger(path, 2).row('SELECT log_id AS log, size FROM logs WHERE no = 2');
    takeOut(path, 2);
    const forger = new Forger(path, 1);
    const logs = [{ log, size, root: '0'.repeat(64) }];
    forger.append({ kind: 'beside', instance: forger.instance, logs });
    forger.append({ kind: 'accept', what: 'missing log', logs, reason: 'r', by: 'b' });
    return forger;
  };

  it('explains the revisions that it made', async () => {
    const forger = await accepted();
    forger.call({ subjects: [forger.task(1, { assignee: 'six' })] });
    forger.end();
    expect(await linesOf(forger.db.name)).toEqual({ exit: 10, text: '' });
  });

  it.each<readonly [string, RegExp, (forger: Forger) => void]>([
    [
      'a revision left out',
      /tasks T-0001: is revision 9, but no record made revisions 6 to 8/,
      (forger) => {
        forger.call({ subjects: [forger.task(1, { assignee: 'five' })] });
        forger.call({ subjects: [forger.task(1, { assignee: 'nine' }, 9)] });
      },
    ],
    [
      'a lease freed',
      /leases T-0001: flagged is 0, but it was neither/,
      (forger) => {
        forger.call({ subjects: [forger.lease(1, { flagged: 0 })] });
        forger.db.exec('UPDATE tasks SET leased = 0');
      },
    ],
    [
      'a revision named that nobody made',
      /leases T-0001: is named as run out at revision 9, which no record made/,
      (forger) => {
        forger.call({ subjects: [forger.lease(1, { holder: 'me' })] });
        forger.call({ expired: [{ task_id: 'T-0001', rev: 9 }] });
      },
    ],
  ])('does not explain what came after it: %s', async (_, says, attack) => {
    const forger = await accepted();
    attack(forger);
    forger.end();
    const { exit, text } = await linesOf(forger.db.name);
    expect(text).toMatch(says);
    expect(exit).toBe(20);
  });
});

/** Puts another store's log into this one, and its rows in place of those with the same names. */
const graft = (path: string, from: string): void => {
  const db = new Database(path);
  db.pragma('foreign_keys = OFF');
  db.prepare('ATTACH ? AS other').run(from);
  const columns = (table: string): string[] =>
    db.prepare(`SELECT name FROM pragma_table_info('${table}')`).pluck().all() as string[];
  const copy = (table: string, changed: Record<string, string> = {}, verb = 'INSERT'): void => {
    const names = columns(table);
    const values = names.map((name) => changed[name] ?? name);
    db.exec(`${verb} INTO main.${table} (${names}) SELECT ${values} FROM other.${table}`);
  };
  db.exec("UPDATE main.logs SET closed_at = NULL WHERE no = 1; UPDATE main.logs SET node = 'host/other' WHERE no = 1");
  copy('logs', { no: 'no + 1' });
  copy('actions', { id: 'id + 4294967296' });
  for (const table of ['payloads', 'tiles', 'checkpoints', 'thoughts', 'sessions']) copy(table);
  for (const table of ['tasks', 'leases']) copy(table, {}, 'REPLACE');
  db.exec('UPDATE sqlite_sequence SET seq = (SELECT MAX(n) FROM tasks)');
  db.close();
};

describe('a log of another store, put in with its tasks', () => {
  /** A store of its own in which T-0001 was edited more often than it can have been here. */
  const foreign = async (): Promise<string> => {
    const tools = await openTaskTools({ node: 'host/user' });
    await tools.ok('task_create', { title: 'INIT for ever' });
    for (let i = 0; i < 20; i++) await edit(tools, `edit ${i}`);
    return tools.path;
  };

  it('a DONE task replaced by an INIT one: its revisions were made twice', async () => {
    const tools = await openTaskTools();
    await taskIn(tools, 'DONE');
    graft(tools.path, await foreign());
    const { exit, text } = await linesOf(tools.path);
    expect(text).toMatch(/tasks T-0001: is revision 1 already by record \d+ of log/);
    expect(text).toMatch(/tasks T-0001: is in INIT, attempt 1; its records lead to DONE/);
    expect(exit).toBe(20);
  });

  it('a claimed task replaced by one whose lease was given back', async () => {
    const tools = await openTaskTools();
    await tools.ok('task_create', { title: 'one' });
    await claim(tools, 'worker');
    const other = await openTaskTools();
    await other.ok('task_create', { title: 'one' });
    const held = await claim(other, 'thief');
    await other.ok('task_update', { task_id: 'T-0001', lease_token: held?.lease_token, release: true });
    graft(tools.path, other.path);
    expect((await linesOf(tools.path)).text).toMatch(/leases T-0001: is revision 1 already by record \d+ of log/);
  });
});
