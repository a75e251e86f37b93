// Routes and router tools through our door, with the clients people use and real servers behind it.
import '../support/deep-part.js';
import './routes-wire.test.js';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { colibri, json } from '../support/command-line.js';
import { Ledger } from '../support/ledger-check.js';
import { eventually } from '../support/process-list.js';
import { CLIENT_KINDS, freshPlace, type Message, serve, session } from '../support/serve.js';
import { fakeServer, untilHealthy, writeBoard } from '../support/switchboard-file.js';
import { dataIn, errorIn, REQUEST, ROUTER, testRoute } from './routes-wire.shared.js';

testRoute(CLIENT_KINDS.slice(1));

test('a server that hangs holds up no other call of the same tool, and cancelling reaches it', async () => {
  const place = freshPlace();
  const log = join(place.dir, 'plain.log');
  writeBoard(place, { plain: fakeServer('plain', { LOG: log }), one: fakeServer('provider') });
  const written = (): string => (fs.existsSync(log) ? fs.readFileSync(log, 'utf8') : '');
  await session(place, async (peer) => {
    await untilHealthy(peer, 'plain', 'one');
    await peer.call('server_ping');
    const hang = { name: 'router_call', arguments: { server: 'plain', tool: 'hang' } };
    peer.send({ jsonrpc: '2.0', id: 'h', method: 'tools/call', params: hang });
    await eventually('it hangs', () => written().includes('hanging'));
    const other = await peer.call('router_call', { server: 'one', tool: 'act', arguments: REQUEST });
    expect(other.result.content[1].text).toBe('provider x');
    peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'h' } });
    await eventually('it is told', () => written().includes('cancelled'));
  });
  const ledger = new Ledger(place.db);
  const hung = ledger.pairs.find(({ exit }) => exit?.body.outcome === 'cancelled');
  expect(hung?.exit?.body.route).toMatchObject({ attempts: [{ server: 'plain', how: 'cancelled', sent: true }] });
});

test('a saved file changes routes; one that contradicts its servers is off and says why', {
  timeout: 60_000,
}, async () => {
  const place = freshPlace();
  const one = fakeServer('provider');
  const write = (routes: object) => writeBoard(place, { one }, { routes });
  const file = write({ 'do:it': ['one/act'] });
  await session(place, async (peer) => {
    await untilHealthy(peer, 'one');
    const names = async (): Promise<string[]> =>
      (await peer.request('tools/list')).result.tools.map(({ name }: Message) => name);
    expect(await names()).toContain('do__it');
    const changes = (): number => peer.lines.filter((line) => line.includes('tools/list_changed')).length;
    const before = changes();
    write({ 'do:it': ['one/act'], 'see:it': ['one/look'] });
    await peer.until(() => changes() > before);
    expect(await names()).toEqual(expect.arrayContaining(['do__it', 'see__it']));

    write({ 'do:it': ['one/atc'] });
    await peer.until(() => peer.stderr.includes('route do:it is off: "one" has no tool "atc" (did you mean "act"?)'));
    expect((await names()).filter((name) => name.endsWith('__it'))).toEqual([]);
    const off = await peer.call('do__it', REQUEST);
    expect(errorIn(off.result)).toMatchObject({ code: 'TOOL_UNAVAILABLE', details: { reason: 'route_off' } });
    expect(off.result.content[0].text).toContain('has no tool "atc"');
    const { result } = await peer.call('router_fallback', { route: 'do:it', arguments: REQUEST });
    expect(result.structuredContent.error).toMatchObject({ code: 'TOOL_UNAVAILABLE' });
    expect(dataIn((await peer.call('router_score', { route: 'do:it' })).result)).toMatchObject({
      winner: null,
      off: expect.stringContaining('"atc"'),
    });
    expect(dataIn((await peer.call('router_stats')).result).routes).toMatchObject([
      { route: 'do:it', tool: 'do__it', off: expect.stringContaining('"atc"'), calls: 0 },
    ]);
    await eventually('the board tells', async () => {
      const { processes } = json(await colibri(place, ['switchboard', '--json']));
      return processes[0]?.routes?.[0]?.startsWith('route do:it is off: ') === true;
    });
    expect((await colibri(place, ['switchboard'])).stdout).toContain('route do:it is off');

    write({ 'do:it': ['one/act'] });
    await eventually('it is on again', async () => (await names()).includes('do__it'));
    write({});
    await eventually('it is gone', async () => !(await names()).includes('do__it'));
    const removed = await peer.call('do__it', REQUEST);
    expect(removed.error).toMatchObject({ code: -32602, data: { code: 'TOOL_NOT_FOUND' } });
  });
  const configs = new Ledger(place.db).ofKind('config');
  expect(configs).toHaveLength(5);
  expect(new Set(configs.map(({ digest }) => digest)).size).toBe(4);
  expect(configs[1]).toMatchObject({ added: [], removed: [], changed: [] });

  write({ 'do:it': ['one/atc'] });
  const asked = await colibri(place, ['switchboard', 'check', '--json', file]);
  expect(json(asked).routes).toEqual([{ route: 'do:it', verdict: 'on', detail: 'tools not checked: one' }]);
  const started = await colibri(place, ['switchboard', 'check', '--start', file]);
  expect(started).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/route do:it: off, "one" has no tool "atc"/),
  });
  write({ 'do:it': ['one/act'], 'no:one': ['two/act'] });
  const unknown = await colibri(place, ['switchboard', 'check', file]);
  expect(unknown).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/route no:one: off, there is no server "two"/),
  });
});

test('router tools are listed while there is a switchboard, and say so while there is none', {
  timeout: 60_000,
}, async () => {
  const place = freshPlace();
  const file = join(place.dir, 'late.json');
  place.env.COLIBRI_PROJECT_DIR = place.dir;
  const own = join(place.home, 'config', 'colibri', 'switchboard.json');
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  const listed = async (): Promise<string[]> =>
    (await peer.request('tools/list')).result.tools
      .map(({ name }: Message) => name)
      .filter((name: string) => name.startsWith('router_'));
  const changes = (): number => peer.lines.filter((line) => line.includes('tools/list_changed')).length;
  expect(await listed()).toEqual([]);
  for (const [tool, args] of [
    ['router_score', { route: 'r' }],
    ['router_call', { server: 's', tool: 't' }],
    ['router_fallback', { route: 'r' }],
    ['router_stats', {}],
  ] as const) {
    const { error } = (await peer.call(tool, args)).result.structuredContent;
    expect(error, tool).toMatchObject({ code: 'TOOL_UNAVAILABLE', details: { remedy: expect.any(String) } });
  }
  // A file with nothing in it is a switchboard too.
  fs.mkdirSync(join(own, '..'), { recursive: true });
  fs.writeFileSync(file, JSON.stringify({ mcpServers: {} }));
  fs.renameSync(file, own);
  await peer.until(() => changes() > 0, 20_000);
  expect(await listed()).toEqual(ROUTER);
  expect(dataIn((await peer.call('router_stats')).result)).toEqual({ servers: [], routes: [], left_out: 0 });
  fs.writeFileSync(own, JSON.stringify({ mcpServers: { one: fakeServer('provider') } }));
  await untilHealthy(peer, 'one');
  expect((await peer.call('router_call', { server: 'one', tool: 'act', arguments: REQUEST })).result.isError).not.toBe(
    true,
  );
  fs.rmSync(own);
  await eventually('they are gone', async () => (await listed()).length === 0, 20_000);
  await peer.end();
});

test('figures of 256 servers fit into an answer', { timeout: 60_000 }, async () => {
  const place = freshPlace();
  const name = (at: number): string => `server-${String(at).padStart(3, '0')}-${'y'.repeat(100)}`;
  const servers = Object.fromEntries(Array.from({ length: 255 }, (_, at) => [name(at), { command: '/nowhere' }]));
  const routes = Object.fromEntries(
    Array.from({ length: 256 }, (_, at) => [`r${at}`, Array.from({ length: 16 }, (_, p) => `${name(p)}/tool`)]),
  );
  writeBoard(place, { ...servers, one: fakeServer('provider') }, { routes });
  await session(place, async (peer) => {
    await untilHealthy(peer, 'one');
    const all = (await peer.call('router_stats')).result;
    expect(Buffer.byteLength(JSON.stringify(all.structuredContent))).toBeLessThanOrEqual(24 * 1024);
    expect(dataIn(all)).toMatchObject({ left_out: expect.any(Number) });
    expect(dataIn(all).left_out).toBeGreaterThan(100);
    const mine = dataIn((await peer.call('router_stats', { server: 'one' })).result);
    expect(mine).toMatchObject({ servers: [{ server: 'one', state: 'HEALTHY' }], routes: [], left_out: 0 });
    const nobody = await peer.call('r0', {});
    expect(errorIn(nobody.result)).toMatchObject({ code: 'FALLBACK_CHAIN_EXHAUSTED' });
    expect(Buffer.byteLength(JSON.stringify(errorIn(nobody.result)))).toBeLessThanOrEqual(24 * 1024);
    const score = (await peer.call('router_score', { route: 'r0' })).result;
    expect(Buffer.byteLength(JSON.stringify(score.structuredContent))).toBeLessThanOrEqual(24 * 1024);
  });
});
