// Starting and ending: signals, settings, modes, and what is left behind.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Ledger, receiptOf, sha256 } from '../ledger-check.js';
import { filesBelow, freshPlace, MAIN, type Peer, serve, serveWithTools, session } from '../process.js';
import { answersVitals, dataOf, lockStore, usedStore } from './stores.js';

test.each([
  ['SIGTERM', (peer: Peer) => peer.kill('SIGTERM')],
  ['SIGINT', (peer: Peer) => peer.kill('SIGINT')],
  ['stdin closed', (peer: Peer) => peer.end()],
])('%s: exit 0, `shutdown` is the last record and names it', async (reason, stop) => {
  const place = freshPlace();
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  await peer.call('server_ping', {});
  expect(await stop(peer)).toEqual({ code: 0, signal: null });
  expect(filesBelow(dirname(place.db))).toEqual(['colibri.db']);
  const ledger = new Ledger(place.db);
  const { instance } = ledger.bootOf(peer.pid);
  expect(ledger.records.at(-1)?.body).toMatchObject({ kind: 'shutdown', instance, reason, drained: 0, abandoned: 0 });
});

test('SIGTERM lets calls in flight end; one that does not end in time is cancelled', async () => {
  const place = freshPlace();
  const peer = serveWithTools(place, { COLIBRI_SHUTDOWN_TIMEOUT_MS: '700' });
  await peer.initialize();
  await peer.phase2();
  const short = peer.call('sleep_open', { ms: 200 });
  peer.send({
    jsonrpc: '2.0',
    id: 'long',
    method: 'tools/call',
    params: { name: 'sleep_open', arguments: { ms: 20_000 } },
  });
  await sleep(100);
  expect(await peer.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  expect((await short).result.structuredContent.ok).toBe(true);
  const ledger = new Ledger(place.db);
  expect(ledger.calls).toEqual(['sleep_open ok', 'sleep_open cancelled']);
  expect(ledger.records.at(-1)?.body).toMatchObject({ kind: 'shutdown', drained: 1, abandoned: 1 });
});

test('a handler that ignores its signal is left open and closed by the next start as interrupted', async () => {
  const place = freshPlace();
  const peer = serveWithTools(place, { COLIBRI_SHUTDOWN_TIMEOUT_MS: '100' });
  await peer.initialize();
  await peer.phase2();
  peer.send({
    jsonrpc: '2.0',
    id: 'deaf',
    method: 'tools/call',
    params: { name: 'sleep_open', arguments: { ms: 20_000, deaf: true } },
  });
  await sleep(150);
  expect((await peer.end()).code).toBe(0);
  expect(new Ledger(place.db).calls).toEqual(['sleep_open open']);
  await session(place, async () => {});
  expect(new Ledger(place.db).calls).toEqual(['sleep_open interrupted']);
});

test('a cancelled call gets no answer and is recorded as cancelled', async () => {
  const place = freshPlace();
  const peer = serveWithTools(place);
  await peer.initialize();
  await peer.phase2();
  peer.send({
    jsonrpc: '2.0',
    id: 'c',
    method: 'tools/call',
    params: { name: 'sleep_open', arguments: { ms: 20_000 } },
  });
  peer.send({ jsonrpc: '2.0', id: 'w', method: 'tools/call', params: { name: 'sleep_open', arguments: { ms: 1 } } });
  await sleep(150);
  for (const requestId of ['w', 'c']) {
    peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
  }
  expect((await peer.call('sleep_open', { ms: 1 })).result.structuredContent.ok).toBe(true);
  await peer.end();
  expect(peer.messages.filter(({ id }) => id === 'c' || id === 'w')).toEqual([]);
  const ledger = new Ledger(place.db);
  expect(ledger.calls).toEqual(['sleep_open cancelled', 'sleep_open cancelled', 'sleep_open ok']);
  expect(ledger.pairs[0]?.exit?.body).not.toHaveProperty('result_digest');
});

test('a second SIGINT exits 130 at once', async () => {
  const place = freshPlace();
  await usedStore(place);
  lockStore(place);
  const peer = serve(place); // the end waits for the store, which is locked
  await peer.initialize();
  peer.kill('SIGINT');
  await peer.until(() => peer.stderr.includes('stopping: SIGINT'));
  await sleep(100);
  const began = performance.now();
  expect(await peer.kill('SIGINT')).toEqual({ code: 130, signal: null });
  expect(performance.now() - began).toBeLessThan(1_000);
});

const REFUSED: readonly (readonly [name: string, value: string, allowed: string])[] = [
  ['COLIBRI_MODE', 'full', 'FULL READONLY TEST MINIMAL'],
  ['AMS_MODE', 'FULL', 'FULL READONLY TEST MINIMAL'],
  ['COLIBRI_STARTUP_TIMEOUT_MS', '999', '1000–600000'],
  ['COLIBRI_SHUTDOWN_TIMEOUT_MS', '1e3', '0–60000'],
  ['COLIBRI_DURABILITY', 'most', 'normal full'],
  ['COLIBRI_LOG_LEVEL', 'loud', 'error warn info debug'],
  ['COLIBRI_AUDIT_PAYLOADS', 'all', 'stored digest none'],
  ['COLIBRI_PROJECT_DIR', '/no/such/folder', 'a folder that exists'],
];

test('a setting that is not allowed: exit 1, its name and what is allowed, nothing else', async () => {
  const refused = async ([name, value, allowed]: (typeof REFUSED)[number]): Promise<void> => {
    const place = freshPlace();
    const peer = serve(place, { env: { [name]: value } });
    peer.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
    expect(await peer.ended, name).toEqual({ code: 1, signal: null });
    expect(peer.lines, name).toEqual([]);
    expect(peer.stderr).toContain(name);
    expect(peer.stderr).toContain(allowed);
    expect(peer.stderr.split('\n').length, name).toBeLessThan(5);
    expect(filesBelow(place.dir), name).toEqual([]);
  };
  await Promise.all(REFUSED.map(refused));
});

test('no client at all: exit 0, nothing on stdout', () => {
  const place = freshPlace();
  const ended = spawnSync(process.execPath, [MAIN, 'serve'], {
    cwd: place.dir,
    env: place.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
  });
  expect(ended.status).toBe(0);
  expect(ended.stdout).toBe('');
  const ledger = new Ledger(place.db);
  const kinds = ledger.records.map(({ kind }) => kind).filter((kind) => kind !== 'migrate');
  expect(kinds).toEqual(['boot', 'shutdown']);
});

test('MINIMAL creates nothing but its log', async () => {
  const place = freshPlace();
  const peer = serve(place, { env: { COLIBRI_MODE: 'MINIMAL' } });
  await peer.initialize();
  await answersVitals(peer, 'phase1');
  expect((await peer.end()).code).toBe(0);
  expect(filesBelow(place.dir)).toEqual(['home/state/colibri/log/colibri.log']);
});

test('TEST mode uses a folder of its own and leaves nothing', async () => {
  const place = freshPlace();
  const { value, peer } = await session(
    place,
    async (peer) => {
      expect(fs.readdirSync(place.env.TMPDIR ?? '')).toHaveLength(1);
      return peer.call('server_ping', {});
    },
    { env: { COLIBRI_MODE: 'TEST', COLIBRI_KEY_FILE: join(place.dir, 'my.key') } },
  );
  expect(receiptOf(value)).toBeDefined();
  expect(peer.stderr).toContain('COLIBRI_DB_PATH is ignored');
  expect(filesBelow(place.dir)).toEqual([]);
  expect(fs.readdirSync(place.env.TMPDIR ?? '')).toEqual([]);
});

test('writes: what commits is in the store and in the ledger, what fails is in neither but recorded', async () => {
  const place = freshPlace();
  const peer = serveWithTools(place);
  await peer.initialize();
  await peer.phase2();
  const written = await peer.call('scratch_write', { text: 'kept' });
  const said = await peer.call('scratch_write', { text: 'refused', ending: 'no' });
  const broke = await peer.call('scratch_write', { text: 'broken', ending: 'crash' });
  const thrown = await peer.call('throw_open', {});
  const read = await peer.call('scratch_read', {});
  await peer.end();
  expect(dataOf(read)).toEqual({ texts: ['kept'] });
  expect(said.result.structuredContent.error).toEqual({
    code: 'HANDLER_ERROR',
    message: 'ERR_NO: not this one',
    details: { text: 'refused' },
  });
  expect(broke.result.structuredContent.error).toEqual({ code: 'HANDLER_ERROR', message: 'it broke' });
  const ledger = new Ledger(place.db);
  expect(ledger.calls).toEqual([
    'scratch_write ok',
    'scratch_write domain_error ERR_NO',
    'scratch_write failed HANDLER_ERROR',
    'throw_open failed HANDLER_ERROR',
    'scratch_read ok',
  ]);
  for (const answer of [written, said, broke, thrown, read]) {
    const receipt = receiptOf(answer);
    const digest = sha256(Buffer.from(receipt?.salt ?? '', 'hex'), answer.result.content[0].text);
    expect(ledger.pairOf(receipt).exit?.body.result_digest).toBe(digest);
  }
});
