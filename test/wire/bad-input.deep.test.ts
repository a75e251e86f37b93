// Everything a client should not send. Each line gets its answer, the process goes on, and each tools/call among them
// leaves exactly one pair with the right outcome.
import '../support/deep-part.js';
import './bad-input.test.js';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Ledger } from '../support/ledger-check.js';
import { freshPlace, type Peer, serve } from '../support/serve.js';
import { call, MIB } from './bad-input.shared.js';

const FLOOD = 50_000;
const flood = (peer: Peer): void => {
  const lines = Array.from({ length: FLOOD }, (_, n) => call(`f${n}`, '{}'));
  peer.write(`${lines.join('\n')}\n`);
};

/** Unread answers may belong to calls that were cancelled at the end; nothing is left open. */
const settledWell = (ledger: Ledger): boolean =>
  ledger.pairs.every(({ exit }) => exit?.body.outcome === 'ok' || exit?.body.outcome === 'cancelled');

test('a million small values in the arguments do not take a gigabyte', async () => {
  const place = freshPlace();
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  const answer = await peer.call('server_ping', { items: Array.from({ length: 1_500_000 }, () => 0) });
  expect(answer.result.structuredContent.ok).toBe(true);
  expect(peer.peakBytes()).toBeLessThan(400 * MIB);
  await peer.end();
  expect(new Ledger(place.db).pairs[0]?.enter.body).toMatchObject({ args: 'stored', args_bytes: 3_000_011 });
});

test('a client that sends 50,000 calls and reads nothing: bounded memory, and the process ends with it', async () => {
  const place = freshPlace();
  const peer = serve(place, { deaf: true, env: { COLIBRI_SHUTDOWN_TIMEOUT_MS: '300' } });
  await peer.phase2();
  flood(peer);
  await sleep(2_000);
  expect(peer.peakBytes()).toBeLessThan(400 * MIB);
  expect(peer.isRunning).toBe(true);
  expect(await peer.vanish()).toEqual({ code: 0, signal: null });
  const ledger = new Ledger(place.db);
  expect(ledger.pairs.length).toBeGreaterThan(100);
  // About as many as have room on the way out; without a bound it would go on.
  expect(ledger.pairs.length).toBeLessThan(5_000);
  expect(settledWell(ledger)).toBe(true);
  expect(ledger.records.at(-1)?.kind).toBe('shutdown');
});

test('the same behind a pipe of the kernel, ended by SIGTERM', async () => {
  const place = freshPlace();
  const fifo = join(place.dir, 'out');
  execFileSync('mkfifo', [fifo]);
  // Open at both ends and never read: what a stuck client looks like behind a shell's pipe.
  const fd = fs.openSync(fifo, fs.constants.O_RDWR | fs.constants.O_NONBLOCK);
  place.onEnd(() => fs.closeSync(fd));
  const peer = serve(place, { stdoutFd: fd, env: { COLIBRI_SHUTDOWN_TIMEOUT_MS: '300' } });
  await peer.phase2();
  flood(peer);
  await sleep(500);
  expect(await peer.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  const ledger = new Ledger(place.db);
  expect(settledWell(ledger)).toBe(true);
  expect(ledger.records.at(-1)?.body).toMatchObject({ kind: 'shutdown', reason: 'SIGTERM' });
});
