// colibri switchboard restart and retry, with two processes on one store and orders in haste: each process lets one request through in
// PROBATION and no more, whoever asks how often; and servers that do not wait for anybody are left as they are.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { colibri, json, rows } from '../support/command-line.js';
import { freshPlace, type Peer, type Place, serve } from '../support/serve.js';
import { fakeServer, writeBoard } from '../support/switchboard-file.js';

vi.setConfig({ testTimeout: 180_000 });

const started = async (place: Place, server: string): Promise<Peer> => {
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  await peer.until(() => peer.stderr.includes(`${server}: STARTING → HEALTHY`), 30_000);
  return peer;
};

const linesOf = (file: string): string[] =>
  fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split('\n') : [];

/** The most calls that ran at once in one process of the server. */
const mostAtOnce = (lines: readonly string[]): number => {
  const running = new Map<string, number>();
  let most = 0;
  for (const [, what = '', pid = ''] of lines.map((line) => line.split(' '))) {
    const by = what === 'begin' ? 1 : what === 'end' ? -1 : 0;
    running.set(pid, (running.get(pid) ?? 0) + by);
    most = Math.max(most, running.get(pid) ?? 0);
  }
  return most;
};

const askedFor = (place: Place): { from: string; to: string; what: string; by: string }[] =>
  rows<{ body: string }>(place, "SELECT body FROM actions WHERE kind = 'health' ORDER BY id")
    .map(({ body }) => JSON.parse(body))
    .filter(({ event }) => event.type === 'asked')
    .map(({ from, to, event }) => ({ from, to, what: event.what, by: event.by }));

test('two processes, orders in haste: one request each, then HEALTHY; every order is recorded with who', async () => {
  const place = freshPlace();
  const [sick, log] = [join(place.dir, 'sick'), join(place.dir, 'calls.log')];
  fs.writeFileSync(sick, '');
  const health = { failuresToQuarantine: 1, cooldownMs: 600_000 };
  writeBoard(place, { weak: { ...fakeServer('weak-calls', { SICK: sick, LOG: log }), health } });
  const peers = [await started(place, 'weak'), await started(place, 'weak')];
  for (const peer of peers) {
    await peer.call('weak__echo', {}, 30_000);
    await peer.until(() => peer.stderr.includes('weak: HEALTHY → QUARANTINE'), 30_000);
  }
  fs.rmSync(sick);
  fs.rmSync(log, { force: true });
  const told = await Promise.all([1, 2, 3].map(() => colibri(place, ['switchboard', 'retry', 'weak'])));
  for (const { code, stdout } of told) {
    expect(code).toBe(0);
    expect(stdout).toContain('Asked 2 processes to try weak');
  }
  const bursts = peers.map(async (peer) => {
    await peer.until(() => peer.stderr.includes('weak: QUARANTINE → PROBATION'), 30_000);
    return Promise.all([1, 2, 3, 4, 5, 6].map(() => peer.call('weak__echo', {}, 30_000)));
  });
  const more = colibri(place, ['switchboard', 'retry', 'weak']);
  for (const answers of await Promise.all(bursts)) {
    const texts = answers.map((answer) => JSON.stringify(answer));
    expect(texts.filter((text) => text.includes('"well"'))).toHaveLength(1);
    expect(texts.filter((text) => text.includes('TOOL_UNAVAILABLE'))).toHaveLength(5);
  }
  await more;
  expect(mostAtOnce(linesOf(log))).toBe(1);
  expect(linesOf(log).filter((line) => line.includes(' begin '))).toHaveLength(2);
  for (const peer of peers) {
    await peer.until(() => peer.stderr.includes('weak: PROBATION → HEALTHY'), 30_000);
    await peer.end();
  }
  const asked = askedFor(place);
  expect(asked.filter(({ from }) => from === 'QUARANTINE').length).toBeGreaterThanOrEqual(2);
  expect(asked.every(({ what, by }) => what === 'retry' && by !== '')).toBe(true);
  expect(await colibri(place, ['switchboard', 'replay'])).toMatchObject({ code: 0 });
  expect(await colibri(place, ['verify'])).toMatchObject({ code: 0 });
});

test('restarted again and again during its one request: never two in one process, and no process is left', async () => {
  const place = freshPlace();
  const log = join(place.dir, 'calls.log');
  const never = join(place.dir, 'never');
  writeBoard(place, { weak: fakeServer('weak-calls', { SICK: never, LOG: log, SLOW_MS: '150' }) });
  const peer = await started(place, 'weak');
  const stop = new AbortController();
  const calling = (async () => {
    while (!stop.signal.aborted) await Promise.all([1, 2, 3].map(() => peer.call('weak__echo', {}, 30_000)));
  })();
  for (let at = 0; at < 6; at += 1)
    expect(await colibri(place, ['switchboard', 'restart', 'weak'])).toMatchObject({ code: 0 });
  stop.abort();
  await calling;
  await peer.end();
  const pids = linesOf(log).flatMap((line) => / start (\d+)/.exec(line)?.[1] ?? []);
  expect(pids.length).toBeGreaterThan(1);
  const alive = pids.filter((pid) => fs.existsSync(`/proc/${pid}`));
  expect(alive).toEqual([]);
  expect(askedFor(place).every(({ what }) => what === 'restart')).toBe(true);
  expect(await colibri(place, ['switchboard', 'replay'])).toMatchObject({ code: 0 });
  expect(await colibri(place, ['verify'])).toMatchObject({ code: 0 });
});

test('a server that works, that starts, that is disabled or held, and one that there is not', async () => {
  const place = freshPlace();
  const log = join(place.dir, 'calls.log');
  writeBoard(place, {
    well: fakeServer('weak-calls', { SICK: join(place.dir, 'never'), LOG: log }),
    off: { ...fakeServer('plain'), disabled: true },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as a file writes it
    waits: { command: 'node', args: ['x.mjs'], env: { KEY: '${NOT_SET_ANYWHERE}' } },
    slow: fakeServer('mute'),
  });
  const peer = await started(place, 'well');
  const order = (...args: string[]) => colibri(place, ['switchboard', ...args]);
  expect(await order('retry', 'well')).toMatchObject({ code: 0, stdout: expect.stringContaining('works already') });
  expect((await order('retry', 'waits')).stdout).toContain('A variable of its configuration is not set');
  expect(await order('retry', 'slow')).toMatchObject({ code: 0 });
  expect(await order('retry', 'off')).toMatchObject({ code: 1, stderr: expect.stringContaining('disabled') });
  expect(await order('retry', 'wel')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('the nearest is well'),
  });
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(linesOf(log).filter((line) => line.includes(' start '))).toHaveLength(1);
  const { processes } = json(await colibri(place, ['switchboard', '--json']));
  const states = Object.fromEntries(
    processes[0].servers.map(({ server, state }: { server: string; state: string }) => [server, state]),
  );
  expect(states).toMatchObject({ well: 'HEALTHY', waits: 'UNHEALTHY', slow: 'STARTING' });
  await peer.end();
  expect(await order('retry', 'well')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('No running process'),
  });
  expect(await colibri(place, ['verify'])).toMatchObject({ code: 0 });
});
