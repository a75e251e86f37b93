// The schema on PostgreSQL and the one on SQLite, each read from a real database: same tables, columns, keys and indexes.
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { askServer, freshDatabase, noPostgres } from '../../../test/support/postgres.js';
import { temporaryFolder } from '../../../test/support/stores.js';
import { MIGRATIONS } from '../sqlite/migrations/index.js';
import { openPostgresStore } from './open.js';

interface Shape {
  readonly columns: readonly string[];
  readonly key: readonly string[];
  readonly unique: readonly string[];
  readonly references: readonly string[];
  readonly indexes: readonly string[];
}

/** One spelling for the text of an index: PostgreSQL writes parentheses, casts and its method into it. */
const indexText = (sql: string): string =>
  sql
    .replace(/::\w+/g, '')
    .replace(/ ON \S*?(\w+) USING btree/, ' ON $1')
    .replace(/[()]/g, ' ')
    .replace(/,/g, ' , ')
    .replace(/!=/g, '<>')
    .replace(/\s+/g, ' ')
    .trim();

const inSqlite = (): Record<string, Shape> => {
  const db = new Database(':memory:');
  onTestFinished(() => void db.close());
  for (const { sql } of MIGRATIONS) db.exec(sql);
  const all = (sql: string): Record<string, unknown>[] => db.prepare(sql).all() as Record<string, unknown>[];
  const tables = all("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'");
  return Object.fromEntries(
    tables.map(({ name }) => {
      const columns = all(`SELECT * FROM pragma_table_info('${name}')`);
      const key = columns.filter(({ pk }) => Number(pk) > 0).sort((a, b) => Number(a.pk) - Number(b.pk));
      const unique = all(`SELECT name FROM pragma_index_list('${name}') WHERE origin = 'u'`);
      const shape: Shape = {
        columns: columns.map((one) => `${one.name} ${one.type} ${one.notnull === 1 || Number(one.pk) > 0}`),
        key: key.map((one) => String(one.name)),
        unique: unique.flatMap((one) =>
          all(`SELECT name FROM pragma_index_info('${one.name}')`).map((of) => String(of.name)),
        ),
        references: all(`SELECT * FROM pragma_foreign_key_list('${name}')`)
          .map((one) => `${one.from} ${one.table} ${one.to}`)
          .sort(),
        indexes: all(`SELECT sql FROM sqlite_schema WHERE tbl_name = '${name}' AND type = 'index' AND sql IS NOT NULL`)
          .map(({ sql }) => indexText(String(sql)))
          .sort(),
      };
      return [name, shape];
    }),
  );
};

const inPostgres = async (url: string): Promise<Record<string, Shape>> => {
  const tables = await askServer(
    url,
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'",
  );
  const keys = (name: unknown, kind: string) =>
    askServer(
      url,
      `SELECT a.attname AS column, f.relname AS other, b.attname AS target FROM pg_constraint c
       CROSS JOIN LATERAL unnest(c.conkey) WITH ORDINALITY AS k (no, place)
       JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.no
       LEFT JOIN pg_class f ON f.oid = c.confrelid
       LEFT JOIN pg_attribute b ON b.attrelid = c.confrelid AND b.attnum = c.confkey[k.place]
       WHERE c.conrelid = '${name}'::regclass AND c.contype = '${kind}' ORDER BY c.conname, k.place`,
    );
  const shapes: Record<string, Shape> = {};
  for (const { name } of tables) {
    const columns = await askServer(
      url,
      `SELECT a.attname AS name, t.typname AS type, a.attnotnull AS filled, c.collname AS collation FROM pg_attribute a
       JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_collation c ON c.oid = a.attcollation
       WHERE a.attrelid = '${name}'::regclass AND a.attnum > 0 ORDER BY a.attnum`,
    );
    const types: Record<string, string> = { int8: 'INTEGER', text: 'TEXT' };
    expect(columns.filter(({ type, collation }) => type === 'text' && collation !== 'C')).toEqual([]);
    const indexes = await askServer(
      url,
      `SELECT indexdef AS sql FROM pg_indexes WHERE tablename = '${name}' AND indexname NOT IN
         (SELECT conname FROM pg_constraint WHERE conrelid = '${name}'::regclass)`,
    );
    shapes[String(name)] = {
      columns: columns.map((one) => `${one.name} ${types[String(one.type)]} ${one.filled}`),
      key: (await keys(name, 'p')).map(({ column }) => String(column)),
      unique: (await keys(name, 'u')).map(({ column }) => String(column)),
      references: (await keys(name, 'f')).map(({ column, other, target }) => `${column} ${other} ${target}`).sort(),
      indexes: indexes.map(({ sql }) => indexText(String(sql))).sort(),
    };
  }
  return shapes;
};

describe.skipIf(noPostgres())('the schema on PostgreSQL', () => {
  it('has the tables, columns, keys and indexes that SQLite has', async () => {
    const { url, drop } = await freshDatabase();
    onTestFinished(drop);
    const store = await openPostgresStore({ url, backups: temporaryFolder() });
    onTestFinished(() => store.close());
    await store.migrate(async () => {});
    const wanted = inSqlite();
    expect(Object.keys(wanted).length).toBeGreaterThan(15);
    expect(await inPostgres(url)).toEqual(wanted);
  });
});
