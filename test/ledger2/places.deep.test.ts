// Where a store is: deleted and begun anew, moved, copied while it is used. Heads tell these apart, and nobody else is accused.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { colibri, json } from '../support/command-line.js';
import { freshPlace, type Place, serve } from '../support/serve.js';
import {
  besideOf,
  bodiesOf,
  copyFiles,
  expectHealthy,
  homeFile,
  logsOf,
  moveFiles,
  onHost,
  ping,
  refusal,
  storeId,
  verdict,
} from './stores.js';

const remove = ({ db }: Place): void => {
  for (const end of ['', '-wal', '-shm']) fs.rmSync(`${db}${end}`, { force: true });
};

const homeOf = (place: Place, log: string) => JSON.parse(fs.readFileSync(homeFile(place, log), 'utf8'));
const firstLog = (place: Place): string => logsOf(place)[0]?.log_id ?? '';

test('a store moved away and another begun at its path: told until the moved one was used, whichever is first', async () => {
  const place = freshPlace();
  await ping(place);
  const log = firstLog(place);
  const moved = moveFiles(place, join(place.dir, 'moved', 'colibri.db'));
  await ping(place);
  expect(await verdict(place)).toMatchObject({ exit: 10, missing: [{ kind: 'begun anew' }] });
  await ping(moved);
  expect(homeOf(place, log).path).toBe(moved.db);
  await expectHealthy(place);
  await expectHealthy(moved);
  const again = moveFiles(moved, join(place.dir, 'again', 'colibri.db'));
  await ping(again);
  await ping(moved);
  for (const each of [place, moved, again]) await expectHealthy(each);
});

test('a copy of a running store takes nothing until it is accepted, and is a store of its own then', async () => {
  const place = freshPlace();
  await ping(place);
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  await peer.call('server_ping', {});
  const copy = copyFiles(place, join(place.dir, 'copy', 'colibri.db'));
  const [id, log] = [storeId(place), firstLog(place)];
  const records = bodiesOf(copy).length;
  expect(await refusal(copy)).toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringContaining(`the same store is at ${place.db}`),
  });
  for (const args of [['checkpoint'], ['prune', '--before', '2030-01-01', '--yes']]) {
    expect((await colibri(copy, args)).code).toBe(1);
  }
  expect(bodiesOf(copy)).toHaveLength(records);
  expect((await colibri(copy, ['status'])).stdout.replaceAll(/\s+/g, ' ')).toContain('This file is a copy');
  expect((await colibri(copy, ['doctor'])).stdout).toMatch(/problem +heads +This file is a copy/);
  expect(json(await colibri(copy, ['restore', '--json']))).toMatchObject({ copy_of: place.db, rolled_back: false });
  expect((await verdict(copy)).remarks.join()).toContain('This file is a copy');
  await peer.call('server_ping', {});
  await peer.end();
  await ping(place);
  await expectHealthy(place);

  const accepted = json(await colibri(copy, ['accept-loss', 'a test', '--yes', '--json']));
  expect(accepted).toMatchObject({ lost: 0, steps: [{ what: 'copy' }] });
  expect(storeId(copy)).not.toBe(id);
  expect(bodiesOf(copy, 'accept')).toMatchObject([{ what: 'copy', path: place.db, logs: [{ log, size: records }] }]);
  await ping(copy);
  await ping(place);
  await ping(copy);
  expect(storeId(place)).toBe(id);
  expect(homeOf(place, log)).toMatchObject({ store_id: id, path: place.db });
  await expectHealthy(place);
  expect(await verdict(copy)).toMatchObject({ findings: [], missing: [] });
  // The copy of the copy, and the end of the first one.
  const second = copyFiles(copy, join(place.dir, 'second', 'colibri.db'));
  expect(await refusal(second)).toMatchObject({ message: expect.stringContaining(copy.db) });
  remove(copy);
  await ping(second);
  expect(await verdict(second)).toMatchObject({ findings: [], missing: [] });
  await expectHealthy(place);
});

test('a copy on another machine goes on with a log of its own, and the original knows nothing of it', async () => {
  const place = freshPlace();
  await ping(place);
  const copy = copyFiles(place, join(place.dir, 'there', 'colibri.db'));
  const there = { env: { ...onHost('there').env, XDG_STATE_HOME: join(place.dir, 'there-state') } };
  await ping(copy, there);
  expect(await verdict(copy, [], there)).toMatchObject({ exit: 10, findings: [], missing: [{ kind: 'no head' }] });
  await ping(place);
  await expectHealthy(place);
});

test('machines that share a folder of heads and have different stores at one path are not told of each other', async () => {
  const place = freshPlace();
  await ping(place);
  moveFiles(place, join(place.dir, 'here', 'colibri.db'));
  const there = onHost('there');
  await ping(place, there);
  expect(await verdict(place, [], there)).toMatchObject({ exit: 0, missing: [] });
});

test('an older copy that is put in the place of the store, without a log that was begun since', async () => {
  const place = freshPlace();
  await ping(place);
  const copy = copyFiles(place, join(place.dir, 'backup.db'));
  await colibri(place, ['checkpoint', '--rotate', '--yes']);
  await ping(place);
  const [, next] = logsOf(place);
  remove(place);
  fs.copyFileSync(copy.db, place.db);
  expect((await verdict(place)).exit).toBe(20);
  expect(await refusal(place)).toMatchObject({ code: 'STORE_ROLLED_BACK' });
  const { steps } = json(await colibri(place, ['accept-loss', 'back', '--yes', '--json']));
  expect(steps).toMatchObject([{ what: 'rollback' }, { what: 'missing log', lost: next?.size }]);
  await ping(place);
  const told = await verdict(place);
  expect(told).toMatchObject({ exit: 10, findings: [] });
  expect(told.missing.map(({ kind }: { kind: string }) => kind).toSorted()).toEqual(['missing log', 'restore']);
});

test('a link to the store, and the same path under another name of its folder, are the same store', async () => {
  const place = freshPlace();
  await ping(place);
  fs.symlinkSync(join(place.dir, 'store'), join(place.dir, 'alias'));
  const alias = besideOf(place, join(place.dir, 'alias', 'colibri.db'));
  await ping(alias);
  await expectHealthy(alias);
  await expectHealthy(place);
});
