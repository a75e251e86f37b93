// Starting and ending: signals, settings, modes, and what is left behind.
import '../support/deep-part.js';
import './lifecycle.test.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Ledger } from '../support/ledger-check.js';
import { eventually } from '../support/process-list.js';
import { filesBelow, freshPlace, serve, serveWithTools, session } from '../support/serve.js';
import { answersVitals, lockStore, usedStore } from './store-states.js';

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
  await eventually('the call has begun', () => new Ledger(place.db).calls.length === 1);
  expect((await peer.end()).code).toBe(0);
  expect(new Ledger(place.db).calls).toEqual(['sleep_open open']);
  await session(place, async () => {});
  expect(new Ledger(place.db).calls).toEqual(['sleep_open interrupted']);
});

test('a SIGINT more than two seconds after the first exits 130 at once', async () => {
  const place = freshPlace();
  await usedStore(place);
  lockStore(place);
  const peer = serve(place); // the end waits for the store, which is locked
  await peer.initialize();
  peer.kill('SIGINT');
  await peer.until(() => peer.stderr.includes('stopping: SIGINT'));
  // Until then it changes nothing.
  await sleep(100);
  void peer.kill('SIGINT');
  await sleep(2_100);
  expect(peer.isRunning).toBe(true);
  const began = performance.now();
  expect(await peer.kill('SIGINT')).toEqual({ code: 130, signal: null });
  expect(performance.now() - began).toBeLessThan(1_000);
});

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

test('MINIMAL creates nothing but its log', async () => {
  const place = freshPlace();
  const peer = serve(place, { env: { COLIBRI_MODE: 'MINIMAL' } });
  await peer.initialize();
  await answersVitals(peer, 'phase1');
  expect((await peer.end()).code).toBe(0);
  expect(filesBelow(place.dir)).toEqual(['home/state/colibri/log/colibri.log']);
});
