import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { scratch } from '../../../test/children/start.js';
import type { Tx, WriteOptions } from '../store.js';
import { type SqliteLimits, settingsOf } from './options.js';
import { retryWhileBusy, TurnKeeper } from './queue.js';
import { connection, useTx } from './tx.js';
import { Writer } from './writer.js';

/** A writer on a real file whose commits can be counted and whose disk can be made small. */
const openWriter = (limits: Partial<SqliteLimits> = {}) => {
  const settings = settingsOf({ path: join(scratch(), 'w.db'), limits });
  const db = new Database(settings.path, { timeout: 0 });
  onTestFinished(() => void db.close());
  db.pragma('journal_mode = WAL');
  db.exec('CREATE TABLE items (n INTEGER PRIMARY KEY, body TEXT); CREATE TABLE parents (id INTEGER PRIMARY KEY)');
  db.exec('CREATE TABLE children (parent INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED)');
  const counted = { commits: 0, runs: 0 };
  const turns = new TurnKeeper(settings.elapsedMs);
  const writing = connection(db, true);
  const onCommit = () => void counted.commits++;
  const presence = { beforeWrite: () => undefined, check: () => undefined };
  const around = { turns, onCommit, presence, guard: () => {} };
  const writer = new Writer({ connection: writing, settings, retry: retryWhileBusy(settings), ...around });
  const write = <T>(fn: (tx: Tx) => Promise<T>, options: WriteOptions = { group: true }) =>
    writer.transact(() => {
      counted.runs++;
      return useTx(writing, fn, { checkAwaits: true });
    }, options);
  const stored = () => db.prepare('SELECT n FROM items ORDER BY n').pluck().all();
  return { db, write, counted, stored };
};

const put =
  (n: number, body = '') =>
  (tx: Tx) =>
    tx.run('INSERT INTO items VALUES (?, ?)', n, body);
const outcomes = async (jobs: Promise<unknown>[]) =>
  (await Promise.allSettled(jobs)).map((result) =>
    result.status === 'fulfilled' ? 'ok' : (result.reason.code ?? result.reason.message),
  );

describe('a group', () => {
  it('is one commit for all that wait, up to its limit', async () => {
    const { write, counted } = openWriter({ groupCalls: 4 });
    await Promise.all([1, 2, 3, 4, 5].map((n) => write(put(n))));
    expect(counted.commits).toBe(2);
  });

  it('takes in what is queued while its first member runs', async () => {
    const { write, counted } = openWriter();
    let follower: Promise<number> | undefined;
    await write(async (tx) => {
      await put(1)(tx);
      follower ??= write(put(2));
      await put(3)(tx);
    });
    await follower;
    expect(counted.commits).toBe(1);
  });

  it('ends before a write that must be alone, so that nobody overtakes', async () => {
    const { write, counted } = openWriter();
    const order: number[] = [];
    const note = (n: number, options: WriteOptions) => write(put(n), options).then(() => order.push(n));
    await Promise.all([note(1, { group: true }), note(2, {}), note(3, { group: true }), note(4, { group: true })]);
    expect(order).toEqual([1, 2, 3, 4]);
    expect(counted.commits).toBe(3);
  });

  it('tells nobody before the commit has returned', async () => {
    const { db, write } = openWriter();
    const outside = new Database(db.name, { readonly: true });
    const visible = () => outside.prepare('SELECT count(*) FROM items').pluck().get();
    const seen = await Promise.all([1, 2, 3].map((n) => write(put(n)).then(visible)));
    outside.close();
    expect(seen).toEqual([3, 3, 3]);
  });

  it('goes on without a member that fails, first, middle or last', async () => {
    const { write, stored, counted } = openWriter();
    const fail = (n: number) => write((tx) => put(n)(tx).then(() => Promise.reject(new Error(`no ${n}`))));
    const jobs = [fail(1), write(put(2)), fail(3), write(put(4)), fail(5)];
    expect(await outcomes(jobs)).toEqual(['no 1', 'ok', 'no 3', 'ok', 'no 5']);
    expect(stored()).toEqual([2, 4]);
    expect(counted.commits).toBe(1);
  });

  it('is void when SQLite drops the transaction: each runs again alone, once', async () => {
    const { db, write, stored, counted } = openWriter();
    db.pragma(`max_page_count = ${Number(db.pragma('page_count', { simple: true })) + 3}`);
    const jobs = [write(put(1)), write(put(2, 'x'.repeat(100_000))), write(put(3))];
    expect(await outcomes(jobs)).toEqual(['ok', 'STORE_FULL', 'ok']);
    expect(stored()).toEqual([1, 3]);
    expect(counted).toEqual({ commits: 2, runs: 5 });
    expect(db.inTransaction).toBe(false);
  });

  it('is void even when a member hides that the transaction is gone', async () => {
    const { db, write, stored } = openWriter();
    db.pragma(`max_page_count = ${Number(db.pragma('page_count', { simple: true })) + 3}`);
    const hiding = write(async (tx) => {
      await put(2, 'x'.repeat(100_000))(tx).catch(() => {});
      await put(20)(tx).catch(() => {});
    });
    expect(await outcomes([write(put(1)), hiding, write(put(3))])).toEqual(['ok', 'STORE_FULL', 'ok']);
    expect(stored()).toEqual([1, 3]);
  });

  it('is void when the commit is refused: only the one to blame fails', async () => {
    const { write, stored } = openWriter();
    const orphan = write((tx) => tx.run('INSERT INTO children VALUES (7)'));
    expect(await outcomes([write(put(1)), orphan, write(put(3))])).toEqual([
      'ok',
      'SQLITE_CONSTRAINT_FOREIGNKEY',
      'ok',
    ]);
    expect(stored()).toEqual([1, 3]);
  });
});

describe('a synced write', () => {
  it('runs alone under synchronous=FULL, and the next one as usual', async () => {
    const { write, counted } = openWriter();
    const level = (tx: Tx) => tx.get('SELECT synchronous AS level FROM pragma_synchronous');
    const seen = await Promise.all([
      write(level),
      write(level, { group: true, sync: true }),
      write(level, { sync: true }),
      write(level),
    ]);
    expect(seen).toEqual([{ level: 1 }, { level: 2 }, { level: 2 }, { level: 1 }]);
    expect(counted.commits).toBe(4);
  });
});
