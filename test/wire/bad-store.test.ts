// What a client gets while the store is locked, broken, foreign or not ours to write.
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import { deepTest, test } from '../support/by-gate.js';
import { Ledger, receiptOf } from '../support/ledger-check.js';
import { filesBelow, freshPlace, serve, serveWithTools } from '../support/serve.js';
import { answersVitals, dataOf, lockStore, usedStore } from './store-states.js';

test('a locked store: the handshake, ping and health are answered; the rest waits and then runs', async () => {
  const place = freshPlace();
  await usedStore(place);
  const unlock = lockStore(place);
  const peer = serveWithTools(place);
  const began = performance.now();
  await peer.initialize();
  expect(performance.now() - began).toBeLessThan(3_000);
  await answersVitals(peer, 'phase1');
  const write = peer.call('scratch_write', { text: 'patient' });
  await sleep(500);
  expect(peer.messages.some(({ id }) => id === 5)).toBe(false);
  unlock();
  const written = await write;
  expect(written.result.structuredContent).toEqual({ ok: true, data: { text: 'patient' } });
  expect(dataOf(await peer.call('server_health', {}))).toMatchObject({ phase: 'phase2' });
  await peer.end();

  const ledger = new Ledger(place.db);
  const { instance } = ledger.bootOf(peer.pid);
  const own = ledger.pairs.filter(({ enter }) => enter.body.instance === instance);
  const late = own.filter(({ enter, exit }) => enter.body.late && exit?.body.late);
  expect(late.map(({ enter }) => enter.body.tool)).toEqual(['server_ping', 'server_health', 'server_health']);
  expect(ledger.pairOf(receiptOf(written)).exit?.body).toMatchObject({ tool: 'scratch_write', outcome: 'ok' });
  expect(own.every(({ exit }) => exit?.body.outcome === 'ok')).toBe(true);
});

test('a tool that needs the store is refused with cause and remedy', async () => {
  const place = freshPlace();
  fs.mkdirSync(dirname(place.db), { recursive: true });
  const foreign = new Database(place.db);
  foreign.exec('CREATE TABLE recipes (name TEXT)');
  foreign.close();
  const peer = serveWithTools(place);
  await peer.initialize();
  for (const tool of ['scratch_write', 'scratch_read', 'sleep_open']) {
    const answer = await peer.call(tool, tool === 'scratch_read' ? {} : { text: 'x', ms: 1 });
    expect(answer.result, tool).toMatchObject({ isError: true, structuredContent: { ok: false } });
    const { error } = answer.result.structuredContent;
    expect(error).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      details: { remedy: expect.stringMatching(/COLIBRI_DB_PATH/) },
    });
    expect(error.message).toMatch(/recipes.*COLIBRI_DB_PATH/);
    expect(receiptOf(answer)).toBeUndefined();
  }
  await peer.end();
});

test('READONLY on a missing database creates nothing', async () => {
  const place = freshPlace();
  const peer = serve(place, { env: { COLIBRI_MODE: 'READONLY' } });
  await peer.initialize();
  await peer.until(() => peer.stderr.includes('phase 2 failed'));
  expect((await peer.end()).code).toBe(0);
  expect(filesBelow(place.dir)).toEqual([]);
  expect(fs.existsSync(dirname(place.db))).toBe(false);
});

deepTest('READONLY on an existing database: phase 2, and not a byte changes', async () => {
  const place = freshPlace();
  await usedStore(place);
  const before = { bytes: fs.readFileSync(place.db), files: filesBelow(place.dir) };
  const peer = serveWithTools(place, { COLIBRI_MODE: 'READONLY' });
  await peer.initialize();
  await peer.phase2();
  await answersVitals(peer, 'phase2');
  expect(dataOf(await peer.call('server_health', {}))).toMatchObject({ mode: 'READONLY', phase: 'phase2' });
  expect(dataOf(await peer.call('server_health', {})).db_tables).toBeGreaterThanOrEqual(5);
  expect(dataOf(await peer.call('scratch_read', {}))).toEqual({ texts: [] });
  const refused = await peer.call('scratch_write', { text: 'no' });
  expect(refused.result.structuredContent.error.code).toBe('STORE_READ_ONLY');
  expect((await peer.end()).code).toBe(0);
  expect(fs.readFileSync(place.db).equals(before.bytes)).toBe(true);
  const after = filesBelow(place.dir).filter((file) => !/-(shm|wal)$/.test(file));
  expect(after).toEqual(before.files);
});
