// Links, pipes and devices under every name that belongs to a store.
import '../support/deep-part.js';
import './store-links.test.js';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { colibri } from '../support/command-line.js';
import { freshPlace, type Place, serve, session } from '../support/serve.js';

const refusal = async (place: Place): Promise<{ code: string; message: string }> => {
  const peer = serve(place);
  await peer.initialize();
  const { error } = (await peer.call('task_list', {})).result.structuredContent;
  await peer.end();
  return error;
};

const KINDS: Readonly<Record<string, (path: string) => void>> = {
  'a pipe': (path) => void execFileSync('mkfifo', [path]),
  'a folder': (path) => fs.mkdirSync(path),
  'a link to an endless device': (path) => fs.symlinkSync('/dev/zero', path),
  'a link to a pipe': (path) => {
    execFileSync('mkfifo', [`${path}.pipe`]);
    fs.symlinkSync(`${path}.pipe`, path);
  },
  'a link to an empty file of others': (path) => {
    fs.writeFileSync(`${path}.others`, '');
    fs.symlinkSync(`${path}.others`, path);
  },
  'a link to nothing': (path) => fs.symlinkSync(`${path}.nothing`, path),
  'a link in a circle': (path) => fs.symlinkSync(path, path),
};

describe.each(Object.entries(KINDS))('%s', (_, make) => {
  test('in the place of the database: refused, nothing hangs, nothing is made behind it', async () => {
    const place = freshPlace();
    fs.mkdirSync(dirname(place.db), { recursive: true });
    make(place.db);
    const before = fs.readdirSync(dirname(place.db)).toSorted();
    expect(await refusal(place)).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    for (const command of ['verify', 'status', 'doctor', 'log']) {
      const { code } = await colibri(place, [command]);
      expect(code, command).not.toBe(0);
    }
    expect(fs.readdirSync(dirname(place.db)).toSorted()).toEqual(before);
    if (fs.existsSync(`${place.db}.others`)) expect(fs.statSync(`${place.db}.others`).size).toBe(0);
  }, 40_000);

  test.each(['-wal', '-shm', '-journal'])('in the place of the database%s: refused by its name', async (end) => {
    const place = freshPlace();
    await session(place, (peer) => peer.call('task_list', {}));
    make(`${place.db}${end}`);
    const error = await refusal(place);
    expect(error.code).toBe('STORE_UNAVAILABLE');
    expect(error.message).toContain(`colibri.db${end} is`);
    if (fs.existsSync(`${place.db}${end}.others`)) expect(fs.statSync(`${place.db}${end}.others`).size).toBe(0);
    fs.rmSync(`${place.db}${end}`, { recursive: true });
    expect((await colibri(place, ['verify'])).code).toBe(0);
  });
});

test('a write-ahead log that is a link to a file of the user: that file keeps its bytes', async () => {
  const place = freshPlace();
  await session(place, (peer) => peer.call('task_list', {}));
  const profile = join(place.home, '.profile');
  fs.writeFileSync(profile, 'export EDITOR=vi\n');
  fs.symlinkSync(profile, `${place.db}-wal`);
  for (const command of [['status'], ['checkpoint'], ['verify'], ['backup'], ['doctor']]) await colibri(place, command);
  expect((await refusal(place)).code).toBe('STORE_UNAVAILABLE');
  expect(fs.readFileSync(profile, 'utf8')).toBe('export EDITOR=vi\n');
});

test('a second hard link to a database: not written, because its locks would be others', async () => {
  const place = freshPlace();
  await session(place, (peer) => peer.call('task_list', {}));
  fs.linkSync(place.db, join(place.dir, 'twin.db'));
  expect(await refusal(place)).toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringMatching(/hard link/),
  });
});
