// Other servers through our door, with the clients people use: list, call, refusal, recovery, records.
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { colibri } from '../support/command-line.js';
import { Ledger, receiptOf } from '../support/ledger-check.js';
import { descendants, eventually, isThere, serverPid } from '../support/process-list.js';
import {
  CLIENT_KINDS,
  connect,
  freshPlace,
  type Message,
  modernMeta,
  type Place,
  serve,
  session,
} from '../support/serve.js';
import { everything, fakeServer, files, memory, untilHealthy, writeBoard } from '../support/switchboard-file.js';
import { hasServer, namesOf, verify } from './wire.shared.js';

/** The outcome records of a tool. */
const outcomesOf = (place: Place, tool: string): string[] =>
  new Ledger(place.db).records
    .filter(({ kind, body }) => kind === 'call.exit' && body.tool === tool)
    .map(({ body }) => [body.outcome, body.code].filter(Boolean).join(' '));

describe.each(CLIENT_KINDS)('a %s client', (kind) => {
  test('lists and calls three real servers, and reads why one is gone', { timeout: 60_000 }, async () => {
    const place = freshPlace();
    writeBoard(place, { everything: everything(), memory: memory(place), files: files(place) });
    const client = await connect(place, kind);
    let names: string[] = [];
    await eventually('all servers are listed', async () => {
      names = (await client.listTools()).tools.map(({ name }) => name);
      return ['everything__', 'memory__', 'files__'].every((start) => names.some((name) => name.startsWith(start)));
    });
    expect(names.slice(0, 2)).toEqual(['server_ping', 'server_health']);
    expect(names.filter((name) => name.includes('__'))).toEqual(
      expect.arrayContaining(['everything__echo', 'memory__read_graph', 'files__list_directory']),
    );
    expect(names.indexOf('everything__echo')).toBeLessThan(names.indexOf('memory__read_graph'));
    expect(names.indexOf('memory__read_graph')).toBeLessThan(names.indexOf('files__list_directory'));

    const echo = await client.callTool('everything__echo', { message: 'hi' });
    expect(echo.content).toEqual([{ type: 'text', text: 'Echo: hi' }]);
    expect(receiptOf(echo)).toMatchObject({ seq: expect.any(Number) });
    const graph = await client.callTool('memory__read_graph', {});
    expect(graph.structuredContent).toEqual({ entities: [], relations: [] });

    const wrong = await client.callTool('everything__echo', { mesage: 'hi' });
    expect(wrong).toMatchObject({ isError: true });
    expect(wrong.structuredContent).toBeUndefined();
    expect(wrong.content[0].text).toMatch(/message/);

    // Both with and without an output schema: a client holds structured content against the server's own.
    for (const [server, tool, args] of [
      ['server-memory', 'memory__read_graph', {}],
      ['server-everything', 'everything__echo', { message: 'x' }],
    ] as const) {
      // Three losses within the window: it is quarantined.
      for (let loss = 0; loss < 3; loss++) {
        const pid = serverPid(client.pid, server);
        process.kill(pid, 'SIGKILL');
        await eventually('the loss is noticed', () => !isThere(pid));
        if (loss < 2) await eventually('it is back', () => hasServer(client.pid, server));
        if (loss < 2) await eventually('it answers', async () => (await client.callTool(tool, args)).isError !== true);
      }
      let refused: Message = {};
      await eventually('it is refused', async () => {
        refused = await client.callTool(tool, args);
        return refused.isError === true;
      });
      const { error } = refused._meta['dev.colibri/refusal'];
      expect(error).toMatchObject({ code: 'TOOL_UNAVAILABLE', status: 503, details: { state: 'QUARANTINE' } });
      expect(refused.content[0].text).toMatch(/Try again in \d+ s/);
      expect(JSON.parse(refused.content[1].text)).toEqual({ ok: false, error });
      expect(refused.structuredContent).toBeUndefined();
      expect(receiptOf(refused)).toBeDefined();
    }
    // The third one never noticed.
    expect((await client.callTool('files__list_allowed_directories', {})).isError).not.toBe(true);

    const children = descendants(client.pid);
    await client.close();
    expect(children.filter(isThere)).toEqual([]);
    expect(outcomesOf(place, 'everything__echo').slice(0, 2)).toEqual(['ok', 'rejected INVALID_PARAMS']);
    expect(outcomesOf(place, 'memory__read_graph')).toContain('refused TOOL_UNAVAILABLE');
    expect(await verify(place)).toBe(0);
    const replayed = await colibri(place, ['switchboard', 'replay']);
    expect(replayed).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+ transitions replayed, 0 differences/),
    });
  });
});

test('a server that hangs slows nobody, and shutdown leaves nobody behind', { timeout: 30_000 }, async () => {
  const place = freshPlace();
  writeBoard(place, { slow: fakeServer('hangs'), plain: fakeServer('plain'), never: fakeServer('mute') });
  const { peer, ended } = await session(
    place,
    async (peer) => {
      const list = await peer.request('tools/list');
      expect(list.result.tools.length).toBeGreaterThanOrEqual(14);
      await untilHealthy(peer, 'slow', 'plain');
      const hanging = peer.call('slow__echo', {}, 20_000).catch(() => undefined);
      const before = performance.now();
      for (let i = 0; i < 20; i++) {
        const answer = await peer.call('plain__echo', { i });
        expect(answer.result.content[0].text).toBe(JSON.stringify({ i }));
      }
      expect(performance.now() - before).toBeLessThan(2_000);
      const children = descendants(peer.pid);
      expect(children.length).toBeGreaterThanOrEqual(3);
      place.onEnd(() => expect(children.filter(isThere)).toEqual([]));
      void hanging;
    },
    { env: { COLIBRI_SHUTDOWN_TIMEOUT_MS: '300' } },
  );
  expect(ended.code).toBe(0);
  for (const line of peer.lines) expect(() => JSON.parse(line)).not.toThrow();
  expect(outcomesOf(place, 'slow__echo')).toEqual(['cancelled']);
  expect(await verify(place)).toBe(0);
});

test('what the server said is handed on untouched and digested as it came', async () => {
  const place = freshPlace();
  writeBoard(place, { plain: fakeServer('plain'), memory: memory(place) });
  const { value } = await session(place, async (peer) => {
    await untilHealthy(peer, 'plain', 'memory');
    const error = await peer.call('plain__fail', {});
    const meta = await peer.request('tools/call', {
      name: 'plain__echo',
      arguments: { meta: true },
      _meta: { traceparent: '00-1-2-03', progressToken: 'mine' },
    });
    return { error, meta, graph: await peer.call('memory__read_graph', {}) };
  });
  expect(value.error.error).toMatchObject({ code: -32603, message: 'no such luck' });
  expect(receiptOf(value.error)).toBeDefined();
  expect(value.meta.result.content[0].text).toContain('"traceparent":"00-1-2-03"');
  expect(value.meta.result.content[0].text).not.toContain('"mine"');

  const { _meta, ...result } = value.graph.result;
  const { salt, seq } = _meta['dev.colibri/receipt'];
  const { records } = new Ledger(place.db);
  const exit = records.find((record) => record.seq === seq)?.body;
  const jcs = JSON.stringify({
    content: result.content.map(({ text, type }: Message) => ({ text, type })),
    structuredContent: result.structuredContent,
  });
  const digest = createHash('sha256').update(Buffer.from(salt, 'hex')).update(jcs).digest('hex');
  expect(exit?.result_digest).toBe(digest);
  const enter = records.find(({ kind, body }) => kind === 'call.enter' && body.call === exit?.call)?.body;
  expect(enter).toMatchObject({ effect: 'proxy', tool: 'memory__read_graph', args: 'empty' });
  expect(outcomesOf(place, 'plain__fail')).toEqual(['domain_error -32603']);
});

test.each(['legacy', 'modern'])('progress reaches the client that asked for it: %s', async (era) => {
  const place = freshPlace();
  writeBoard(place, { progress: fakeServer('progress') });
  const peer = serve(place);
  const meta = era === 'modern' ? modernMeta('raw') : {};
  if (era === 'legacy') await peer.initialize();
  else await peer.request('server/discover', { _meta: meta });
  await peer.phase2();
  await untilHealthy(peer, 'progress');
  // The first call takes the SDK's way, the second the fast lane.
  for (const progressToken of ['one', 'two']) {
    const params = { name: 'progress__echo', arguments: { times: 3 }, _meta: { ...meta, progressToken } };
    expect((await peer.request('tools/call', params)).result.content[0].text).toBe('done');
  }
  await peer.end();
  const heard = peer.messages.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params);
  for (const token of ['one', 'two']) {
    const own = heard.filter(({ progressToken }) => progressToken === token);
    expect(own.map(({ progress }) => progress)).toEqual([1, 2, 3]);
  }
});

test('cancellation reaches the server and is recorded', async () => {
  const place = freshPlace();
  const log = join(place.dir, 'hang.log');
  writeBoard(place, { plain: fakeServer('plain', { LOG: log }) });
  await session(place, async (peer) => {
    await untilHealthy(peer, 'plain');
    await peer.call('plain__echo', {});
    peer.send({ jsonrpc: '2.0', id: 'h', method: 'tools/call', params: { name: 'plain__hang', arguments: {} } });
    await eventually('it hangs', () => fs.existsSync(log) && fs.readFileSync(log, 'utf8').includes('hanging'));
    peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'h' } });
    await eventually('it is told', () => fs.readFileSync(log, 'utf8').includes('cancelled'));
  });
  expect(outcomesOf(place, 'plain__hang')).toEqual(['cancelled']);
});

test('the list comes from memory at once, even when the server is dead', { timeout: 30_000 }, async () => {
  const place = freshPlace();
  writeBoard(place, { plain: fakeServer('plain') });
  await session(place, (peer) => untilHealthy(peer, 'plain'));
  const gone = { ...fakeServer('plain'), health: { startTimeoutMs: 1_000 } };
  fs.mkdirSync(join(place.dir, 'elsewhere'));
  writeBoard(place, { plain: gone });
  // The command is found no more; the connection, as it is written, is the same.
  const env = { PATH: join(place.dir, 'elsewhere') };
  await session(
    place,
    async (peer) => {
      expect(namesOf(await peer.request('tools/list'))).toContain('plain__echo');
      await peer.until(() => peer.stderr.includes('UNHEALTHY'));
      const refused = await peer.call('plain__echo', {});
      expect(refused.result.content[0].text).toMatch(/plain/);
      expect(refused.result._meta['dev.colibri/refusal'].error).toMatchObject({
        code: 'TOOL_UNAVAILABLE',
        details: { reason: 'spawn_error', state: 'UNHEALTHY' },
      });
    },
    { env },
  );
  expect(outcomesOf(place, 'plain__echo')).toEqual(['refused TOOL_UNAVAILABLE']);
});
