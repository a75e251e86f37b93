// The signing key as a process finds it: made, lost, unreadable, elsewhere.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { deepTest, test } from '../support/by-gate.js';
import { Ledger, rootOf } from '../support/ledger-check.js';
import { freshPlace, type Place, serve, session } from '../support/serve.js';
import { usedStore } from './store-states.js';

const keysDir = (place: Place): string => join(place.home, 'state', 'colibri', 'keys');

test('a key that is gone: the old log is closed, a new one begins with how it ended', async () => {
  const place = freshPlace();
  await usedStore(place);
  const [old] = new Ledger(place.db).logs;
  expect(fs.readdirSync(keysDir(place))).toEqual([old?.log_id]);
  expect(fs.statSync(join(keysDir(place), old?.log_id ?? '')).mode & 0o777).toBe(0o600);
  fs.rmSync(join(keysDir(place), old?.log_id ?? ''));
  await usedStore(place);

  const ledger = new Ledger(place.db);
  const [closed, open] = ledger.logs;
  expect(ledger.logs).toHaveLength(2);
  expect(closed).toMatchObject({ log_id: old?.log_id, size: old?.size, closed_at: expect.any(String) });
  expect(open?.closed_at).toBeNull();
  expect(fs.readdirSync(keysDir(place))).toEqual([open?.log_id]);
  const leaves = ledger.records.filter(({ log }) => log === old?.log_id).map(({ leaf }) => leaf);
  const first = ledger.records.find(({ log }) => log === open?.log_id);
  expect(first?.body).toMatchObject({ kind: 'succeeds', size: leaves.length, root: rootOf(leaves), seq: 0 });
});

deepTest('a key that is gone while a process serves: nobody takes the log over before it ends', async () => {
  const place = freshPlace();
  const living = serve(place);
  await living.initialize();
  await living.phase2();
  await living.call('server_ping', {});
  fs.rmSync(keysDir(place), { recursive: true });
  const second = serve(place);
  await second.initialize();
  const { error } = (await second.call('task_list', {})).result.structuredContent;
  expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', message: expect.stringContaining(`process ${living.pid}`) });
  await second.end();
  await living.call('server_ping', {});
  await living.end();
  await usedStore(place);

  const ledger = new Ledger(place.db);
  const succeeds = ledger.ofKind('succeeds')[0];
  const [closed] = ledger.logs;
  const leaves = ledger.records.filter(({ log }) => log === closed?.log_id).map(({ leaf }) => leaf);
  expect(succeeds).toMatchObject({ size: leaves.length, root: rootOf(leaves) });
});

deepTest('COLIBRI_KEY_FILE is made once and used again', async () => {
  const place = freshPlace();
  const file = join(place.dir, 'elsewhere', 'my.key');
  const env = { COLIBRI_KEY_FILE: file };
  await session(place, (peer) => peer.call('server_ping', {}), { env });
  const made = fs.readFileSync(file);
  await session(place, (peer) => peer.call('server_ping', {}), { env });
  expect(fs.readFileSync(file)).toEqual(made);
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  expect(fs.existsSync(keysDir(place))).toBe(false);
  const ledger = new Ledger(place.db);
  expect(ledger.logs).toHaveLength(1);
  expect(ledger.ofKind('boot')).toHaveLength(2);
});

deepTest('a key that cannot be read costs no log', async () => {
  const place = freshPlace();
  await usedStore(place);
  const [log] = new Ledger(place.db).logs;
  fs.writeFileSync(join(keysDir(place), log?.log_id ?? ''), 'not a key');
  const peer = serve(place);
  await peer.initialize();
  await peer.until(() => peer.stderr.includes('phase 2 failed'));
  expect(peer.stderr).toMatch(/STORE_UNAVAILABLE the signing key .* cannot be read.*put the right key there/);
  await peer.end();
  expect(new Ledger(place.db).logs).toEqual([log]);
});
