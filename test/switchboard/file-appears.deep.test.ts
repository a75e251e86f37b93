// A switchboard file that comes, goes or is outranked while the process runs: what counts is what the next start would find.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { colibri } from '../support/command-line.js';
import { loadedSources } from '../support/loaded-sources.js';
import { descendants, eventually, serverPid } from '../support/process-list.js';
import { freshPlace, MAIN, MODERN, modernMeta, serve } from '../support/serve.js';
import { fakeServer } from '../support/switchboard-file.js';
import { hasNone, names, project, script, start, toldOfChange, write } from './file-appears.shared.js';

describe('`colibri switchboard add` beside a running process without a file', { timeout: 40_000 }, () => {
  test('a client of the new era is told too', async () => {
    const place = freshPlace();
    const { env } = project(place);
    const peer = serve(place, { env });
    const meta = { _meta: modernMeta('raw', '1.0', MODERN) };
    const { result } = await peer.request('server/discover', meta);
    expect(result.capabilities.tools).toEqual({ listChanged: true });
    await peer.phase2();
    const listen = { notifications: { toolsListChanged: true }, ...meta };
    peer.send({ jsonrpc: '2.0', id: 'listen', method: 'subscriptions/listen', params: listen });
    await peer.request('tools/list', meta);
    await colibri(place, ['switchboard', 'add', 'plain', '--', 'node', script], { env });
    await peer.until(() => toldOfChange(peer) > 0, 20_000);
    const params = { name: 'plain__echo', arguments: { n: 2 }, ...meta };
    expect((await peer.request('tools/call', params)).result.content[0].text).toBe('{"n":2}');
    await peer.end();
  });

  test("a project's file that somebody else wrote starts nothing before it is approved", async () => {
    const place = freshPlace();
    const { env, file } = project(place);
    const { peer } = await start(place, env);
    await names(peer);
    const marker = join(place.dir, 'marker');
    write(file, {
      evil: { command: 'sh', args: ['-c', `touch ${marker}; exec node ${script}`] },
    });
    await peer.until(() => peer.stderr.includes('evil comes with this project'));
    expect(await names(peer)).not.toContain('evil__echo');
    expect([fs.existsSync(marker), hasNone(peer)]).toEqual([false, true]);
    // Of the router tools, which are there with the file.
    await peer.until(() => toldOfChange(peer) > 0);
    const told = toldOfChange(peer);
    await colibri(place, ['switchboard', 'approve', '--yes'], { env });
    await peer.until(() => toldOfChange(peer) > told, 20_000);
    expect(fs.existsSync(marker)).toBe(true);
    expect((await peer.call('evil__echo', {})).result.isError).toBeUndefined();
    await peer.end();
  });
});

describe('a file that goes', { timeout: 40_000 }, () => {
  test('takes its servers along, and brings them back', async () => {
    const place = freshPlace();
    const { env, own } = project(place);
    write(own, { plain: fakeServer('plain') });
    const { peer } = await start(place, env);
    await eventually('it is listed', async () => (await names(peer)).includes('plain__echo'));
    fs.rmSync(own);
    await peer.until(() => peer.stderr.includes('plain: HEALTHY → removed'), 20_000);
    await peer.until(() => toldOfChange(peer) > 0);
    expect(await names(peer)).not.toContain('plain__echo');
    const refused = await peer.call('plain__echo', {});
    expect(refused.result._meta['dev.colibri/refusal'].error.details).toMatchObject({ reason: 'removed' });
    await eventually('its process is gone', () => descendants(peer.pid).length === 1); // the watchdog
    const board = await colibri(place, ['switchboard', '--json'], { env });
    expect(JSON.parse(board.stdout).processes).toMatchObject([{ file: { path: '', state: 'ABSENT' }, servers: [] }]);
    write(own, { plain: fakeServer('plain') });
    await eventually('it is back', async () => (await names(peer)).includes('plain__echo'), 20_000);
    await peer.end();
  });

  test('and comes back in a moment changes nothing: editors replace files so', async () => {
    const place = freshPlace();
    const { env, own } = project(place);
    write(own, { plain: fakeServer('plain') });
    const { peer } = await start(place, env);
    await peer.until(() => peer.stderr.includes('plain: STARTING → HEALTHY'), 20_000);
    const pid = serverPid(peer.pid, 'plain.mjs');
    for (let n = 0; n < 2; n++) {
      fs.renameSync(own, `${own}.old`);
      // Long enough to be missed, which is looked for once a second.
      await new Promise((resolve) => setTimeout(resolve, 1_200));
      fs.renameSync(`${own}.old`, own);
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    write(own, { plain: fakeServer('plain'), counts: fakeServer('counts') });
    await peer.until(() => peer.stderr.includes('counts: STARTING → HEALTHY'), 20_000);
    expect(serverPid(peer.pid, 'plain.mjs')).toBe(pid);
    expect(peer.stderr).not.toContain('removed');
    await peer.end();
  });
});

test("a project's file that appears counts beside the user's own, and goes again alone", {
  timeout: 60_000,
}, async () => {
  const place = freshPlace();
  const { env, file, own } = project(place);
  write(own, { mine: fakeServer('plain') });
  const { peer } = await start(place, env);
  await eventually('it is listed', async () => (await names(peer)).includes('mine__echo'));
  const added = await colibri(place, ['switchboard', 'add', 'ours', '--file', file, '--', 'node', script], { env });
  expect(added.code).toBe(0);
  const listed = async (...wanted: string[]) => {
    const proxied = (await names(peer)).filter((name) => name.endsWith('__echo'));
    return JSON.stringify(proxied) === JSON.stringify(wanted);
  };
  await eventually('the project counts too', () => listed('mine__echo', 'ours__echo'), 20_000);
  expect((await peer.call('ours__echo', {})).result.isError).toBeUndefined();
  fs.rmSync(file);
  await eventually("the user's own is left", () => listed('mine__echo'), 20_000);
  expect(peer.stderr).toMatch(/switchboard: \S+ \(user\)\n.*\(project\), \S+ \(user\)\n.*switchboard: \S+ \(user\)\n/s);
  await peer.end();
});

test.each(['READONLY', 'MINIMAL'])('mode %s watches for none and says so', async (mode) => {
  const place = freshPlace();
  const { env, own } = project(place);
  await (await start(place, env)).peer.end();
  const peer = serve(place, { env: { ...env, COLIBRI_MODE: mode } });
  const { result } = await peer.initialize();
  expect(result.capabilities.tools).toEqual({});
  write(own, { plain: fakeServer('plain') });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(hasNone(peer)).toBe(true);
  await peer.end();
});

test('nothing of the switchboard is loaded before there is a file', { timeout: 30_000 }, async () => {
  const place = freshPlace();
  const { env, own } = project(place);
  const list = join(place.dir, 'loaded');
  const preload = new URL('../children/list-modules.mjs', import.meta.url).pathname;
  const peer = serve(place, { env: { ...env, LOADED: list }, args: ['--import', preload, MAIN, 'serve'] });
  await peer.initialize();
  await peer.phase2();
  await names(peer);
  const loaded = () => [...new Set(loadedSources(list))].filter((path) => path.includes('/src/switchboard/'));
  // Longer than a file is waited for, and twice as long as it is looked for.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(
    loaded()
      .map((path) => path.replace(/.*\//, ''))
      .sort(),
  ).toEqual(['handle.ts', 'limits.ts', 'place.ts', 'switchboard-for.ts', 'watch-files.ts']);
  write(own, { plain: fakeServer('plain') });
  await peer.until(() => peer.stderr.includes('plain: STARTING → HEALTHY'), 20_000);
  expect(loaded().length).toBeGreaterThan(30);
  await peer.end();
});
