import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { MIGRATIONS } from './index.js';

it('adds four empty tables, and leaves every row and table of format 10 as it was', () => {
  const db = new Database(':memory:');
  const migrate = (from: number, to: number): void => {
    for (const { version, sql } of MIGRATIONS) if (version > from && version <= to) db.exec(sql);
  };
  const tables = (): string[] =>
    db
      .prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .all()
      .map(({ name }) => name);
  const everything = (names: readonly string[]) => names.map((name) => db.prepare(`SELECT * FROM ${name}`).all());
  migrate(0, 10);
  db.exec(
    `INSERT INTO logs (log_id, node, public_key, format, size, frontier, opened_at) VALUES ('l', 'n', 'k', 10, 3, 'f', 't');
     INSERT INTO reputation_days (node_id, domain, day, successes, failures) VALUES ('ada', 'social', 20000, 1, 2);
     INSERT INTO definitions (digest, json, salt, log_id, seq) VALUES ('d', '{}', 's', 'l', 1);`,
  );
  const before = tables();
  const rows = everything(before);
  migrate(10, 11);
  const added = tables().filter((name) => !before.includes(name));
  expect(added).toEqual(['heard', 'rounds', 'voters', 'votes']);
  expect(everything(before)).toEqual(rows);
  expect(everything(added)).toEqual(added.map(() => []));
  db.close();
});
