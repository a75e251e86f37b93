// kill -9 of the whole process in the middle of calls: nothing that it started outlives it by more than 5 s. And if its
// watchdog was killed before it, the next start ends what is left.
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../support/process-list.js';
import { freshPlace, type Place, serve } from '../support/serve.js';
import { fakeServer, writeBoard } from '../support/switchboard-file.js';
import { EVERYBODY, load, loaded, PROMISED_MS, SERVERS, SLACK_MS } from './killed.shared.js';
import { canListProcesses, groupNotes, killLivingAtEnd, livingProcesses } from './living-processes.js';

const allLed = (place: Place): boolean => {
  const [note] = groupNotes(place);
  return note !== undefined && JSON.parse(fs.readFileSync(note, 'utf8')).groups.length === SERVERS.length;
};

const watchdogOf = (place: Place): number => {
  const found = livingProcesses(place).find(({ command }) => command.startsWith('sh -c set -f'));
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
  const stubborn = () => livingProcesses(place).map(({ command }) => command.replace(/.*\/|'/g, '').slice(0, 30));
  await eventually('the polite ones are gone', () => stubborn().length === 3, 20_000);
  return stubborn().toSorted();
};

describe.runIf(canListProcesses)('kill -9', { timeout: 60_000 }, () => {
  test('of a process that has just begun to start its servers leaves nothing', async () => {
    const place = freshPlace();
    killLivingAtEnd(place);
    const names = Array.from({ length: 12 }, (_, n) => `s${n}`);
    writeBoard(place, Object.fromEntries(names.map((name) => [name, fakeServer('ignores-sigterm')])));
    for (const many of [1, 3, 6, 9]) {
      const peer = serve(place);
      await peer.initialize();
      await eventually('some are there', () => livingProcesses(place).length > many + 1);
      await peer.kill('SIGKILL');
      await eventually('nothing is left', () => livingProcesses(place).length === 0, PROMISED_MS + SLACK_MS);
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
    await next.until(() => next.stderr.includes('ended servers that a dead process had left'), 20_000);
    expect(livingProcesses(place).map(({ pid }) => pid)).toEqual([next.pid]);
    await eventually('the note is gone', () => groupNotes(place).length === 0);
    await next.end();
  });

  test('two starts at once do it, and start their own servers', async () => {
    const place = freshPlace();
    await orphaned(place);
    const before = livingProcesses(place).map(({ pid }) => pid);
    const peers = [serve(place), serve(place)];
    for (const peer of peers) await peer.initialize();
    for (const peer of peers)
      await peer.until(() => SERVERS.every((name) => peer.stderr.includes(`${name}: STARTING → HEALTHY`)), 30_000);
    expect(livingProcesses(place).filter(({ pid }) => before.includes(pid))).toEqual([]);
    expect(livingProcesses(place)).toHaveLength(2 * EVERYBODY);
    expect(groupNotes(place)).toHaveLength(2);
    await Promise.all(peers.map((peer) => peer.end()));
    expect([livingProcesses(place), groupNotes(place)]).toEqual([[], []]);
  });

  test('a start leaves the servers of a living process alone', async () => {
    const place = freshPlace();
    const first = await loaded(place);
    await eventually('every server is noted', () => allLed(place));
    const before = livingProcesses(place).map(({ pid }) => pid);
    // The note of a process that died without servers: when it is gone, the start has looked at all of them.
    const [file = ''] = groupNotes(place);
    const note = JSON.parse(fs.readFileSync(file, 'utf8'));
    fs.writeFileSync(`${file}.dead`, JSON.stringify({ ...note, owner: { ...note.owner, start: '1' }, groups: [] }));
    const next = serve(place, { env: { COLIBRI_SWITCHBOARD: '' } });
    await next.initialize();
    await eventually('it has looked', () => groupNotes(place).length === 1);
    await next.end();
    expect(livingProcesses(place).map(({ pid }) => pid)).toEqual(before);
    await first.end();
    expect([livingProcesses(place), groupNotes(place)]).toEqual([[], []]);
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
    await next.until(() => next.stderr.includes('ended servers that a dead process had left'), 20_000);
    await next.end();
    expect(livingProcesses(place)).toEqual([]);
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

describe.runIf(canListProcesses)('the end of a process', { timeout: 60_000 }, () => {
  test('does not wait for a server that was removed and still has calls, and leaves nothing of it', async () => {
    const place = freshPlace();
    const peer = await loaded(place);
    load(peer);
    await peer.until(() => peer.messages.some(({ id }) => String(id).startsWith('load-')));
    writeBoard(place, { 'ignores-end': fakeServer('ignores-end') });
    await peer.until(() => peer.stderr.includes('hangs: HEALTHY → removed'));
    // Its calls may end: it drains.
    expect(livingProcesses(place).some(({ command }) => command.includes('hangs.mjs'))).toBe(true);
    expect((await peer.kill('SIGTERM')).code).toBe(0);
    expect([livingProcesses(place), groupNotes(place)]).toEqual([[], []]);
  });

  test('goes well where servers cannot be noted, and the servers serve', async () => {
    const place = freshPlace();
    killLivingAtEnd(place);
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
    expect(peer.stderr.split('servers could not be noted').length).toBe(2);
    expect((await peer.end()).code).toBe(0);
    expect(livingProcesses(place)).toEqual([]);
  });
});
