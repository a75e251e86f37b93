// Machines of a team for tests: each node has a home and a state of its own, all have one database. Servers that a test may stop and start; and a
// store on PostgreSQL copied into a SQLite file, so that what checks ledgers and evidence from outside checks both engines.
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { installedPostgres, runProgram, startCluster, stopCluster } from './postgres.js';
import { type Environment, freshPlace, type Place } from './serve.js';

/** Runs something when the test is over. Clean-ups run in reverse order. */
type Finished = (clean: () => Promise<void>) => void;

export interface NodeChoice {
  readonly env?: Environment;
  readonly finished?: Finished;
}

/** A machine of its own, as far as files tell, with this database. */
export const nodeOn = (url: string, { env = {}, finished = onTestFinished }: NodeChoice = {}): Place => {
  const place = freshPlace(finished);
  const { COLIBRI_DB_PATH: _, ...rest } = place.env;
  return { ...place, env: { ...rest, COLIBRI_DATABASE_URL: url, ...env } };
};

export interface OwnServer {
  /** Where the data is; the folder above holds the log. */
  readonly data: string;
  readonly bin: string;
  readonly port: number;
  url(database: string): string;
  /** `immediate` is a crash: the server starts by reading its log. */
  stop(mode?: 'fast' | 'immediate'): void;
  start(): void;
}

export const controlServer = (bin: string, data: string, ...args: string[]): void =>
  runProgram(bin, 'pg_ctl', ['-D', data, '-l', join(dirname(data), 'log'), '-w', '-t', '60', ...args]);

/** A server of this test alone, which it may stop, fill and break. */
export const ownServer = (finished: Finished = onTestFinished): OwnServer => {
  const bin = installedPostgres();
  if (bin === undefined) throw new Error('no programs of PostgreSQL are installed (Debian: postgresql)');
  const server = startCluster(bin);
  const data = server.cluster.dir;
  const control = (...args: string[]): void => controlServer(bin, data, ...args);
  let isRunning = true;
  const start = (): void => {
    control('start');
    isRunning = true;
  };
  finished(async () => {
    if (!isRunning) start();
    stopCluster(server.cluster);
  });
  return {
    data,
    bin,
    port: Number(new URL(server.url('postgres')).port),
    url: server.url,
    start,
    stop: (mode = 'fast') => {
      control('-m', mode, 'stop');
      isRunning = false;
    },
  };
};

interface Column {
  readonly table_name: string;
  readonly column_name: string;
  readonly data_type: string;
}

const COLUMNS = `SELECT table_name, column_name, data_type FROM information_schema.columns
  WHERE table_schema = current_schema() ORDER BY table_name, ordinal_position`;
const NUMBERS = ['bigint', 'integer', 'numeric'];

const copyTable = async (client: pg.Client, copy: Database.Database, table: string, columns: readonly Column[]) => {
  const isNumber = columns.map(({ data_type }) => NUMBERS.includes(data_type));
  const names = columns.map(({ column_name }) => `"${column_name}"`);
  const typed = names.map((name, n) => `${name} ${isNumber[n] ? 'INTEGER' : 'TEXT'}`);
  copy.exec(`CREATE TABLE "${table}" (${typed.join(', ')})`);
  const { rows } = await client.query({ text: `SELECT ${names.join(', ')} FROM "${table}"`, rowMode: 'array' });
  const insert = copy.prepare(`INSERT INTO "${table}" VALUES (${names.map(() => '?').join(', ')})`);
  for (const row of rows as (string | null)[][])
    insert.run(row.map((value, n) => (isNumber[n] && value !== null ? Number(value) : value)));
};

/** Copies all tables, as they are in one snapshot, into a new SQLite file without keys or indexes. */
export const copyToSqlite = async (url: string, path: string): Promise<string> => {
  const client = new pg.Client({ connectionString: url });
  const copy = new Database(path);
  await client.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const { rows } = await client.query<Column>(COLUMNS);
    copy.exec('BEGIN');
    for (const table of new Set(rows.map(({ table_name }) => table_name))) {
      const columns = rows.filter(({ table_name }) => table_name === table);
      await copyTable(client, copy, table, columns);
    }
    copy.exec('COMMIT');
  } finally {
    copy.close();
    await client.end();
  }
  return path;
};
