// Changes of what the store is made of.
import type { Random } from '../support/random.js';
import type { RowChange } from './row-changes.js';
import { columnsOf, type Db, EVIDENCE_TABLES } from './tables.js';

const indexes = (db: Db): { name: string; sql: string }[] =>
  db
    .prepare<[], { name: string; sql: string }>("SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql > ''")
    .all();

const ACTIONS_OF_A_TRIGGER = [
  'BEGIN SELECT 1; END',
  "BEGIN UPDATE tasks SET title = 'x'; END",
  'BEGIN DELETE FROM instances; END',
];

/** Statements that each change one object; some are refused, and then another is drawn. */
const STATEMENTS: readonly ((db: Db, random: Random) => string)[] = [
  (db, random) => `DROP INDEX ${random.pick(indexes(db)).name}`,
  (db, random) => {
    const { name, sql } = random.pick(indexes(db));
    return `DROP INDEX ${name}; ${random.pick([sql.replace('UNIQUE ', ''), sql.replace(/ WHERE .*$/s, ''), sql.replace(/\(\w+, /, '(')])}`;
  },
  (db, random) => {
    const table = random.pick(EVIDENCE_TABLES);
    return `CREATE INDEX one_more ON ${table} (${random.pick(columnsOf(db, table)).name})`;
  },
  (_db, random) =>
    `CREATE TRIGGER one_more ${random.pick(['AFTER', 'BEFORE'])} ${random.pick(['INSERT', 'UPDATE', 'DELETE'])} ON
     ${random.pick([...EVIDENCE_TABLES, 'instances'])} ${random.pick(ACTIONS_OF_A_TRIGGER)}`,
  (_db, random) => `CREATE TABLE ${random.pick(['one_more', '"tasks "', 'notes'])} (id INTEGER PRIMARY KEY)`,
  (_db, random) => `CREATE VIEW one_more AS SELECT * FROM ${random.pick(EVIDENCE_TABLES)}`,
  (_db, random) =>
    `ALTER TABLE ${random.pick([...EVIDENCE_TABLES, 'instances'])} ADD COLUMN one_more ${random.pick(['TEXT', 'INTEGER DEFAULT 1'])}`,
  (db, random) => {
    const table = random.pick(EVIDENCE_TABLES);
    return `ALTER TABLE ${table} RENAME COLUMN ${random.pick(columnsOf(db, table)).name} TO renamed`;
  },
  (db, random) => {
    const table = random.pick(EVIDENCE_TABLES);
    return `ALTER TABLE ${table} DROP COLUMN ${random.pick(columnsOf(db, table)).name}`;
  },
  (_db, random) => `ALTER TABLE ${random.pick([...EVIDENCE_TABLES, 'instances'])} RENAME TO renamed`,
  (_db, random) => `DROP TABLE ${random.pick([...EVIDENCE_TABLES, 'instances'])}`,
  (_db, random) => {
    const table = random.pick(EVIDENCE_TABLES);
    return `ALTER TABLE ${table} RENAME TO hidden; CREATE VIEW ${table} AS SELECT * FROM hidden`;
  },
  (_db, random) => `PRAGMA user_version = ${random.int(9)}`,
  (_db, random) => `PRAGMA application_id = ${random.int(9)}`,
  (_db, random) => `UPDATE sqlite_sequence SET seq = seq ${random.pick(['+', '-'])} ${1 + random.int(9)}`,
  () => "INSERT INTO sqlite_sequence (name, seq) VALUES ('tasks', 1)",
  () => 'DELETE FROM sqlite_sequence',
];

export const changeSchema: RowChange = (db, random) => {
  const sql = random.pick(STATEMENTS)(db, random);
  db.exec(sql);
  return sql.replace(/\s+/g, ' ');
};

/** The text of the schema alone, behind SQLite's back. */
export const rewriteSchema: RowChange = (db, random) => {
  const [from, to] = random.pick([
    ['NOT NULL', ''],
    ['TEXT', 'BLOB'],
    ['INTEGER NOT NULL', 'INTEGER'],
    ['UNIQUE', ''],
    [' REFERENCES tasks (n)', ''],
    ['  ', ' '],
    ['CREATE', 'create'],
  ] as const);
  const table = random.pick([...EVIDENCE_TABLES, 'instances']);
  db.unsafeMode(true);
  db.pragma('writable_schema = ON');
  db.prepare('UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = ?').run(from, to, table);
  db.pragma('writable_schema = RESET');
  db.unsafeMode(false);
  return `schema of ${table}: ${from} → ${to}`;
};
