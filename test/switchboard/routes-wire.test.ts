// Routes and router tools through our door, with the clients people use and real servers behind it.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { colibri, json } from '../cli/commands.js';
import { canonical, Ledger, receiptOf, sha256 } from '../ledger-check.js';
import {
  type AnyClient,
  CLIENT_KINDS,
  connect,
  freshPlace,
  type Message,
  type Peer,
  type Place,
  serve,
  session,
} from '../process.js';
import { eventually, everything, fakeServer, files, isAlive, memory, serverPid, writeBoard } from './wire-place.js';

const ROUTER = ['router_score', 'router_call', 'router_fallback', 'router_stats'];

const healthy = (peer: Peer, ...servers: readonly string[]): Promise<void> =>
  peer.until(() => servers.every((server) => peer.stderr.includes(`${server}: STARTING → HEALTHY`)), 30_000);

const errorIn = (result: Message): Message =>
  result._meta?.['dev.colibri/refusal']?.error ?? result.structuredContent?.error;

const dataIn = (result: Message): Message => {
  expect(result.structuredContent).toMatchObject({ ok: true });
  expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent);
  return result.structuredContent.data;
};

/** Three losses within the window. */
const quarantine = async (client: AnyClient, script: string, server: string): Promise<void> => {
  const stateOf = async (): Promise<string> =>
    dataIn(await client.callTool('router_stats', { server })).servers[0].state;
  for (let loss = 0; loss < 3; loss++) {
    await eventually(`${server} is there`, async () => (await stateOf()) === 'HEALTHY', 30_000);
    const pid = serverPid(client.pid, script);
    process.kill(pid, 'SIGKILL');
    await eventually('it is gone', () => !isAlive(pid));
    await eventually('the loss is noticed', async () => {
      const state = await stateOf();
      return state !== 'HEALTHY' || serverPid(client.pid, script) !== pid;
    });
  }
  await eventually(`${server} is quarantined`, async () => (await stateOf()) === 'QUARANTINE');
};

const routesOf = (place: Place) => ({
  'find:thing': [
    'memory/search_nodes',
    { server: 'files', tool: 'search_files', arguments: { path: place.dir, pattern: '$query' } },
  ],
  'say:it': [{ server: 'everything', tool: 'echo', arguments: { message: { from: 'text', default: 'nothing' } } }],
});

describe.each(CLIENT_KINDS)('a %s client', (kind) => {
  test('calls a route, is served by the next provider, and reads why nobody is left', {
    timeout: 120_000,
  }, async () => {
    const place = freshPlace();
    fs.writeFileSync(join(place.dir, 'thing.txt'), 'x');
    const servers = { everything: everything(), memory: memory(place), files: files(place) };
    writeBoard(place, servers, { routes: routesOf(place) });
    const client = await connect(place, kind);
    let tools: Message[] = [];
    await eventually(
      'all servers are listed',
      async () => {
        tools = (await client.listTools()).tools;
        const names = tools.map(({ name }) => name);
        return ['everything__', 'memory__', 'files__'].every((start) => names.some((name) => name.startsWith(start)));
      },
      30_000,
    );
    const names = tools.map(({ name }) => name);
    expect(names.slice(14, 20)).toEqual([...ROUTER, 'find__thing', 'say__it']);
    expect(names[20]).toMatch(/^everything__/);
    const listed = tools.find(({ name }) => name === 'find__thing');
    expect(listed).toMatchObject({
      description: expect.stringMatching(/^Route find:thing: .*search_nodes of memory, then search_files of files\./),
      inputSchema: { properties: { query: { type: 'string' } }, required: ['query'] },
      annotations: { readOnlyHint: true },
    });
    expect(listed).not.toHaveProperty('outputSchema');
    expect(tools.find(({ name }) => name === 'say__it')?.inputSchema).toMatchObject({
      properties: { text: { type: 'string' } },
      additionalProperties: false,
    });

    const found = await client.callTool('find__thing', { query: 'nothing' });
    expect(found.structuredContent).toEqual({ entities: [], relations: [] });
    expect(receiptOf(found)).toBeDefined();
    expect((await client.callTool('say__it', {})).content[0].text).toBe('Echo: nothing');
    const wrong = await client.callTool('say__it', { txt: 'x' });
    expect(errorIn(wrong)).toMatchObject({ code: 'INVALID_PARAMS', message: expect.stringContaining('"text"?') });

    expect(dataIn(await client.callTool('router_score', { route: 'find:thing' }))).toMatchObject({
      route: 'find:thing',
      winner: { server: 'memory', tool: 'search_nodes' },
      candidates: [
        { server: 'memory', state: 'HEALTHY', eligible: true, rank: 1, reason: null },
        { server: 'files', state: 'HEALTHY', eligible: true, rank: 2, reason: null },
      ],
    });
    const called = await client.callTool('router_call', { server: 'everything', tool: 'get-tiny-image' });
    expect(dataIn(called)).toMatchObject({ server: 'everything', tool: 'get-tiny-image', is_error: false });
    expect(called.content.slice(1).map(({ type }: Message) => type)).toEqual(['text', 'image', 'text']);

    await quarantine(client, 'server-memory', 'memory');
    const fallen = await client.callTool('find__thing', { query: 'thing.txt' });
    expect(fallen.content[0].text).toContain('thing.txt');
    const refused = await client.callTool('memory__search_nodes', { query: 'x' });
    const other = { server: 'files', tool: 'search_files', name: 'files__search_files' };
    expect(errorIn(refused)).toMatchObject({
      code: 'TOOL_UNAVAILABLE',
      details: { state: 'QUARANTINE', alternatives: [other] },
    });
    expect(refused.content[0].text).toMatch(/or use files__search_files\.$/);
    const score = dataIn(await client.callTool('router_score', { route: 'find:thing' }));
    expect(score).toMatchObject({
      winner: { server: 'files' },
      candidates: [
        {
          server: 'memory',
          state: 'QUARANTINE',
          eligible: false,
          rank: null,
          reason: expect.stringMatching(/^lost: /),
        },
        { server: 'files', rank: 1 },
      ],
    });
    const second = await client.callTool('router_fallback', { route: 'find:thing', arguments: { query: 'thing.txt' } });
    expect(dataIn(second)).toMatchObject({
      server: 'files',
      tool: 'search_files',
      is_error: false,
      attempts: [{ server: 'files', how: 'result', sent: true }],
    });
    expect(second.content[1].text).toContain('thing.txt');

    await quarantine(client, 'server-filesystem', 'files');
    const nobody = await client.callTool('find__thing', { query: 'x' });
    expect(nobody).toMatchObject({ isError: true });
    expect(nobody.structuredContent).toBeUndefined();
    expect(errorIn(nobody)).toMatchObject({
      code: 'FALLBACK_CHAIN_EXHAUSTED',
      status: 503,
      details: {
        route: 'find:thing',
        attempts: [],
        candidates: [{ server: 'memory' }, { server: 'files' }],
        safe_to_retry: true,
      },
    });
    const told = await client.callTool('router_fallback', { route: 'find:thing', arguments: { query: 'x' } });
    expect(told.structuredContent).toMatchObject({ ok: false, error: { code: 'FALLBACK_CHAIN_EXHAUSTED' } });
    await client.close();

    const ledger = new Ledger(place.db);
    const exits = ledger.pairs.map(({ exit }) => exit?.body);
    expect(exits.filter((body) => body?.tool === 'find__thing').map((body) => [body?.outcome, body?.code])).toEqual([
      ['ok', undefined],
      ['ok', undefined],
      ['refused', 'FALLBACK_CHAIN_EXHAUSTED'],
    ]);
    const { exit, enter } = ledger.pairOf(receiptOf(fallen));
    expect(enter.body).toMatchObject({ tool: 'find__thing', effect: 'proxy' });
    expect(exit?.body.route).toEqual({
      name: 'find:thing',
      candidates: [
        { server: 'memory', tool: 'search_nodes', state: 'QUARANTINE', eligible: false, reason: 'lost' },
        { server: 'files', tool: 'search_files', state: 'HEALTHY', eligible: true },
      ],
      attempts: [{ server: 'files', tool: 'search_files', how: 'result', sent: true, duration_ms: expect.any(Number) }],
    });
    expect(ledger.pairOf(receiptOf(refused)).exit?.body.route).toMatchObject({
      name: null,
      candidates: [{ server: 'memory', state: 'QUARANTINE', eligible: false, reason: 'lost' }],
      attempts: [{ server: 'memory', how: 'refused', code: 'TOOL_UNAVAILABLE', sent: false }],
    });
    expect((await colibri(place, ['verify'])).code).toBe(0);
  });
});

const REQUEST = { id: 'x' };

test('what another server said stands behind ours, and the digest is over the whole', async () => {
  const place = freshPlace();
  const servers = { plain: fakeServer('plain'), one: fakeServer('provider'), memory: memory(place) };
  writeBoard(place, servers, { routes: { 'do:it': ['one/act'] } });
  const { value } = await session(place, async (peer) => {
    await healthy(peer, 'plain', 'one', 'memory');
    return {
      graph: await peer.call('router_call', { server: 'memory', tool: 'read_graph' }),
      no: await peer.call('router_fallback', { route: 'do:it', arguments: { ...REQUEST, no: true } }),
      error: await peer.call('router_call', { server: 'plain', tool: 'fail' }),
      unknown: await peer.call('router_call', { server: 'plan', tool: 'fail' }),
    };
  });
  const { graph, no, error, unknown } = value;
  expect(dataIn(graph.result)).toMatchObject({ server: 'memory', tool: 'read_graph', is_error: false });
  expect(JSON.parse(graph.result.content[1].text)).toEqual({ entities: [], relations: [] });
  expect(dataIn(no.result)).toMatchObject({ is_error: true, attempts: [{ how: 'is_error', sent: true }] });
  expect(no.result.isError).toBeUndefined();
  expect(error.result).toMatchObject({ isError: true, structuredContent: { ok: false } });
  expect(errorIn(error.result)).toMatchObject({
    code: 'HANDLER_ERROR',
    message: 'fail of plain answered with error -32603: no such luck',
    details: { server: 'plain', tool: 'fail', rpc_code: -32603 },
  });
  expect(JSON.parse(error.result.content[1].text)).toMatchObject({ code: -32603, message: 'no such luck' });
  expect(errorIn(unknown.result)).toMatchObject({ code: 'INVALID_PARAMS' });

  const ledger = new Ledger(place.db);
  for (const answer of Object.values(value)) {
    const { _meta, ...whole } = answer.result;
    const { salt } = _meta['dev.colibri/receipt'];
    const { exit, enter } = ledger.pairOf(receiptOf(answer));
    expect(enter.body.effect).toBe('proxy');
    expect(exit?.body.result_digest).toBe(sha256(Buffer.from(salt, 'hex'), canonical(whole)));
  }
  expect(ledger.calls).toEqual([
    'router_call ok',
    'router_fallback ok',
    'router_call domain_error -32603',
    'router_call rejected INVALID_PARAMS',
  ]);
});

test('a server that hangs holds up no other call of the same tool, and cancelling reaches it', async () => {
  const place = freshPlace();
  const log = join(place.dir, 'plain.log');
  writeBoard(place, { plain: fakeServer('plain', { LOG: log }), one: fakeServer('provider') });
  const written = (): string => (fs.existsSync(log) ? fs.readFileSync(log, 'utf8') : '');
  await session(place, async (peer) => {
    await healthy(peer, 'plain', 'one');
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

test('progress of a provider reaches the caller of a route and of router_call', async () => {
  const place = freshPlace();
  writeBoard(place, { progress: fakeServer('progress') }, { routes: { go: ['progress/echo'] } });
  const { peer } = await session(place, async (peer) => {
    await healthy(peer, 'progress');
    for (const [name, args] of [
      ['go', { times: 3 }],
      ['router_fallback', { route: 'go', arguments: { times: 3 } }],
      ['router_call', { server: 'progress', tool: 'echo', arguments: { times: 3 } }],
    ] as const)
      await peer.request('tools/call', { name, arguments: args, _meta: { progressToken: name } });
  });
  const heard = peer.messages.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params);
  for (const token of ['go', 'router_fallback', 'router_call']) {
    const own = heard.filter(({ progressToken }) => progressToken === token).map(({ progress }) => progress);
    expect(own, token).toEqual([1, 2, 3]);
  }
});

test('bad input is refused with what would have been right, and reaches nobody', { timeout: 60_000 }, async () => {
  const place = freshPlace();
  const log = join(place.dir, 'one.log');
  const one = { ...fakeServer('provider', { LOG: log }), tools: { deny: ['look'] } };
  writeBoard(place, { one }, { routes: { 'do:it': ['one/act'] } });
  const long = 'x'.repeat(100_000);
  const names = ['', 7, true, null, [], {}, 'half \ud800', 'nul\u0000', long];
  const each = (key: string, values: readonly unknown[], rest: object) => values.map((v) => ({ ...rest, [key]: v }));
  const call = { server: 'one', tool: 'act' };
  const noObjects = [null, 'x', 7, [], '{"id":"x"}'];
  const cases: [string, unknown, RegExp?][] = [
    ...[[], 'x', 7, null].flatMap((args): [string, unknown][] => ROUTER.map((tool) => [tool, args])),
    ...ROUTER.map((tool): [string, unknown, RegExp] => [tool, { servr: 'one', rute: 'x' }, /servr|rute/]),
    ['router_score', {}, /either route or tool/],
    ['router_score', { route: 'do:it', tool: 'one__act' }, /either route or tool/],
    ...each('route', names, {}).map((args): [string, unknown] => ['router_score', args]),
    ...each('tool', names, {}).map((args): [string, unknown] => ['router_score', args]),
    ...each('arguments', noObjects, { route: 'do:it' }).map((args): [string, unknown] => ['router_score', args]),
    ['router_score', { route: 'do:ti' }, /"do:it"/],
    ['router_score', { tool: 'one__atc' }, /"one__act"/],
    ['router_score', { tool: 'task_create' }, /of another server/],
    ['router_score', { tool: 'one__look' }, /no tool "one__look"/],
    ...each('server', names, { tool: 'act' }).map((args): [string, unknown] => ['router_call', args]),
    ...each('tool', names, { server: 'one' }).map((args): [string, unknown] => ['router_call', args]),
    ...each('arguments', noObjects, call).map((args): [string, unknown] => ['router_call', args]),
    ['router_call', { server: 'on', tool: 'act' }, /"one"/],
    ['router_call', { server: 'one', tool: 'atc' }, /"act"/],
    ['router_call', { server: 'one', tool: 'look', arguments: REQUEST }, /does not let "look"/],
    ['router_call', call, /id/],
    ['router_call', { ...call, arguments: { id: 7 } }, /string/],
    ['router_call', { ...call, arguments: { id: 'x', n: 2 ** 53 } }, /2\^53/],
    ...each('route', names, {}).map((args): [string, unknown] => ['router_fallback', args]),
    ['router_fallback', { route: 'do:ti', arguments: REQUEST }, /"do:it"/],
    ['router_fallback', { route: 'do:it' }, /id/],
    ...each('arguments', noObjects, { route: 'do:it' }).map((args): [string, unknown] => ['router_fallback', args]),
    ...each('server', names, {}).map((args): [string, unknown] => ['router_stats', args]),
    ['router_stats', { server: 'on' }, /"one"/],
    ['do__it', {}, /id/],
    ['do__it', { id: 7 }, /string/],
    ['do__it', [], /object/],
    ['do__it', null, /object/],
    ['do__it', { id: 'x', n: 2 ** 60 }, /2\^53/],
  ];
  await session(place, async (peer) => {
    await healthy(peer, 'one');
    for (const [tool, args, words] of cases) {
      const shown = `${tool} ${JSON.stringify(args)?.slice(0, 100)}`;
      const { result } = await peer.call(tool, args);
      const error = errorIn(result) ?? {};
      expect(result.isError, shown).toBe(true);
      expect(error.code, shown).toBe('INVALID_PARAMS');
      expect(error.message.length, shown).toBeGreaterThan(15);
      expect(error.message.length, shown).toBeLessThanOrEqual(300);
      if (words !== undefined) expect(error.message, shown).toMatch(words);
      expect(Buffer.byteLength(JSON.stringify(result)), shown).toBeLessThan(24 * 1024);
    }
    expect(fs.existsSync(log)).toBe(false);
    // One that is right, to see that it was not the server.
    expect((await peer.call('do__it', REQUEST)).result.content[0].text).toBe('provider x');
  });
  const ledger = new Ledger(place.db);
  expect(ledger.calls.filter((line) => line.endsWith(' rejected INVALID_PARAMS'))).toHaveLength(cases.length);
  expect((await colibri(place, ['verify'])).code).toBe(0);
});

test('a saved file changes routes; one that contradicts its servers is off and says why', {
  timeout: 60_000,
}, async () => {
  const place = freshPlace();
  const one = fakeServer('provider');
  const write = (routes: object) => writeBoard(place, { one }, { routes });
  const file = write({ 'do:it': ['one/act'] });
  await session(place, async (peer) => {
    await healthy(peer, 'one');
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
  expect(json(asked).routes).toEqual([{ route: 'do:it', verdict: 'on', detail: 'tools not looked at: one' }]);
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
  await healthy(peer, 'one');
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
    await healthy(peer, 'one');
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
