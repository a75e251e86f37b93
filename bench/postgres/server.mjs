// The PostgreSQL server of a run: started when the first row asks for it, gone with the process. It is set up as it is installed, so every
// commit waits for the disk; besides, it counts statements.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { installedPostgres, startCluster, stopCluster } from '../../scripts/postgres-cluster.mjs';
import { atTheEnd } from '../belongings.mjs';
import { Unavailable } from '../rounds.mjs';

const COUNTER = 'pg_stat_statements';
/** Where the database is from which others are made and watched. */
const ADMIN = 'postgres';

/** Whether the extension is beside the programs; Debian's package has it. @param {string} bin */
const canCount = (bin) => existsSync(join(dirname(bin), 'lib', `${COUNTER}.so`));

const begin = () => {
  const bin = installedPostgres();
  if (bin === undefined) {
    console.error('\nNO POSTGRESQL: its rows are not measured (Debian: apt-get install postgresql)\n');
    throw new Unavailable('no programs of PostgreSQL (Debian: postgresql)');
  }
  const counts = canCount(bin);
  const { url, cluster } = startCluster(bin, counts ? `shared_preload_libraries = '${COUNTER}'\n` : '');
  atTheEnd(() => stopCluster(cluster));
  console.error(`a PostgreSQL server runs in ${cluster.dir}`);
  return { url, counts };
};

/** @type {ReturnType<typeof begin> | undefined} */
let running;
const server = () => {
  running ??= begin();
  return running;
};

/** Hands `use` a connection. @template T @param {string} url @param {(client: pg.Client) => Promise<T>} use */
export const connected = async (url, use) => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
};

/** Hands `use` a connection to another database than those that are measured. @template T @param {(client: pg.Client) => Promise<T>} use */
export const asAdmin = (use) => connected(server().url(ADMIN), use);

let made = 0;

/** Makes a database, empty or like another one. @param {string} [template] */
export const makeDatabase = async (template = 'template0') => {
  const name = `bench_${++made}`;
  await asAdmin((client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`));
  return { name, url: server().url(name) };
};

/**
 * Hands `use` a database that is gone afterwards.
 * @template T @param {(database: { name: string, url: string }) => Promise<T>} use @param {string} [template]
 */
export const withDatabase = async (use, template) => {
  const database = await makeDatabase(template);
  try {
    return await use(database);
  } finally {
    await asAdmin((client) => client.query(`DROP DATABASE ${database.name} WITH (FORCE)`));
  }
};

/** @typedef {{ text: string, calls: number }} Counted */

const STATEMENTS = `SELECT query AS text, calls::int FROM ${COUNTER} WHERE dbid = (SELECT oid FROM pg_database WHERE datname = $1)`;

/**
 * The statements that the server has run in a database while `use` ran, as the server counts them.
 * @param {string} name @param {() => Promise<unknown>} use @returns {Promise<Counted[]>} most often run first
 */
export const countingStatements = async (name, use) => {
  if (!server().counts) throw new Unavailable(`this PostgreSQL has no ${COUNTER}`);
  return asAdmin(async (client) => {
    await client.query(`CREATE EXTENSION IF NOT EXISTS ${COUNTER}`);
    await client.query(`SELECT ${COUNTER}_reset()`);
    await use();
    const { rows } = await client.query(STATEMENTS, [name]);
    return /** @type {Counted[]} */ (rows).sort((a, b) => b.calls - a.calls);
  });
};
