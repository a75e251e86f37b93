// Routes and router tools through our door, with the clients people use and real servers behind it.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { deepTest } from '../support/by-gate.js';
import { colibri } from '../support/command-line.js';
import { canonical, Ledger, receiptOf, sha256 } from '../support/ledger-check.js';
import { CLIENT_KINDS, freshPlace, session } from '../support/serve.js';
import { fakeServer, memory, untilHealthy, writeBoard } from '../support/switchboard-file.js';
import { dataIn, errorIn, REQUEST, ROUTER, testRoute } from './routes-wire.shared.js';

testRoute(CLIENT_KINDS.slice(0, 1)); // routes-wire.deep.test.ts has the other clients

deepTest('what another server said stands behind ours, and the digest is over the whole', async () => {
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
  expect(no.result).toMatchObject({ isError: true, structuredContent: { ok: true } });
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

deepTest('progress of a provider reaches the caller of a route and of router_call', async () => {
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

deepTest('bad input is refused with what would have been right, and reaches nobody', { timeout: 60_000 }, async () => {
  const place = freshPlace();
  const log = join(place.dir, 'one.log');
  const one = { ...fakeServer('provider', { LOG: log }), tools: { deny: ['look'] } };
  writeBoard(place, { one }, { routes: { 'do:it': ['one/act'] } });
  const long = 'x'.repeat(100_000);
  const names = ['', 7, true, null, [], {}, 'half \ud800', 'nul\u0000', long];
  const each = (key: string, values: readonly unknown[], rest: object) => values.map((v) => ({ ...rest, [key]: v }));
  const call = { server: 'one', tool: 'act' };
  const noObjects = [null, 'x', 7, [], '[{"id":"x"}]'];
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
    ['router_call', { server: 'one', tool: 'look', arguments: REQUEST }, /does not offer "look"/],
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
