// A store of format 4 cleared flags of leases without a record of it; the step to format 5 sets them again, so that every flag has its
// reason in a record.
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { MIGRATIONS } from '../../src/store/sqlite/migrations/index.js';

const insert = (db: Database.Database, table: string, row: Record<string, string | number>): void => {
  const required = db
    .prepare<[], { name: string; type: string }>(`SELECT name, type FROM pragma_table_info('${table}') WHERE "notnull"`)
    .all()
    .map(({ name, type }) => [name, type === 'INTEGER' ? 0 : ''] as const);
  const whole = { ...Object.fromEntries(required), ...row };
  const names = Object.keys(whole);
  db.prepare(`INSERT INTO ${table} (${names}) VALUES (${names.map((name) => `@${name}`)})`).run(whole);
};

test('every lease that was not given back keeps its task until a claim finds it run out', () => {
  const db = new Database(':memory:');
  db.pragma('foreign_keys = OFF');
  for (const { sql } of MIGRATIONS.filter(({ version }) => version < 5)) db.exec(sql);
  for (const [n, released, flagged] of [
    [1, 0, 0],
    [2, 0, 1],
    [3, 1, 0],
  ] as const) {
    insert(db, 'tasks', { n, leased: flagged });
    insert(db, 'leases', { task_n: n, released, flagged });
  }
  insert(db, 'tasks', { n: 4, leased: 0 });
  for (const { sql } of MIGRATIONS.filter(({ version }) => version === 5)) db.exec(sql);
  const rows = db.prepare('SELECT n, leased, flagged FROM tasks LEFT JOIN leases ON task_n = n ORDER BY n').raw().all();
  expect(rows).toEqual([
    [1, 1, 1],
    [2, 1, 1],
    [3, 0, 0],
    [4, 0, null],
  ]);
  db.close();
});
