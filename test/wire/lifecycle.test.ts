// Starting and ending: signals, settings, modes, and what is left behind.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { deepTest, test } from '../support/by-gate.js';
import { Ledger, receiptOf, sha256 } from '../support/ledger-check.js';
import { ON_POSTGRES } from '../support/postgres.js';
import {
  filesBelow,
  freshPlace,
  MAIN,
  modernMeta,
  type Peer,
  serve,
  serveWithTools,
  session,
} from '../support/serve.js';
import { dataOf } from './store-states.js';

test.skipIf(ON_POSTGRES).each([
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

deepTest('SIGTERM lets calls in flight end; one that does not end in time is cancelled', async () => {
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

test.each(['legacy', 'modern'])(
  '%s: SIGINT, a cancellation and SIGINT within milliseconds: the call is cancelled, exit 0',
  async (era) => {
    const place = freshPlace();
    const peer = serveWithTools(place);
    const _meta = era === 'modern' ? { _meta: modernMeta('impatient') } : {};
    if (era === 'legacy') await peer.initialize();
    await peer.phase2();
    // The first call goes through the SDK, the second past it.
    await peer.request('tools/call', { name: 'sleep_open', arguments: { ms: 1 }, ..._meta });
    const params = { name: 'sleep_open', arguments: { ms: 20_000 }, ..._meta };
    peer.send({ jsonrpc: '2.0', id: 'long', method: 'tools/call', params });
    await sleep(100);
    void peer.kill('SIGINT');
    await sleep(15);
    peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'long', ..._meta } });
    await sleep(15);
    expect(await peer.kill('SIGINT')).toEqual({ code: 0, signal: null });
    const ledger = new Ledger(place.db);
    expect(ledger.calls).toEqual(['sleep_open ok', 'sleep_open cancelled']);
    expect(ledger.records.at(-1)?.body).toMatchObject({ kind: 'shutdown', reason: 'SIGINT', drained: 0, abandoned: 0 });
  },
);

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

deepTest('no client at all: exit 0, nothing on stdout', () => {
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

deepTest('TEST mode uses a folder of its own and leaves nothing', async () => {
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
  expect(peer.stderr).toMatch(/COLIBRI_(DB_PATH|DATABASE_URL) is ignored/);
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
