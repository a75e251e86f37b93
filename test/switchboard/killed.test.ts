// kill -9 of the whole process in the middle of calls: nothing that it started outlives it by more than 5 s. And if its
// watchdog was killed before it, the next start ends what is left.
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshPlace, type Peer, type Place, serve } from '../process.js';
import { canSeeLeft, endLeft, groupNotes, leftOf } from './left.js';
import { binary } from './link-place.js';
import { eventually, fakeServer, writeBoard } from './wire-place.js';

/** 5 s are promised. The rest is for a machine on which much else runs. */
const PROMISED_MS = 5_000;
const SLACK_MS = 10_000;

const FAKES = ['hangs', 'grandchild', 'ignores-sigterm', 'ignores-end', 'slow-calls'] as const;
const SERVERS = [...FAKES, 'everything'];

const loaded = async (place: Place): Promise<Peer> => {
  endLeft(place);
  writeBoard(place, {
    ...Object.fromEntries(FAKES.map((name) => [name, fakeServer(name)])),
    everything: { command: binary('mcp-server-everything'), args: ['stdio'] },
  });
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  await peer.until(() => SERVERS.every((name) => peer.stderr.includes(`${name}: STARTING → HEALTHY`)), 30_000);
  return peer;
};

const load = (peer: Peer): void => {
  let id = 0;
  const call = (name: string, args: object): void =>
    peer.send({ jsonrpc: '2.0', id: `load-${id++}`, method: 'tools/call', params: { name, arguments: args } });
  for (let n = 0; n < 10; n++) {
    call('hangs__echo', {});
    call('slow-calls__echo', { ms: 100 + 50 * n });
    call('everything__echo', { message: `call ${n}` });
  }
};

const allLed = (place: Place): boolean => {
  const [note] = groupNotes(place);
  return note !== undefined && JSON.parse(fs.readFileSync(note, 'utf8')).groups.length === SERVERS.length;
};

/** Colibri, six servers, a child of one, the watchdog. */
const EVERYBODY = SERVERS.length + 3;

const watchdogOf = (place: Place): number => {
  const found = leftOf(place).find(({ command }) => command.startsWith('sh -c set -f'));
  if (found === undefined) throw new Error('no watchdog');
  return found.pid;
};

/** Its orphans, once those that leave by themselves have left. */
const orphaned = async (place: Place): Promise<string[]> => {
  const peer = await loaded(place);
  await eventually('every server is noted', () => allLed(place));
  process.kill(watchdogOf(place), 'SIGKILL');
  load(peer);
  await peer.kill('SIGKILL');
  const stubborn = () => leftOf(place).map(({ command }) => command.replace(/.*\/|'/g, '').slice(0, 30));
  await eventually('the polite ones are gone', () => stubborn().length === 3, 20_000);
  return stubborn().toSorted();
};

describe.runIf(canSeeLeft)('kill -9', { timeout: 60_000 }, () => {
  test('of a process with calls in flight leaves nothing', async () => {
    const place = freshPlace();
    const peer = await loaded(place);
    load(peer);
    await peer.until(() => peer.messages.some(({ id }) => String(id).startsWith('load-')));
    expect(leftOf(place)).toHaveLength(EVERYBODY);
    await peer.kill('SIGKILL');
    await eventually('nothing is left', () => leftOf(place).length === 0, PROMISED_MS + SLACK_MS);
  });

  test('of a process that has just begun to start its servers leaves nothing', async () => {
    const place = freshPlace();
    endLeft(place);
    const names = Array.from({ length: 12 }, (_, n) => `s${n}`);
    writeBoard(place, Object.fromEntries(names.map((name) => [name, fakeServer('ignores-sigterm')])));
    for (const many of [1, 3, 6, 9]) {
      const peer = serve(place);
      await peer.initialize();
      await eventually('some are there', () => leftOf(place).length > many + 1);
      await peer.kill('SIGKILL');
      await eventually('nothing is left', () => leftOf(place).length === 0, PROMISED_MS + SLACK_MS);
    }
  });

  test('of the watchdog, then of the process: the next start ends what is left', async () => {
    const place = freshPlace();
    const left = await orphaned(place);
    expect(left).toEqual(['ignores-end.mjs', 'ignores-sigterm.mjs', 'node -e setInterval(() => {}, ']);
    expect(groupNotes(place)).toHaveLength(1);

    // Any start does, also one that has no servers of its own.
    const next = serve(place, { env: { COLIBRI_SWITCHBOARD: '' } });
    await next.initialize();
    await next.until(() => next.stderr.includes('ended what a process that died had left'), 20_000);
    expect(leftOf(place).map(({ pid }) => pid)).toEqual([next.pid]);
    await eventually('the note is gone', () => groupNotes(place).length === 0);
    await next.end();
  });

  test('two starts at once do it, and start their own servers', async () => {
    const place = freshPlace();
    await orphaned(place);
    const before = leftOf(place).map(({ pid }) => pid);
    const peers = [serve(place), serve(place)];
    for (const peer of peers) await peer.initialize();
    for (const peer of peers)
      await peer.until(() => SERVERS.every((name) => peer.stderr.includes(`${name}: STARTING → HEALTHY`)), 30_000);
    expect(leftOf(place).filter(({ pid }) => before.includes(pid))).toEqual([]);
    expect(leftOf(place)).toHaveLength(2 * EVERYBODY);
    expect(groupNotes(place)).toHaveLength(2);
    await Promise.all(peers.map((peer) => peer.end()));
    expect([leftOf(place), groupNotes(place)]).toEqual([[], []]);
  });

  test('a start leaves the servers of a living process alone', async () => {
    const place = freshPlace();
    const first = await loaded(place);
    await eventually('every server is noted', () => allLed(place));
    const before = leftOf(place).map(({ pid }) => pid);
    // The note of a process that died without servers: when it is gone, the start has looked at all of them.
    const [file = ''] = groupNotes(place);
    const note = JSON.parse(fs.readFileSync(file, 'utf8'));
    fs.writeFileSync(`${file}.dead`, JSON.stringify({ ...note, owner: { ...note.owner, start: '1' }, groups: [] }));
    const next = serve(place, { env: { COLIBRI_SWITCHBOARD: '' } });
    await next.initialize();
    await eventually('it has looked', () => groupNotes(place).length === 1);
    await next.end();
    expect(leftOf(place).map(({ pid }) => pid)).toEqual(before);
    await first.end();
    expect([leftOf(place), groupNotes(place)]).toEqual([[], []]);
  });

  test('a number that was given out again is left alone', async () => {
    const place = freshPlace();
    await orphaned(place);
    const [file = ''] = groupNotes(place);
    const note = JSON.parse(fs.readFileSync(file, 'utf8'));
    // A group of its own, as a shell or a service makes them; the note says that its leader started at another time.
    const stranger = spawn('sleep', ['60'], { detached: true, stdio: 'ignore', env: {} });
    place.onEnd(() => void stranger.kill('SIGKILL'));
    const pgid = stranger.pid ?? 0;
    fs.writeFileSync(file, JSON.stringify({ ...note, groups: [...note.groups, { pgid, start: '1' }] }));
    const next = serve(place, { env: { COLIBRI_SWITCHBOARD: '' } });
    await next.initialize();
    await next.until(() => next.stderr.includes('ended what a process that died had left'), 20_000);
    await next.end();
    expect(leftOf(place)).toEqual([]);
    expect([stranger.exitCode, stranger.signalCode]).toEqual([null, null]);
  });

  test('notes that say nothing, or something wrong, harm nobody', async () => {
    const place = freshPlace();
    const dir = join(place.home, 'state', 'colibri', 'groups');
    fs.mkdirSync(dir, { recursive: true });
    const notes = [
      '',
      'null',
      '[]',
      '{"machine":1}',
      '{"machine":"elsewhere","owner":{"pid":1,"start":"1"},"groups":[]}',
    ];
    for (const [n, text] of notes.entries()) fs.writeFileSync(join(dir, `${n}.json`), text);
    fs.mkdirSync(join(dir, 'folder'));
    const old = new Date(Date.now() - 31 * 24 * 60 * 60 * 1_000);
    fs.utimesSync(join(dir, '0.json'), old, old);
    const peer = serve(place);
    await peer.initialize();
    await eventually('an old one is gone', () => !fs.existsSync(join(dir, '0.json')));
    expect((await peer.call('server_ping', {})).result.isError).toBeUndefined();
    expect((await peer.end()).code).toBe(0);
    expect(fs.readdirSync(dir)).toHaveLength(5);
  });
});

describe.runIf(canSeeLeft)('the end of a process', { timeout: 60_000 }, () => {
  test('does not wait for a server that was removed and still has calls, and leaves nothing of it', async () => {
    const place = freshPlace();
    const peer = await loaded(place);
    load(peer);
    await peer.until(() => peer.messages.some(({ id }) => String(id).startsWith('load-')));
    writeBoard(place, { 'ignores-end': fakeServer('ignores-end') });
    await peer.until(() => peer.stderr.includes('hangs: HEALTHY → removed'));
    // Its calls may end: it drains.
    expect(leftOf(place).some(({ command }) => command.includes('hangs.mjs'))).toBe(true);
    expect((await peer.kill('SIGTERM')).code).toBe(0);
    expect([leftOf(place), groupNotes(place)]).toEqual([[], []]);
  });

  test('goes well where servers cannot be noted, and the servers serve', async () => {
    const place = freshPlace();
    endLeft(place);
    fs.mkdirSync(join(place.home, 'state', 'colibri'), { recursive: true });
    fs.writeFileSync(join(place.home, 'state', 'colibri', 'groups'), 'in the way');
    writeBoard(place, { plain: fakeServer('plain'), 'ignores-end': fakeServer('ignores-end') });
    const peer = serve(place);
    await peer.initialize();
    await peer.phase2();
    await peer.until(
      () => /ignores-end: STARTING → HEALTHY/.test(peer.stderr) && /plain: STARTING → HEALTHY/.test(peer.stderr),
    );
    expect((await peer.call('plain__echo', {})).result.isError).toBeUndefined();
    expect(peer.stderr.split('servers are not noted').length).toBe(2);
    expect((await peer.end()).code).toBe(0);
    expect(leftOf(place)).toEqual([]);
  });
});
