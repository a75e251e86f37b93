// Puts the rows of a SQLite store into a PostgreSQL database as they are, so that what is known to be right or wrong there can be judged here.
import Database from 'better-sqlite3';
import pg from 'pg';
import { openPostgresStore } from '../../src/store/postgres/open.js';
import { askServer, freshDatabase } from './postgres.js';

/** An empty database with the schema of a store, of which copies are made quickly. */
export const emptyStore = async () => {
  const made = await freshDatabase();
  const store = await openPostgresStore({ url: made.url, backups: '/nonexistent' });
  await store.migrate(async () => {});
  await store.close();
  return made;
};

const renamed = (url: string, name: string): string => {
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.href;
};

/** A copy of a database to which nobody is connected. */
export const cloned = async (url: string): Promise<{ url: string; drop: () => Promise<void> }> => {
  const name = `c_${crypto.randomUUID().replaceAll('-', '')}`;
  const admin = renamed(url, 'postgres');
  await askServer(admin, `CREATE DATABASE ${name} TEMPLATE ${new URL(url).pathname.slice(1)}`);
  return {
    url: renamed(url, name),
    drop: async () => void (await askServer(admin, `DROP DATABASE ${name} WITH (FORCE)`)),
  };
};

const TYPES: Readonly<Record<string, string>> = { TEXT: 'text[]', INTEGER: 'bigint[]' };

const columnsOf = (db: Database.Database, table: string): { name: string; type: string }[] =>
  db.prepare<[string], { name: string; type: string }>('SELECT name, type FROM pragma_table_info(?)').all(table);

/** Copies all rows. Rejects if the server refuses one, because of its type, its text or a key. */
export const copyRows = async (path: string, url: string): Promise<void> => {
  const db = new Database(path, { readonly: true }).defaultSafeIntegers();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query('SET LOCAL session_replication_role = replica'); // references are not checked, as in a changed file
    const tables = db
      .prepare<[], { name: string }>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'",
      )
      .all();
    for (const { name } of tables) {
      const columns = columnsOf(db, name);
      const rows = db
        .prepare<[], unknown[]>(`SELECT ${columns.map((one) => one.name).join(', ')} FROM ${name}`)
        .raw()
        .all();
      const marks = columns.map(({ type }, i) => `$${i + 1}::${TYPES[type]}`);
      const values = columns.map((_, i) =>
        rows.map((row) => {
          const value = row[i];
          if (Buffer.isBuffer(value)) throw new TypeError('bytes are no text');
          return value === null ? null : String(value);
        }),
      );
      await client.query(
        `INSERT INTO ${name} (${columns.map((one) => one.name).join(', ')}) SELECT * FROM unnest(${marks.join(', ')})`,
        values,
      );
    }
    const [given] = db.prepare<[], { seq: bigint }>('SELECT seq FROM sqlite_sequence').all();
    if (given !== undefined) await client.query('SELECT setval($1, $2)', ['tasks_n_seq', String(given.seq)]);
    await client.query('COMMIT');
  } finally {
    db.close();
    await client.end();
  }
};
