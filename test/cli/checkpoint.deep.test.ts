// colibri checkpoint: signing now, and copies of the head out of reach.
import '../support/deep-part.js';
import './checkpoint.test.js';

import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  colibri,
  copyStore,
  headFiles,
  headsDir,
  json,
  keysDir,
  replaceStore,
  rolledBackStore,
  usedStore,
  useMore,
} from '../support/command-line.js';
import { Ledger } from '../support/ledger-check.js';
import { freshPlace } from '../support/serve.js';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

const SHM = '/dev/shm';
const isAnotherDisk = fs.existsSync(SHM) && fs.statSync(SHM).dev !== fs.statSync(tmpdir()).dev;

const GIT = {
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.org',
};

test('--print shows the note and the key that checks it', async () => {
  const { place, log } = await usedStore();
  const { stdout } = await colibri(place, ['checkpoint', '--print']);
  expect(stdout).toContain(`key colibri.dev/log/${log}+`);
  expect(stdout).toContain(fs.readFileSync(headFiles(place, log).at(-1) ?? '', 'utf8'));
});

test('--to the disk that the store is on: it is put there, and a line says what that is worth', async () => {
  const { place } = await usedStore();
  const to = `file:${join(place.dir, 'copy')}`;
  const SAME =
    /on the same disk as the store and would be lost with it\. If another disk should be mounted there, it is not/;
  for (const words of ['Put at', 'Already at']) {
    const { code, stdout } = await colibri(place, ['checkpoint', '--to', to]);
    expect([code, stdout]).toEqual([0, expect.stringContaining(words)]);
    expect(stdout).toMatch(SAME);
  }
  expect(json(await colibri(place, ['checkpoint', '--json', '--to', to])).copy).toMatchObject({ same_disk: true });
  expect((await colibri(place, ['checkpoint'])).stdout).not.toContain('disk');
});

test.runIf(isAnotherDisk)('--to another disk: nothing is said about disks', async () => {
  const { place } = await usedStore();
  const folder = fs.mkdtempSync(join(SHM, 'colibri-'));
  place.onEnd(() => fs.rmSync(folder, { recursive: true }));
  const { code, stdout } = await colibri(place, ['checkpoint', '--to', `file:${folder}`]);
  expect([code, stdout]).toEqual([0, expect.stringContaining('Put at')]);
  expect(stdout).not.toContain('disk');
  const { copy } = json(await colibri(place, ['checkpoint', '--json', '--to', `file:${folder}`]));
  expect(copy).toMatchObject({ written: false, same_disk: false });
});

test('--to file:…/ names a folder that is there, never a file that would be made in its place', async () => {
  const { place, log } = await usedStore();
  const folder = join(place.dir, 'usb');
  const to = ['checkpoint', '--to', `file:${folder}/`];
  await useMore(place);
  const before = headFiles(place, log);
  expect(await colibri(place, to)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/There is no folder .*usb; nothing was signed.*mount its disk/),
  });
  expect(fs.existsSync(folder)).toBe(false);
  expect(headFiles(place, log)).toEqual(before);
  fs.writeFileSync(folder, '');
  expect(await colibri(place, to)).toMatchObject({ code: 1 });
  fs.rmSync(folder);
  fs.mkdirSync(folder);
  expect(await colibri(place, to)).toMatchObject({ code: 0 });
  expect(fs.readdirSync(folder)).toEqual([`${log}.checkpoint`]);
});

test('--to file never overwrites what the log does not continue', async () => {
  const { place, log } = await usedStore();
  const file = join(place.dir, 'kept');
  const copy = copyStore(place);
  const oldest = headFiles(place, log)[0] ?? '';
  await useMore(place);
  await colibri(place, ['checkpoint', '--to', `file:${file}`]);
  const kept = fs.readFileSync(file);
  // The folder of heads goes back with the store: only the copy knows better.
  replaceStore(place, copy);
  for (const head of headFiles(place, log)) if (head !== oldest) fs.rmSync(head);
  const refused = await colibri(place, ['checkpoint', '--to', `file:${file}`]);
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^colibri: .*is not an earlier head of log.*verify --head/),
  });
  expect(fs.readFileSync(file)).toEqual(kept);
  expect(await colibri(place, ['verify'])).toMatchObject({ code: 0 });
  expect(await colibri(place, ['verify', '--head', file])).toMatchObject({ code: 20 });

  fs.writeFileSync(join(place.dir, 'letter'), 'dear aunt');
  expect(await colibri(place, ['checkpoint', '--to', `file:${join(place.dir, 'letter')}`])).toMatchObject({ code: 1 });
  expect(fs.readFileSync(join(place.dir, 'letter'), 'utf8')).toBe('dear aunt');
});

test('a pipe named like a head or a copy of one: nobody waits for it, and what was signed is measured by the others', async () => {
  const { place, log } = await usedStore();
  const pipe = join(headsDir(place), log, '99999');
  execFileSync('mkfifo', [pipe]);
  await useMore(place);
  expect(await colibri(place, ['checkpoint'])).toMatchObject({ code: 0 });
  expect(await colibri(place, ['verify'])).toMatchObject({
    code: 20,
    stdout: expect.stringContaining(`${pipe} is named like a head but is not a file`),
  });
  expect(await colibri(place, ['checkpoint', '--to', `file:${pipe}`])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`${pipe} cannot be used: it is not a file`),
  });
  fs.rmSync(pipe);
  expect(await colibri(place, ['verify'])).toMatchObject({ code: 0 });
});

test('--to git commits the head, once for each', async () => {
  const { place, log } = await usedStore();
  const repo = join(place.home, 'heads repo');
  const git = (...args: string[]) => execFileSync('git', ['-C', repo, ...args], { encoding: 'utf8' });
  execFileSync('git', ['init', '-q', repo]);
  const to = ['checkpoint', '--to', 'git:~/heads repo'];
  expect(await colibri(place, to, { env: GIT })).toMatchObject({ code: 0 });
  expect(await colibri(place, to, { env: GIT })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Already at'),
  });
  await useMore(place);
  expect(await colibri(place, to, { env: GIT })).toMatchObject({ code: 0, stdout: expect.stringContaining('Put at') });
  expect(git('log', '--format=%s', '--name-only')).toBe(
    `colibri checkpoint\n\n${log}.checkpoint\ncolibri checkpoint\n\n${log}.checkpoint\n`,
  );
  const older = git('show', `HEAD~1:${log}.checkpoint`);
  expect(await colibri(place, ['verify', '--head', '-'], { input: older })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('heads: given'),
  });
});

test('--to git says what is in the way', async () => {
  const { place } = await usedStore();
  const folder = join(place.dir, 'no-repo');
  fs.mkdirSync(folder);
  const none = await colibri(place, ['checkpoint', '--to', `git:${folder}`]);
  const nobody = join(place.dir, 'nobody');
  execFileSync('git', ['init', '--quiet', nobody]);
  execFileSync('git', ['-C', nobody, 'config', 'user.useConfigOnly', 'true']); // as where no name can be guessed
  const unknown = await colibri(place, ['checkpoint', '--to', `git:${nobody}`]);
  expect(unknown.code).toBe(1);
  expect(unknown.stderr).toBe(
    `colibri: git does not know who commits in ${nobody}; nothing was copied. Tell git: git -C ${nobody} config user.name <name> && git -C ${nobody} config user.email <address>\n`,
  );
  expect(fs.readdirSync(nobody)).toEqual(['.git']);
  expect(none).toMatchObject({ code: 1, stderr: expect.stringMatching(/is not in a git repository.*git init/) });
  const noGit = await colibri(place, ['checkpoint', '--to', `git:${folder}`], { env: { PATH: '/nowhere' } });
  expect(noGit).toMatchObject({ code: 1, stderr: expect.stringMatching(/git could not be started/) });
  const bad = await colibri(place, ['checkpoint', '--to', 's3:bucket']);
  expect(bad).toMatchObject({ code: 1, stderr: expect.stringMatching(/Allowed: file:<path>, git:<folder>/) });
});

test('--rotate asks: where nobody can answer it refuses, and nothing is changed', async () => {
  const { place, log } = await usedStore();
  const before = new Ledger(place.db).records.length;
  const refused = await colibri(place, ['checkpoint', '--rotate']);
  expect(refused).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/no terminal to ask you on.*--yes/),
  });
  expect(fs.readdirSync(keysDir(place))).toEqual([log]);
  expect(new Ledger(place.db).records).toHaveLength(before);
});

test('--rotate refuses where COLIBRI_KEY_FILE names the key, and says how', async () => {
  const place = freshPlace();
  const env = { COLIBRI_KEY_FILE: join(place.dir, 'my.key') };
  const { log } = await usedStore(place, { env });
  const refused = await colibri(place, ['checkpoint', '--rotate', '--yes'], { env });
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(join(keysDir(place), log)) });
  fs.mkdirSync(keysDir(place), { recursive: true });
  fs.renameSync(env.COLIBRI_KEY_FILE, join(keysDir(place), log));
  expect(await colibri(place, ['checkpoint', '--rotate', '--yes'])).toMatchObject({ code: 0 });
  expect(await colibri(place, ['verify'])).toMatchObject({ code: 0 });
});

test('a store that went back is not signed', async () => {
  const { place } = await rolledBackStore();
  const refused = await colibri(place, ['checkpoint']);
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/older than it was.*A person must decide.*colibri restore/),
  });
  expect(await colibri(place, ['checkpoint', '--rotate', '--yes'])).toMatchObject({ code: 1 });
});

test.runIf(isRoot)('heads that cannot be written: signed, told, and verify knows of none', async () => {
  const place = freshPlace();
  fs.chmodSync(place.dir, 0o777);
  for (const dir of [place.home, place.env.TMPDIR ?? '']) fs.chownSync(dir, NOBODY, NOBODY);
  const heads = join(place.dir, 'heads');
  fs.mkdirSync(heads, { mode: 0o755 });
  const choice = { env: { COLIBRI_HEADS_DIR: heads }, uid: NOBODY };
  await usedStore(place, choice);
  const signed = await colibri(place, ['checkpoint'], choice);
  expect(signed).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('root '),
    stderr: expect.stringMatching(/^colibri: The copy of the signed head could not be written.*COLIBRI_HEADS_DIR/),
  });
  expect(await colibri(place, ['verify'], choice)).toMatchObject({
    code: 10,
    stdout: expect.stringContaining('no head'),
  });
});

test('READONLY writes nothing, and no command makes a store', async () => {
  const { place } = await usedStore();
  const env = { COLIBRI_MODE: 'READONLY' };
  expect(await colibri(place, ['checkpoint'], { env })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('COLIBRI_MODE=READONLY forbids it'),
  });
  const missing = join(place.dir, 'other', 'x.db');
  for (const args of [['checkpoint'], ['prove', '0'], ['accept-loss', 'x'], ['erase', '0'.repeat(8)]]) {
    const extra = args[0] === 'erase' ? ['--reason', 'x', '--yes'] : [];
    const ran = await colibri(place, [...args, ...extra, '--db', missing]);
    expect(ran, args.join(' ')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('There is no store at'),
    });
  }
  expect(fs.existsSync(join(place.dir, 'other'))).toBe(false);
});

test('another user has no log to sign', async () => {
  const { place } = await usedStore();
  const db = new (await import('better-sqlite3')).default(place.db);
  db.prepare("UPDATE logs SET node = 'elsewhere/somebody'").run();
  db.close();
  const ran = await colibri(place, ['checkpoint']);
  expect(ran).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/no open log of .*Run this command as the user/),
  });
});
