// A store reached by links: one store has one set of locks, and nothing of others beside it is written or removed.

import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, test as bothTests, expect } from 'vitest';
import { casesHere, deepTest, test } from '../support/by-gate.js';
import { colibri } from '../support/command-line.js';
import { receiptOf } from '../support/ledger-check.js';
import { freshPlace, type Peer, type Place, serve } from '../support/serve.js';
import { journalNaming } from './planted-journal.js';
import { forgetUsed, usedPlace } from './planted-schema.js';

afterAll(forgetUsed);

const started = async (place: Place, db = place.db): Promise<Peer> => {
  const peer = serve(place, { env: { COLIBRI_DB_PATH: db } });
  await peer.initialize();
  return peer;
};

const errorOf = async (peer: Peer) => (await peer.call('task_list', {})).result.structuredContent.error;

const outcomes = (db: string): string[] => {
  const open = new Database(db, { readonly: true });
  try {
    const bodies = open.prepare<[], string>(`SELECT body FROM actions WHERE kind = 'call.exit'`).pluck().all();
    return bodies.map((body) => JSON.parse(body).outcome);
  } finally {
    open.close();
  }
};

/** Files that belong to somebody else, named as hostile rows would name them. */
const foreignFolder = (place: Place, files: Readonly<Record<string, string>>): string => {
  const folder = join(place.dir, 'browser');
  fs.mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(join(folder, name), text);
  return folder;
};

const DEAD = '0192f0c1-0000-7000-8000-00000000000a';

const addDeadInstance = (db: string, instance: string): void => {
  const open = new Database(db);
  const log = open.prepare<[], string>('SELECT log_id FROM logs').pluck().get();
  open.prepare(`INSERT INTO instances VALUES (?, ?, 0, 1, '2026-01-01T00:00:00.000Z')`).run(instance, log);
  open.close();
};

deepTest('two paths to one store share its locks: a living process is not taken for dead', async () => {
  const place = freshPlace();
  const first = await started(place);
  await first.phase2();
  fs.symlinkSync(place.db, join(place.dir, 'other-name.db'));
  fs.symlinkSync(dirname(place.db), join(place.dir, 'other-folder'));
  // A thought opens a session that is sealed only with its process.
  await first.call('thought_record', { type: 'decision', content: 'mine' });
  for (const name of ['other-name.db', join('other-folder', 'colibri.db')]) {
    const second = await started(place, join(place.dir, name));
    await second.phase2();
    expect(receiptOf(await second.call('task_list', {}))).toBeDefined();
    expect(second.stderr).not.toMatch(/closed \d+ calls|sealed \d+ sessions/);
    await second.end();
  }
  expect(outcomes(place.db)).not.toContain('interrupted');
  const goesOn = await first.call('thought_record', { type: 'decision', content: 'still mine' });
  expect(goesOn.result.structuredContent.ok).toBe(true);
  expect(fs.existsSync(join(place.dir, 'other-name.db.instances'))).toBe(false);
});

deepTest('a link in the place of the folder of locks: the store is refused and no file there is touched', async () => {
  const place = await usedPlace();
  const folder = foreignFolder(place, { Cookies: 'cookies', Empty: '' });
  // What a browser keeps: a database that nobody has locked, as the lock of a dead process is one.
  new Database(join(folder, DEAD)).exec('CREATE TABLE visits (url)').close();
  const files = [DEAD, 'Cookies', 'Empty'];
  fs.rmSync(`${place.db}.instances`, { recursive: true, force: true });
  fs.symlinkSync(folder, `${place.db}.instances`);
  for (const instance of files) addDeadInstance(place.db, instance);
  const peer = await started(place);
  const error = await errorOf(peer);
  await peer.end();
  expect(fs.readdirSync(folder).toSorted()).toEqual(files.toSorted());
  expect(error).toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringMatching(/colibri\.db\.instances is a symbolic link/),
  });
});

deepTest('a file in the folder of locks that is no lock of ours stays, whatever a row says', async () => {
  const place = await usedPlace();
  const locks = `${place.db}.instances`;
  const others = ['b', 'c', 'd', 'e'].map((end) => `${DEAD.slice(0, -1)}${end}`);
  const [file = '', link = '', folder = '', pipe = ''] = others;
  fs.writeFileSync(join(locks, file), 'somebody wrote this');
  fs.writeFileSync(join(place.dir, 'target'), '');
  fs.symlinkSync(join(place.dir, 'target'), join(locks, link));
  fs.mkdirSync(join(locks, folder));
  execFileSync('mkfifo', [join(locks, pipe)]);
  for (const instance of [...others, '../../target', 'target']) addDeadInstance(place.db, instance);
  const peer = await started(place);
  await peer.phase2();
  expect(receiptOf(await peer.call('task_list', {}))).toBeDefined();
  await peer.end();
  expect(peer.stderr).not.toMatch(/housekeeping failed/);
  expect(fs.readdirSync(locks).toSorted()).toEqual(others.toSorted());
  expect(fs.existsSync(join(place.dir, 'target'))).toBe(true);
});

test('a link in the place of the folder of backups: no backup, and no file there is removed', async () => {
  const place = await usedPlace();
  const names = [1, 2, 3, 4, 5].map((n) => `2020010${n}T000000000Z-v1.db`);
  const folder = foreignFolder(place, Object.fromEntries(names.map((name) => [name, 'mine'])));
  fs.symlinkSync(folder, `${place.db}.backups`);
  const ran = await colibri(place, ['backup']);
  expect(fs.readdirSync(folder)).toEqual(names);
  expect(ran).toMatchObject({ code: 1, stderr: expect.stringMatching(/colibri\.db\.backups is a symbolic link/) });
});

const withJournal = (db: string, names: string): void => {
  const open = new Database(db, { readonly: true });
  const pages = Number(open.pragma('page_count', { simple: true }));
  open.close();
  for (const end of ['-wal', '-shm']) fs.rmSync(`${db}${end}`, { force: true });
  fs.writeFileSync(`${db}-journal`, journalNaming(names, pages));
};

test('a rollback journal beside a store, which names a file of the user: refused, and that file stays', async () => {
  const place = await usedPlace();
  const precious = join(place.dir, 'id_ed25519');
  fs.writeFileSync(precious, 'mine');
  withJournal(place.db, precious);
  const peer = await started(place);
  expect(await errorOf(peer)).toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringMatching(/colibri\.db-journal is a rollback journal/),
  });
  await peer.end();
  for (const command of ['status', 'verify', 'backup', 'doctor', 'tasks']) {
    const ran = await colibri(place, [command]);
    expect(`${ran.stdout}${ran.stderr}`, command).toMatch(/rollback journal/);
  }
  expect(fs.existsSync(precious)).toBe(true);
  fs.rmSync(`${place.db}-journal`);
  expect((await colibri(place, ['verify'])).code).toBe(0);
});

deepTest(
  'a database of one page with such a journal: as a crash while a store is made would leave it, but not played back',
  async () => {
    const place = freshPlace();
    const precious = join(place.dir, 'id_ed25519');
    fs.writeFileSync(precious, 'mine');
    fs.mkdirSync(dirname(place.db), { recursive: true });
    const made = new Database(place.db);
    made.pragma('page_size = 2048');
    made.pragma('user_version = 0');
    made.exec('VACUUM');
    made.close();
    expect(fs.statSync(place.db).size).toBeLessThanOrEqual(4096);
    withJournal(place.db, precious);
    const peer = await started(place);
    expect(await errorOf(peer)).toMatchObject({ message: expect.stringMatching(/rollback journal/) });
    await peer.end();
    expect(fs.existsSync(precious)).toBe(true);
  },
);

bothTests.each(casesHere(['-wal', '-shm']))(
  'a %s that is a hard link to a file of the user: refused, and that file keeps its bytes',
  async (end) => {
    const place = await usedPlace();
    const precious = join(place.dir, 'precious');
    fs.writeFileSync(precious, 'mine'.repeat(999));
    for (const name of ['-wal', '-shm']) fs.rmSync(`${place.db}${name}`, { force: true });
    fs.linkSync(precious, `${place.db}${end}`);
    const peer = await started(place);
    expect(await errorOf(peer)).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(/2 hard links/),
    });
    await peer.end();
    expect((await colibri(place, ['status'])).stderr).toMatch(/2 hard links/);
    expect(fs.readFileSync(precious, 'utf8')).toBe('mine'.repeat(999));
  },
);
