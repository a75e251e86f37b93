// Starts and stops, again and again: of whole processes with their servers, and of servers inside one process. Nothing may be
// left: no process, no group, no watchdog, no descriptor, no timer.

import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { counted } from '../support/counted.js';
import { binary } from '../support/dial.js';
import { descendants, eventually } from '../support/process-list.js';
import { freshPlace, MAIN, type Peer, type Place, serve } from '../support/serve.js';
import { fakeServer, type ServerEntry, writeBoard } from '../support/switchboard-file.js';
import { canListProcesses, groupNotes, killLivingAtEnd, livingProcesses } from './living-processes.js';

const RUN = counted('starts and stops', 200);
const STARTS = RUN.count;
/** A start and a stop take at most this, on a machine with much else to do. */
const PATIENCE_MS = 45_000;
const LANES = 4;

/** `round`: another value is another connection, so that the server is started anew. */
const servers = (place: Place, round = 0): Record<string, ServerEntry> => {
  const env = { ROUND: String(round) };
  return {
    everything: { command: binary('mcp-server-everything'), args: ['stdio'], env },
    memory: {
      command: binary('mcp-server-memory'),
      env: { ...env, MEMORY_FILE_PATH: join(place.dir, 'memory.jsonl') },
    },
    grandchild: fakeServer('grandchild', env),
    stubborn: fakeServer('ignores-sigterm', env),
  };
};

const times = (peer: Peer, text: string): number => peer.stderr.split(text).length - 1;

const healthy = (peer: Peer, names: readonly string[]): Promise<void> =>
  peer.until(() => names.every((name) => peer.stderr.includes(`${name}: STARTING → HEALTHY`)), PATIENCE_MS);

const hang = (peer: Peer): void =>
  peer.send({
    jsonrpc: '2.0',
    id: 'hanging',
    method: 'tools/call',
    params: { name: 'everything__trigger-long-running-operation', arguments: { duration: 60, steps: 2 } },
  });

/** When a process is ended: each moment finds its servers in another state. */
const MOMENTS: Readonly<Record<string, (peer: Peer, place: Place) => Promise<unknown>>> = {
  'when all serve': async (peer, place) => {
    await healthy(peer, Object.keys(servers(place)));
    expect((await peer.call('everything__echo', { message: 'x' }, PATIENCE_MS)).result.isError).toBeUndefined();
    expect((await peer.call('memory__read_graph', {}, PATIENCE_MS)).result.isError).toBeUndefined();
  },
  'while they start': (peer) => eventually('one is there', () => descendants(peer.pid).length > 1, PATIENCE_MS),
  'in a call': async (peer, place) => {
    await healthy(peer, Object.keys(servers(place)));
    hang(peer);
  },
  'at once': async () => {},
};

const ENDS: Readonly<Record<string, (peer: Peer) => Promise<unknown>>> = {
  'end of stdin': (peer) => peer.end(),
  SIGTERM: (peer) => peer.kill('SIGTERM'),
  SIGINT: (peer) => peer.kill('SIGINT'),
};

const nth = <T>(table: Readonly<Record<string, T>>, n: number): T => {
  const all = Object.values(table);
  return all[n % all.length] as T;
};

interface Seen {
  readonly started: number;
  readonly left: readonly unknown[];
  readonly code: unknown;
}

/** One process from start to end, and what was left of it when it had gone. */
const life = async (place: Place, n: number): Promise<Seen> => {
  const peer = serve(place, { env: { COLIBRI_SHUTDOWN_TIMEOUT_MS: '500' } });
  await peer.initialize();
  await nth(MOMENTS, n)(peer, place);
  const started = livingProcesses(place).length - 1;
  const ended = await nth(ENDS, Math.floor(n / 4))(peer);
  return { started, left: [...livingProcesses(place), ...groupNotes(place)], code: ended };
};

describe.runIf(canListProcesses)(`${STARTS} starts and stops`, () => {
  test('of whole processes leave no process', { timeout: 60_000 + (STARTS / LANES) * PATIENCE_MS }, async () => {
    const seen: Seen[] = [];
    const turns = Array.from({ length: STARTS }, (_, n) => n);
    const lane = async (): Promise<void> => {
      const place = freshPlace();
      killLivingAtEnd(place);
      writeBoard(place, servers(place));
      for (let n = turns.shift(); n !== undefined; n = turns.shift()) {
        seen.push(await life(place, n));
        RUN.progress(seen.length);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    const processes = seen.reduce((sum, { started }) => sum + started, 0);
    say(
      `${seen.length} starts and stops with ${processes} processes besides, ${seen.flatMap(({ left }) => left).length} left`,
    );
    expect(seen).toHaveLength(STARTS);
    expect(seen.flatMap(({ left }) => left)).toEqual([]);
    expect(seen.filter(({ code }) => (code as { code: unknown }).code !== 0)).toEqual([]);
    // Half of them had all: four servers, a child of one, the watchdog.
    expect(seen.filter(({ started }) => started === 6).length).toBeGreaterThanOrEqual(STARTS / 2);
  });

  test('of servers in one process leave what was there before', {
    timeout: 120_000 + STARTS * 2_000,
  }, async () => {
    const place = freshPlace();
    killLivingAtEnd(place);
    const resources = join(place.dir, 'resources');
    const preload = new URL('../children/count-resources.mjs', import.meta.url).pathname;
    writeBoard(place, servers(place));
    const peer = serve(place, { env: { RESOURCES: resources }, args: ['--import', preload, MAIN, 'serve'] });
    await peer.initialize();
    await peer.phase2();
    await healthy(peer, Object.keys(servers(place)));
    const bare = bareProcess(peer, place, resources);
    const before = await bare();
    expect(before.children).toBe(1);
    const started = (await rewrite(peer, place)) + (await kill(peer, place));
    const after = await bare();
    expect(started).toBeGreaterThanOrEqual(STARTS);
    say(`${started} servers started and ended; before ${JSON.stringify(before)}, after ${JSON.stringify(after)}`);
    const more = Object.entries(after).filter(([what, count]) => count > (before[what] ?? 0));
    expect(more).toEqual([]);
    expect((await peer.end()).code).toBe(0);
    expect([livingProcesses(place), groupNotes(place)]).toEqual([[], []]);
  });
});

/** Figures for whoever runs two hundred. */
const say = (text: string): void => void process.stdout.write(`${text}\n`);

type Counts = Record<string, number>;

/** What the process holds when it has no servers: at rest, so the smallest of what it holds within some time. */
const bareProcess = (peer: Peer, place: Place, file: string) => async (): Promise<Counts> => {
  writeBoard(place, {});
  await eventually('all servers are gone', () => livingProcesses(place).length === 2, PATIENCE_MS); // it and its watchdog
  const looks: Counts[] = [];
  for (let look = 0; look < 10; look++) {
    looks.push(await countsOf(peer, file));
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  const kinds = [...new Set(looks.flatMap((counts) => Object.keys(counts)))];
  return Object.fromEntries(kinds.map((kind) => [kind, Math.min(...looks.map((counts) => counts[kind] ?? 0))]));
};

const countsOf = async (peer: Peer, file: string): Promise<Counts> => {
  fs.rmSync(file, { force: true });
  process.kill(peer.pid, 'SIGUSR2');
  await eventually('it says what it holds', () => fs.existsSync(file));
  const { living, active } = JSON.parse(fs.readFileSync(file, 'utf8'));
  const named = (kind: string, counts: Counts) =>
    Object.fromEntries(Object.entries(counts).map(([what, count]) => [`${kind} ${what}`, count]));
  return {
    descriptors: fs.readdirSync(`/proc/${peer.pid}/fd`).length,
    children: descendants(peer.pid).length,
    ...named('living', living),
    ...named('active', active),
  };
};

/** Half of the starts: four servers with another connection each time the file is saved. */
const rewrite = async (peer: Peer, place: Place): Promise<number> => {
  const rounds = Math.ceil(STARTS / 8);
  for (let round = 1; round <= rounds; round++) {
    const [before, names] = [peer.stderr.length, Object.keys(servers(place))];
    writeBoard(place, servers(place, round));
    const isBack = (name: string) => peer.stderr.slice(before).includes(`${name}: STARTING → HEALTHY`);
    await peer.until(() => names.every(isBack), PATIENCE_MS);
  }
  return rounds * 4;
};

/** The other half: a server that is killed whenever it is there. */
const kill = async (peer: Peer, place: Place): Promise<number> => {
  const kills = Math.ceil(STARTS / 2);
  // Never quarantined: no more than one loss ever counts.
  const health = { failuresToQuarantine: 100, stabilityWindowMs: 1_000 };
  writeBoard(place, { victim: { ...fakeServer('grandchild'), health } });
  for (let n = 0; n < kills; n++) {
    await peer.until(() => times(peer, 'victim: STARTING → HEALTHY') === n + 1, PATIENCE_MS);
    const leader = livingProcesses(place).find(
      ({ pid, pgid, command }) => pid === pgid && command.includes('grandchild.mjs'),
    );
    process.kill(leader?.pid ?? 0, 'SIGKILL');
  }
  await peer.until(() => times(peer, 'victim: STARTING → HEALTHY') === kills + 1, PATIENCE_MS);
  return kills;
};
