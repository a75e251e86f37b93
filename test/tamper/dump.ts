// Everything a store says, as one digest: its schema and every row with the type of every value. Left out is
// `instances`, which is no evidence. Two files with one dump are the same store, whatever their bytes are.
import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';
import { FORMAT } from '../../src/ledger/head.js';

const LEFT_OUT = ['instances', 'sqlite_stat1', 'sqlite_stat4'];

interface Named {
  readonly name: string;
}

const rowsOf = (db: Database.Database, table: string): string[] => {
  const columns = db.prepare<[string], Named>('SELECT name FROM pragma_table_xinfo(?)').all(table);
  // Bytes, not text: what is no UTF-8 would read like something else.
  const cells = columns.map(({ name }) => `typeof("${name}") || ':' || hex("${name}")`);
  const sql = `SELECT ${cells.join(" || ',' || ")} AS line FROM "${table}" NOT INDEXED`;
  return db
    .prepare<[], { line: string }>(sql)
    .all()
    .map(({ line }) => line)
    .sort();
};

const dumpOf = (db: Database.Database): string => {
  const digest = createHash('sha256');
  const say = (line: unknown): void => void digest.update(`${JSON.stringify(line)}\n`);
  say(db.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all());
  say([db.pragma('user_version'), db.pragma('application_id')]);
  const tables = db.prepare<[], Named>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
  for (const { name } of tables.filter((table) => !LEFT_OUT.includes(table.name))) say([name, rowsOf(db, name)]);
  return digest.digest('hex');
};

export interface Look {
  /** Nothing where the file cannot be read through. */
  readonly dump: string | undefined;
  readonly integrity: string;
  /** It says that a newer version wrote it. */
  readonly isNewer: boolean;
}

const claimsNewer = (db: Database.Database): boolean => {
  const isTable = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'logs' AND type = 'table'").get() !== undefined;
  const sql = `SELECT MAX(format) AS format FROM logs WHERE typeof(format) IN ('integer', 'real')`;
  const format = isTable ? db.prepare<[], { format: number | null }>(sql).get()?.format : undefined;
  return Number(db.pragma('user_version', { simple: true })) > FORMAT || (format ?? 0) > FORMAT;
};

/** What the engine and we see of a file. */
export const lookAt = (path: string): Look => {
  try {
    const db = new Database(path, { readonly: true, fileMustExist: true });
    try {
      const integrity = JSON.stringify([db.pragma('integrity_check')]);
      return { dump: dumpOf(db), integrity, isNewer: claimsNewer(db) };
    } finally {
      db.close();
    }
  } catch (thrown) {
    return { dump: undefined, integrity: String(thrown), isNewer: false };
  }
};
