// PostgreSQL for tests: the server at COLIBRI_TEST_POSTGRES_URL, or a throw-away cluster of the installed programs. One cluster serves a whole
// run, each test has a database of its own. Without either, tests are skipped with one loud line; under CI they fail.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

export interface TestServer {
  /** The address of a database on the server, with a role that may do everything. */
  url(database: string): string;
  /** Where the cluster and its programs are; undefined for a server that somebody else runs. */
  readonly cluster?: { readonly bin: string; readonly dir: string };
}

const DEBIAN = '/usr/lib/postgresql';

/** The folder of the newest installed programs of the server. */
const installedBin = (): string | undefined => {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(DEBIAN, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'pg_ctl')));
};

/** initdb refuses root, so its programs run as `nobody` then. */
const asUser = (): { uid?: number; gid?: number } => {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
};

export const runProgram = (bin: string, program: string, args: readonly string[]): void => {
  const { status, stderr, stdout } = spawnSync(join(bin, program), args, {
    ...asUser(),
    cwd: '/',
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
  });
  if (status !== 0) throw new Error(`${program} failed: ${stdout}${stderr}`);
};

const PASSWORD = 'colibri-test-password';

/** A killed server keeps what it wrote, because the system keeps it; only a power cut would lose it. So the tests' server does not wait for disks. */
const SETTINGS = (socket: string, port: number): string => `
listen_addresses = '127.0.0.1'
port = ${port}
unix_socket_directories = '${socket}'
max_connections = 200
shared_buffers = 64MB
fsync = off
full_page_writes = off
`;

const freePort = (): number => {
  const script =
    "const s=require('net').createServer().listen(0,'127.0.0.1',()=>{console.log(s.address().port);s.close()})";
  return Number(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }));
};

/** Makes and starts a cluster in a folder of its own. */
export const startCluster = (bin: string): Required<TestServer> => {
  const dir = mkdtempSync('/tmp/colibri-pg-');
  const { uid, gid } = asUser();
  if (uid !== undefined && gid !== undefined) chownSync(dir, uid, gid);
  chmodSync(dir, 0o700);
  const [data, secret, log] = [join(dir, 'data'), join(dir, 'secret'), join(dir, 'log')];
  writeFileSync(secret, PASSWORD, { mode: 0o644 });
  runProgram(bin, 'initdb', [
    ...[
      '-D',
      data,
      '-U',
      'owner',
      '-E',
      'UTF8',
      '--locale=C',
      '--auth=scram-sha-256',
      `--pwfile=${secret}`,
      '--no-sync',
    ],
  ]);
  const port = freePort();
  writeFileSync(join(data, 'postgresql.auto.conf'), SETTINGS(dir, port));
  runProgram(bin, 'pg_ctl', ['-D', data, '-l', log, '-w', '-t', '60', 'start']);
  return {
    url: (database) => `postgres://owner:${PASSWORD}@127.0.0.1:${port}/${database}`,
    cluster: { bin, dir: data },
  };
};

/** Ends a cluster and removes its folder. */
export const stopCluster = ({ bin, dir }: { readonly bin: string; readonly dir: string }): void => {
  runProgram(bin, 'pg_ctl', ['-D', dir, '-w', '-m', 'immediate', 'stop']);
  rmSync(dirname(dir), { recursive: true, force: true });
};

const given = (url: string): TestServer => ({
  url: (database) => {
    const address = new URL(url);
    address.pathname = `/${database}`;
    return address.href;
  },
});

/** The folder that names the server of this run, once a test needed one; test/support/postgres-run.ts sets it and ends the server. */
export const RUN_FOLDER = 'COLIBRI_TEST_POSTGRES_RUN';

interface KeptServer {
  readonly url: string;
  readonly bin: string;
  readonly dir: string;
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
  const [folder, bin] = [process.env[RUN_FOLDER], installedBin()];
  if (folder === undefined || bin === undefined) return undefined;
  const kept = keptServer(folder) ?? startOnce(folder, bin);
  return { ...given(kept.url), cluster: { bin, dir: kept.dir } };
};

const isAvailable = (): boolean => Boolean(process.env.COLIBRI_TEST_POSTGRES_URL) || installedBin() !== undefined;

/** For `describe.skipIf`: true where there is no server. Under CI its absence fails the test instead. */
export const noPostgres = (): boolean => !hasPostgres();

/** Whether tests on PostgreSQL run: with a server, and under CI in any case. */
export const hasPostgres = (): boolean => isAvailable() || process.env.CI !== undefined;

export const installedPostgres = installedBin;

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
