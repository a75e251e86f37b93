// Other servers through our door, with the clients people use: list, call, refusal, recovery, records.
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { deepTest, test } from '../support/by-gate.js';
import { Ledger, receiptOf } from '../support/ledger-check.js';
import { descendants, eventually, isThere } from '../support/process-list.js';
import { CLIENT_KINDS, freshPlace, type Message, modernMeta, serve, session } from '../support/serve.js';
import { fakeServer, memory, untilHealthy, writeBoard } from '../support/switchboard-file.js';
import { namesOf, outcomesOf, testThreeServers, verify } from './wire.shared.js';

testThreeServers(CLIENT_KINDS.slice(0, 1)); // wire.deep.test.ts has the other clients

deepTest('a server that hangs slows nobody, and shutdown leaves nobody behind', { timeout: 30_000 }, async () => {
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
