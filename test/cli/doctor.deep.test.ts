// colibri doctor: says what is wrong and what to do, works where nearly everything is broken, changes nothing.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { APPLICATION_ID } from '../../src/store/sqlite/file.js';
import { MIGRATIONS } from '../../src/store/sqlite/migrations/index.js';
import {
  colibri,
  headsDir,
  json,
  keysDir,
  type RunChoice,
  stateDir,
  type Used,
  usedStore,
} from '../support/command-line.js';
import { sha256 } from '../support/ledger-check.js';
import { eventually } from '../support/process-list.js';
import { freshPlace, MAIN, type Message, type Place, serve, serveWithTools, session } from '../support/serve.js';
import { fakeServer, writeBoard } from '../support/switchboard-file.js';
import { examine, troubles } from './doctor.shared.js';
import { filesOf, filledStore, waitUntil } from './store-upkeep.js';

/** Every file with its bytes, rights and time; of folders the rights. */
const snapshot = (dir: string): string[] =>
  fs
    .readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const path = join(dir, name);
      const stats = fs.lstatSync(path);
      const content = stats.isFile() ? [stats.mtimeMs, stats.ino, sha256(fs.readFileSync(path))] : [];
      return [name, stats.mode, ...content].join(' ');
    });

/** Looking at a store in a test leaves two files beside it; whoever could write takes them along. */
const settled = async (): Promise<Used> => {
  const used = await usedStore();
  new Database(used.place.db).exec('SELECT 1 FROM sqlite_schema').close();
  expect(filesOf(used.place)).toEqual(['colibri.db', 'colibri.db.instances', 'colibri.db.journal']);
  return used;
};

const change = (path: string, act: (db: Database.Database) => void): void => {
  const db = new Database(path);
  act(db);
  db.close();
};

/** What is done to a good store, and what must be said about it. */
const BROKEN: Readonly<Record<string, readonly [(place: Place, log: string) => void, readonly RegExp[]]>> = {
  'a folder in its place': [
    ({ db }) => {
      fs.rmSync(db);
      fs.mkdirSync(db);
    },
    [/^store problem .* is not a file/],
  ],
  'a pipe in its place': [
    ({ db }) => {
      fs.rmSync(db);
      execFileSync('mkfifo', [db]);
    },
    [/^store problem .* is not a file/, /^permissions warning others may read the store/],
  ],
  'no database': [({ db }) => fs.writeFileSync(db, 'x'.repeat(5_000)), [/^store problem .*is not a SQLite database/]],
  'somebody else’s': [
    ({ db }) => change(db, (it) => it.exec('PRAGMA application_id = 7')),
    [/^store problem .*the database belongs to the program that signs/],
  ],
  'a newer one': [
    ({ db }) => change(db, (it) => it.exec('PRAGMA user_version = 99')),
    [/^store problem .*the store has schema 99/],
  ],
  // A good one with a lower number would be a store with foreign tables.
  'an older one': [
    ({ db }) => {
      for (const end of ['', '-wal', '-shm']) fs.rmSync(`${db}${end}`, { force: true });
      change(db, (it) => {
        it.exec(`PRAGMA journal_mode = WAL; PRAGMA application_id = ${APPLICATION_ID}`);
        for (const { sql } of MIGRATIONS.slice(0, 3)) it.exec(sql);
        it.exec('PRAGMA user_version = 3');
      });
    },
    [/^store warning schema 3, /],
  ],
  'one with a trigger of somebody’s': [
    ({ db }) => change(db, (it) => it.exec('CREATE TRIGGER evil AFTER INSERT ON logs BEGIN SELECT 1; END')),
    [/^store problem .*the trigger "evil" on "logs", which Colibri did not make/],
  ],
  'a damaged one': [
    ({ db }) => {
      const bytes = fs.readFileSync(db);
      bytes.fill(0x5a, 2_048 * 3, 2_048 * 40);
      fs.writeFileSync(db, bytes);
    },
    [/^(file|store|key|heads|processes) problem /],
  ],
  'a damaged page that nobody reads here': [
    ({ db }) => {
      const find = `SELECT rootpage FROM sqlite_schema WHERE name = 'tasks_by_key'`;
      const it = new Database(db);
      const page = it.prepare(find).pluck().get() as number;
      it.close();
      const bytes = fs.readFileSync(db);
      bytes.fill(0x5a, 2_048 * (page - 1), 2_048 * page);
      fs.writeFileSync(db, bytes);
    },
    [/^file problem the file is damaged: /],
  ],
  'no key': [(place) => fs.rmSync(keysDir(place), { recursive: true }), [/^key problem there is no key at /]],
  'another key': [
    (place, log) => {
      const pem = execFileSync('node', [
        '-e',
        `process.stdout.write(crypto.generateKeyPairSync('ed25519').privateKey.export({type:'pkcs8',format:'pem'}))`,
      ]);
      fs.writeFileSync(join(keysDir(place), log), pem);
    },
    [/^key problem .* is the key of another log/],
  ],
  'no key but words': [
    (place, log) => fs.writeFileSync(join(keysDir(place), log), 'hello'),
    [/^key problem this check failed: the signing key .* cannot be read/],
  ],
  'a key for all to read': [
    (place, log) => fs.chmodSync(join(keysDir(place), log), 0o644),
    [/^key problem others may read the key \(0644\)/],
  ],
  'a store for all to write': [
    ({ db }) => {
      fs.chmodSync(db, 0o666);
      fs.chmodSync(dirname(db), 0o777);
    },
    [
      /^permissions warning others may write the folder of the store \(0777\)/,
      /^permissions warning others may write the store \(0666\)/,
    ],
  ],
  'a pipe and a folder among the heads': [
    (place, log) => {
      execFileSync('mkfifo', [join(headsDir(place), log, '99999')]);
      fs.mkdirSync(join(headsDir(place), log, '99998'));
    },
    [/^heads problem .*99999 is named like a head but is not a file/, /^heads problem .*99998 is named like a head/],
  ],
  'a pipe in place of the key': [
    (place, log) => {
      fs.rmSync(join(keysDir(place), log));
      execFileSync('mkfifo', ['-m', '600', join(keysDir(place), log)]);
    },
    [/^key problem .* is not a file/],
  ],
  'no heads': [(place) => fs.rmSync(headsDir(place), { recursive: true }), [/^heads warning no head of log /]],
};

const NOBODY = 65_534;

test('a healthy store: nothing to complain about, and nothing is changed', async () => {
  const { place, log } = await settled();
  const before = snapshot(place.dir);
  const examined = await examine(place);
  expect(troubles(examined)).toEqual([]);
  expect(examined.findings.map(({ check }) => check)).toEqual([
    ...['program', 'engine', 'settings', 'project', 'store', 'store', 'file', 'permissions', 'key', 'heads', 'disk'],
    ...['wal', 'processes', 'switchboard', 'clients', 'messages'],
  ]);
  const said = (check: string) => examined.findings.filter((one) => one.check === check).map(({ message }) => message);
  expect(said('store')).toEqual([`${place.db} (COLIBRI_DB_PATH)`, expect.stringMatching(/^opens, schema \d+$/)]);
  expect(said('file')).toEqual([expect.stringMatching(/sound$/)]);
  expect(said('key')).toEqual([`${join(keysDir(place), log)} signs log ${log}`]);
  expect(said('heads')).toEqual([expect.stringMatching(/^signed up to (\d+) of \1 records/)]);
  const shown = await colibri(place, ['doctor']);
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringMatching(/\n0 problems, 0 warnings\n$/) });
  expect(snapshot(place.dir)).toEqual(before);
});

test('nothing is there yet', async () => {
  const place = freshPlace();
  const before = snapshot(place.dir);
  const examined = await examine(place);
  expect(troubles(examined)).toEqual([
    expect.stringMatching(/^store warning There is no store at .* \(COLIBRI_DB_PATH\) yet/),
  ]);
  expect(examined.findings.filter(({ check }) => check === 'store')).toHaveLength(1);
  expect(examined.code).toBe(0);
  expect(snapshot(place.dir)).toEqual(before);
});

test.each(Object.entries(BROKEN))('%s', async (_, [breakIt, expected]) => {
  const { place, log } = await usedStore();
  breakIt(place, log);
  const before = snapshot(stateDir(place));
  const told = troubles(await examine(place));
  expect(told.length).toBeGreaterThanOrEqual(expected.length);
  for (const pattern of expected)
    expect(
      told.some((line) => pattern.test(line)),
      told.join('\n'),
    ).toBe(true);
  expect(snapshot(stateDir(place))).toEqual(before);
});

test.runIf(process.getuid?.() === 0)('a user who may not even look', async () => {
  const { place } = await usedStore();
  fs.chmodSync(place.dir, 0o755);
  fs.chmodSync(dirname(place.db), 0o700);
  const told = troubles(await examine(place, { uid: NOBODY }));
  expect(told.join('\n')).toMatch(/^store problem .* cannot be reached: EACCES/m);
  fs.chmodSync(dirname(place.db), 0o755);
  fs.chmodSync(place.db, 0o644);
  const closed = troubles(await examine(place, { uid: NOBODY }));
  expect(closed.join('\n')).toMatch(/^store problem The store cannot be opened/m);
  expect(closed.join('\n')).toMatch(/^permissions problem this user cannot write /m);
});

test('processes that died, and calls of theirs that nobody closed', async () => {
  const { place } = await usedStore();
  const peer = serveWithTools(place);
  await peer.initialize();
  await peer.phase2();
  await peer.call('server_ping', {});
  void peer.call('sleep_open', { ms: 60_000 }).catch(() => {});
  const isOpen = () => {
    const db = new Database(place.db, { readonly: true });
    const found = db.prepare(`SELECT 1 FROM actions WHERE tool = 'sleep_open'`).get();
    db.close();
    return found !== undefined;
  };
  await waitUntil(isOpen);
  await peer.kill('SIGKILL');
  expect(troubles(await examine(place))).toEqual([
    expect.stringMatching(/^processes warning 1 process died without shutting down; at least 1 call is open/),
  ]);
  await session(place, async () => {});
  expect(troubles(await examine(place))).toEqual([]);
});

test('a client whose entry leads nowhere', async () => {
  const place = freshPlace();
  const file = join(place.home, '.cursor', 'mcp.json');
  fs.mkdirSync(join(place.home, '.cursor'), { recursive: true });
  const enter = (main: string): void =>
    fs.writeFileSync(
      file,
      JSON.stringify({ mcpServers: { colibri: { command: process.execPath, args: [main, 'serve'] } } }),
    );
  const clients = async (): Promise<Message[]> => {
    const { stdout } = await colibri(place, ['doctor', '--json']);
    return (JSON.parse(stdout) as Message).findings.filter(({ check }: Message) => check === 'clients');
  };
  expect(await clients()).toMatchObject([{ state: 'ok', message: expect.stringContaining('none of') }]);
  enter(MAIN);
  expect(await clients()).toMatchObject([{ state: 'ok', message: expect.stringContaining(file) }]);
  enter(join(place.dir, 'gone.js'));
  expect(await clients()).toMatchObject([{ state: 'problem', message: expect.stringContaining('gone.js') }]);
  fs.writeFileSync(file, '{ broken');
  expect(await clients()).toMatchObject([{ state: 'warning', message: expect.stringContaining(file) }]);
});

test('the last messages of the log file', async () => {
  const { place } = await usedStore();
  const folder = join(stateDir(place), 'log');
  fs.mkdirSync(folder, { recursive: true });
  const line = (ms: number, level: string, text: string) =>
    `${new Date(Date.now() - ms).toISOString()} 4711 ${level.padEnd(5)} ${text}\n`;
  const day = 24 * 60 * 60 * 1000;
  const file = join(folder, 'colibri.log');
  const usual = line(0, 'info', 'x').repeat(900);
  fs.writeFileSync(file, line(2 * day, 'error', 'long ago') + line(0, 'warn', 'a warning') + usual);
  const quiet = await examine(place);
  expect(troubles(quiet)).toEqual([]);
  expect(quiet.findings.find(({ check }) => check === 'messages')).toMatchObject({
    message: expect.stringContaining(file),
  });
  fs.appendFileSync(file, line(1_000, 'error', 'STORE_FULL \u001b[31mthe disk') + line(0, 'debug', 'no'));
  const examined = await examine(place);
  expect(troubles(examined)).toEqual(['messages warning 1 error in the last day']);
  const { details, remedy } = examined.findings.find(({ check }) => check === 'messages') ?? {};
  expect(details.map((text: string) => text.slice(25))).toEqual([
    'error long ago (the log does not say of which store)',
    'warn a warning (the log does not say of which store)',
    'error STORE_FULL \u001b[31mthe disk (the log does not say of which store)',
  ]);
  expect(remedy).toContain(file);
  expect((await colibri(place, ['doctor'])).stdout).not.toContain('\u001b');
});

test('messages of processes that used another store are counted and not shown', async () => {
  const { place } = await usedStore();
  const other = { ...place, db: join(place.dir, 'other', 'colibri.db') };
  const env = { COLIBRI_DB_PATH: other.db };
  fs.mkdirSync(other.db, { recursive: true }); // a folder where the store should be: an error of that process alone
  const failing = async (choice: RunChoice): Promise<void> => {
    const peer = serve(place, choice);
    await peer.initialize();
    await peer.until(() => peer.stderr.includes('phase 2 failed'));
    await peer.end();
  };
  await failing({ env });
  const told = async (choice: RunChoice = {}) =>
    (await examine(place, choice)).findings.find(({ check }) => check === 'messages');
  expect(await told()).toMatchObject({
    state: 'ok',
    message: expect.stringMatching(/of this store .*; 1 other of processes/),
  });
  const there = await told({ env });
  expect(there).toMatchObject({ state: 'warning', message: '1 error in the last day' });
  expect(there?.details.join()).toContain('phase 2 failed');
  expect(there?.details.join()).not.toContain('does not say of which store');
});

test('a store too large to be checked whole says so', { timeout: 60_000 }, async () => {
  const place = await filledStore(40, 'CALL', 1_000_000);
  const { findings } = await examine(place);
  expect(findings.find(({ check }) => check === 'file')).toMatchObject({
    state: 'ok',
    message: expect.stringMatching(/too large to be checked here; colibri verify checks it/),
  });
});

test('servers that are out, with their reason and since when; one that is well is no news', async () => {
  const place = freshPlace();
  const routes = { 'do:it': ['gone/act'] }; // off, which is said in a row of its own and is no server
  writeBoard(place, { plain: fakeServer('plain'), dead: fakeServer('dead') }, { routes });
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  const outNow = async () => (await examine(place)).findings.filter(({ check }) => check === 'servers');
  await eventually('one of them is out', async () => (await outNow()).some(({ state }) => state === 'warning'), 30_000);
  expect(await outNow()).toEqual([
    {
      check: 'servers',
      state: 'warning',
      message: expect.stringMatching(/^server dead has been in UNHEALTHY for \d+ s \(since 20\d\d-.*Z\): exited: /),
      remedy: expect.stringContaining(
        'see its output with colibri logs dead, and its history with colibri log --kind health --server dead',
      ),
    },
  ]);
  expect((await colibri(place, ['log', '--kind', 'health', '--server', 'dead'])).stdout).toContain('UNHEALTHY');
  expect(json(await colibri(place, ['status', '--json'])).servers.map(({ server }: Message) => server)).toEqual([
    'plain',
    'dead',
  ]);
  await peer.end();
  expect(await outNow()).toEqual([]);
});
