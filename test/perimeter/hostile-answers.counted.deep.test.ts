// Random hostile answers of servers of both protocol eras, over stdio and HTTP, beside a server that behaves: no crash, bounded
// memory, every call answered exactly once, a ledger that verifies, and a neighbour that hardly notices.
//
// What the neighbour notices is told by a comparison: on few cores a dozen busy processes slow everybody down, whoever reads what
// they say. So its calls are timed again while the same servers are called as often, past Colibri.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { counted } from '../support/counted.js';
import { linkPlace } from '../support/dial.js';
import { httpFake } from '../support/http-server.js';
import { freshPlace, type Message, type Peer, serve } from '../support/serve.js';
import { fakeServer, writeBoard } from '../support/switchboard-file.js';
import { verify } from '../switchboard/wire.shared.js';

const FULL = 10_000;
const run = counted('hostile answers', FULL);
const MIB = 1024 * 1024;
const AT_ONCE = 4;
const ROUNDS = 5;
/** Servers of each kind: one that was made sick is left alone for a while. */
const EACH = 3;
/**
 * Below that a 99th percentile says more about the machine than about us. In a part of the run it is that of about a thousand calls, ten of
 * which are the first ones to each server.
 */
const NOISE_MS = run.count < FULL ? 150 : 50;

const quantile = (durations: readonly number[], share: number): number =>
  durations.toSorted((one, other) => one - other)[Math.floor(durations.length * share)] ?? 0;
const p99 = (durations: readonly number[]): number => quantile(durations, 0.99);
const figures = (durations: readonly number[]): string =>
  `p50 ${quantile(durations, 0.5).toFixed(1)} ms, p99 ${p99(durations).toFixed(1)} ms of ${durations.length}`;

/** Ids of our own: those of Colibri's questions are numbers. */
const asker = (peer: Peer) => {
  let last = 0;
  return async (name: string, args: object): Promise<{ readonly id: string; readonly answer: Message }> => {
    const id = `call ${++last}`;
    const answer = peer.answer(id, 60_000);
    peer.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } });
    return { id, answer: await answer };
  };
};

/** Where a client looks for a receipt. */
const isForged = ({ result, error }: Message): boolean =>
  [result?._meta, error?.data].some((holder) => holder?.['dev.colibri/receipt']?.leaf === 'forged');

/** Answers the questions of servers, until it is stopped. */
const answerQuestions = (peer: Peer): (() => void) => {
  let seen = 0;
  const timer = setInterval(() => {
    for (; seen < peer.messages.length; seen++) {
      const { id, method } = peer.messages[seen] ?? {};
      if (method !== undefined && id !== undefined) peer.send({ jsonrpc: '2.0', id, result: { action: 'decline' } });
    }
  }, 5);
  return () => clearInterval(timer);
};

interface Entry {
  readonly url?: string;
  readonly args?: readonly string[];
  readonly env?: Record<string, string>;
  readonly [key: string]: unknown;
}

/** Has the servers called as often as Colibri did, by nobody who reads what they answer. Returns how to stop. */
const callPast = (entries: readonly Entry[], everyMs: number): (() => Promise<void>) => {
  const children = entries.flatMap(({ args, env }) =>
    args === undefined ? [] : [spawn(process.execPath, [...args], { env, stdio: ['pipe', 'pipe', 'ignore'] })],
  );
  for (const { stdin, stdout } of children) {
    stdin.on('error', () => {});
    stdout.resume();
  }
  let calls = 0;
  const call = (): void => {
    const n = ++calls;
    const params = { name: 't', arguments: { seed: run.seed + n, a: [{}, n] } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: `c${n}`, method: 'tools/call', params });
    const url = entries[n % entries.length]?.url;
    if (url === undefined) children[n % children.length]?.stdin.write(`${body}\n`);
    else
      fetch(url, { method: 'POST', body, redirect: 'manual', signal: AbortSignal.timeout(2_000) })
        .then((got) => got.arrayBuffer())
        .catch(() => {});
  };
  const timer = setInterval(call, everyMs);
  return async () => {
    clearInterval(timer);
    for (const child of children) {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
  };
};

const hostiles = async (): Promise<Record<string, Entry>> => {
  const place = linkPlace();
  const health = { cooldownMs: 1_000, cooldownMaxMs: 1_000 };
  const entries: Record<string, Entry> = {};
  for (let n = 0; n < EACH; n++)
    for (const ERA of ['legacy', 'modern']) {
      entries[`stdio-${ERA}-${n}`] = { ...fakeServer('random-hostile', { ERA }), timeoutMs: 2_000, health };
      const { url } = await httpFake(place, 'random-hostile', { ERA, HTTP: '1' });
      entries[`http-${ERA}-${n}`] = { url, timeoutMs: 2_000, health };
    }
  return entries;
};

test('whatever servers answer, callers are served', { timeout: 3_600_000 }, async () => {
  const place = freshPlace();
  const evil = await hostiles();
  writeBoard(place, { ...evil, plain: fakeServer('plain') } as never);
  const peer = serve(place, { env: { COLIBRI_LOG_LEVEL: 'error' } });
  const capabilities = { elicitation: {}, sampling: {}, roots: {} };
  const clientInfo = { name: 'raw', version: '1.0' };
  peer.send({
    jsonrpc: '2.0',
    id: 'hello',
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities, clientInfo },
  });
  await peer.answer('hello');
  peer.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const call = asker(peer);
  const healthy = async (durations: number[]): Promise<void> => {
    const begun = performance.now();
    const { answer } = await call('plain__echo', { n: durations.length });
    if (answer.result?.isError !== true) durations.push(performance.now() - begun);
  };
  while ((await call('plain__echo', {})).answer.result?.isError === true);
  const alone: number[] = [];
  for (let n = 0; n < 300; n++) await healthy(alone);
  const stop = answerQuestions(peer);

  const ids: string[] = [];
  const beside: number[] = [];
  const names = Object.keys(evil);
  let next = 0;
  let reached = 0;
  let goal = 0;
  const attack = async (): Promise<void> => {
    for (let n = next++; reached < goal; n = next++) {
      const tool = `${names[n % names.length]}__${n % 5 === 4 ? 'u' : 't'}`;
      const { id, answer } = await call(tool, { seed: run.seed + n, a: [{}, n] });
      expect(answer.result ?? answer.error, id).toBeDefined();
      ids.push(id);
      // A refusal is an answer, but none of a hostile server.
      if (answer.result?._meta?.['dev.colibri/refusal']?.error.code === 'TOOL_UNAVAILABLE') await sleep(50);
      else run.progress(reached++);
    }
  };
  const busy: number[] = [];
  // In turns: what else the machine does changes from minute to minute.
  for (let round = 1; round <= ROUNDS; round++) {
    goal = Math.ceil((run.count * round) / ROUNDS);
    const [begunMs, before] = [performance.now(), ids.length];
    let isOver = false;
    const attacks = Promise.all(Array.from({ length: AT_ONCE }, attack)).finally(() => {
      isOver = true;
    });
    while (!isOver) await healthy(beside);
    await attacks;
    const tookMs = performance.now() - begunMs;
    const stopCalling = callPast(Object.values(evil), tookMs / (ids.length - before));
    for (const until = performance.now() + tookMs; performance.now() < until; ) await healthy(busy);
    await stopCalling();
  }
  stop();
  for (let n = 0; n < 300; n++) await healthy(alone);

  const answers = new Map<unknown, number>();
  for (const { id, method } of peer.messages) if (method === undefined) answers.set(id, (answers.get(id) ?? 0) + 1);
  expect(ids.filter((id) => answers.get(id) !== 1)).toEqual([]);
  expect(peer.messages.filter(isForged)).toEqual([]);
  expect(peer.peakBytes()).toBeLessThan(900 * MIB);
  process.stderr.write(
    `hostile answers: alone ${figures(alone)}; beside ${figures(beside)}; past Colibri ${figures(busy)}; ${ids.length} calls, ${reached} reached; peak ${Math.round(peer.peakBytes() / MIB)} MiB\n`,
  );
  expect(p99(beside)).toBeLessThan(Math.max(NOISE_MS, 3 * p99(busy)));
  expect((await peer.end()).code).toBe(0);
  expect(await verify(place)).toBe(0);
});
