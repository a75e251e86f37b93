// PostgreSQL for tests: the server at COLIBRI_TEST_POSTGRES_URL, or a throw-away cluster of the installed programs. One cluster serves a whole
// run, each test has a database of its own. Without either, tests are skipped with one loud line; under CI they fail.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import {
  type Cluster,
  installedPostgres,
  runProgram,
  startCluster as startWith,
  stopCluster,
} from '../../scripts/postgres-cluster.mjs';

export { installedPostgres, runProgram, stopCluster };

export interface TestServer {
  /** The address of a database on the server, with a role that may do everything. */
  url(database: string): string;
  /** Where the cluster and its programs are; undefined for a server that somebody else runs. */
  readonly cluster?: Cluster;
}

/** A killed server keeps what it wrote, because the system keeps it; only a power cut would lose it. So the tests' server does not wait for disks. */
const SETTINGS = `
shared_buffers = 64MB
fsync = off
full_page_writes = off
`;

/** Makes and starts a cluster in a folder of its own. */
export const startCluster = (bin: string): Required<TestServer> => startWith(bin, SETTINGS);

const given = (url: string): TestServer => ({
  url: (database) => {
    const address = new URL(url);
    address.pathname = `/${database}`;
    return address.href;
  },
});

/** The folder that names the server of this run, once a test needed one; test/support/postgres-run.ts sets it and ends the server. */
export const RUN_FOLDER = 'COLIBRI_TEST_POSTGRES_RUN';

interface KeptServer extends Cluster {
  readonly url: string;
}

export const keptServer = (folder: string): KeptServer | undefined => {
  const file = join(folder, 'server.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as KeptServer) : undefined;
};

/** Starts the server of this run, or waits for the test file that does. */
const startOnce = (folder: string, bin: string): KeptServer => {
  try {
    mkdirSync(join(folder, 'starting'));
    const server = startCluster(bin);
    writeFileSync(join(folder, 'draft'), JSON.stringify({ url: server.url('postgres'), bin, dir: server.cluster.dir }));
    renameSync(join(folder, 'draft'), join(folder, 'server.json'));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
  }
  for (let tries = 0; tries < 600; tries += 1) {
    const kept = keptServer(folder);
    if (kept !== undefined) return kept;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  }
  throw new Error('PostgreSQL was not started by another test file');
};

/** The server that the whole run shares; undefined if this machine has none. */
export const sharedServer = (): TestServer | undefined => {
  const url = process.env.COLIBRI_TEST_POSTGRES_URL;
  if (url) return given(url);
  const [folder, bin] = [process.env[RUN_FOLDER], installedPostgres()];
  if (folder === undefined || bin === undefined) return undefined;
  const kept = keptServer(folder) ?? startOnce(folder, bin);
  return { ...given(kept.url), cluster: { bin, dir: kept.dir } };
};

const isAvailable = (): boolean => Boolean(process.env.COLIBRI_TEST_POSTGRES_URL) || installedPostgres() !== undefined;

/** For `describe.skipIf`: true where there is no server. Under CI its absence fails the test instead. */
export const noPostgres = (): boolean => !hasPostgres();

/** Whether tests on PostgreSQL run: with a server, and under CI in any case. */
export const hasPostgres = (): boolean => isAvailable() || process.env.CI !== undefined;

/** Runs a statement on the server, outside any store. */
export const askServer = async (url: string, text: string): Promise<Record<string, unknown>[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
};

const orFail = (server: TestServer | undefined): TestServer => {
  if (server === undefined)
    throw new Error('no PostgreSQL: install it (Debian: postgresql), or set COLIBRI_TEST_POSTGRES_URL');
  return server;
};

const databaseName = (): string => `t_${crypto.randomUUID().replaceAll('-', '')}`;

const dropDatabase = async (server: TestServer, name: string): Promise<void> => {
  await askServer(server.url('postgres'), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
};

/** An empty database of its own, and how it is dropped. */
export const freshDatabase = async (): Promise<{ url: string; drop: () => Promise<void> }> => {
  const server = orFail(sharedServer());
  const name = databaseName();
  await askServer(server.url('postgres'), `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`);
  return { url: server.url(name), drop: () => dropDatabase(server, name) };
};

/** With TEST_ENGINE=postgres, every server that a test starts in a fresh place has its store in a database of its own. */
export const ON_POSTGRES = process.env.TEST_ENGINE === 'postgres';

const DATABASE = fileURLToPath(new URL('../children/postgres-database.mjs', import.meta.url));
const databaseChild = (...args: string[]): string =>
  execFileSync(process.execPath, [DATABASE, ...args], { encoding: 'utf8' });

/** A database of its own, made before this returns. `file` copies its store into the file at `path`, if there is a store. */
export const databaseNow = (path: string) => {
  const server = orFail(sharedServer());
  const name = databaseName();
  const url = server.url(name);
  databaseChild('create', server.url('postgres'), name);
  return {
    url,
    file: (): string => {
      const copy = databaseChild('copy', url, `${path}.copies`);
      if (copy === '') return path;
      mkdirSync(dirname(path), { recursive: true });
      renameSync(copy, path);
      return path;
    },
    drop: () => dropDatabase(server, name),
  };
};
