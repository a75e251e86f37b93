// Routes and router tools through our door, with the clients people use and real servers behind it.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { colibri } from '../support/command-line.js';
import { canonical, Ledger, receiptOf, sha256 } from '../support/ledger-check.js';
import { eventually, isThere, serverPid } from '../support/process-list.js';
import {
  type AnyClient,
  CLIENT_KINDS,
  connect,
  freshPlace,
  type Message,
  type Place,
  session,
} from '../support/serve.js';
import { everything, fakeServer, files, memory, untilHealthy, writeBoard } from '../support/switchboard-file.js';
import { dataIn, errorIn, REQUEST, ROUTER } from './routes-wire.shared.js';

/** Three losses within the window. */
const quarantine = async (client: AnyClient, script: string, server: string): Promise<void> => {
  const stateOf = async (): Promise<string> =>
    dataIn(await client.callTool('router_stats', { server })).servers[0].state;
  for (let loss = 0; loss < 3; loss++) {
    await eventually(`${server} is there`, async () => (await stateOf()) === 'HEALTHY', 30_000);
    const pid = serverPid(client.pid, script);
    process.kill(pid, 'SIGKILL');
    await eventually('it is gone', () => !isThere(pid));
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

test('what another server said stands behind ours, and the digest is over the whole', async () => {
  const place = freshPlace();
  const servers = { plain: fakeServer('plain'), one: fakeServer('provider'), memory: memory(place) };
  writeBoard(place, servers, { routes: { 'do:it': ['one/act'] } });
  const { value } = await session(place, async (peer) => {
    await untilHealthy(peer, 'plain', 'one', 'memory');
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

test('progress of a provider reaches the caller of a route and of router_call', async () => {
  const place = freshPlace();
  writeBoard(place, { progress: fakeServer('progress') }, { routes: { go: ['progress/echo'] } });
  const { peer } = await session(place, async (peer) => {
    await untilHealthy(peer, 'progress');
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
    await untilHealthy(peer, 'one');
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
