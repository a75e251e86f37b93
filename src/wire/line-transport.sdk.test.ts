// Tests the transport with the real SDK: both eras are served, and every accepted request is answered.

import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { expect, it, vi } from 'vitest';
import * as z from 'zod';
import { LineTransport } from './line-transport.js';

const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 'init',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' };
const DISCOVER = { jsonrpc: '2.0', id: 'd', method: 'server/discover', params: { _meta: MODERN } };
const call = (id: number, ms: number, meta?: object) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'wait', arguments: { ms }, ...(meta && { _meta: meta }) },
});

const serve = (drainMs = 5_000) => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const transport = new LineTransport(input, output, { drainMs });
  const aborted = vi.fn();
  const factory = () => {
    const server = new McpServer({ name: 'door', version: '1' });
    server.registerTool('wait', { inputSchema: z.object({ ms: z.number() }) }, async ({ ms }, ctx) => {
      ctx.mcpReq.signal.addEventListener('abort', aborted);
      await sleep(ms);
      return { content: [{ type: 'text' as const, text: `waited ${ms}` }] };
    });
    return server;
  };
  const handle = serveStdio(factory, { transport });
  const closed = vi.fn();
  const onclose = transport.onclose;
  transport.onclose = () => {
    closed();
    onclose?.();
  };
  const say = (...messages: unknown[]) =>
    input.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
  let heard = '';
  output.on('data', (chunk) => {
    heard += chunk;
  });
  const answers = () =>
    heard
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  const answerTo = (id: unknown) => vi.waitUntil(() => answers().find((message) => message.id === id), { interval: 5 });
  return { input, transport, handle, closed, aborted, say, answers, answerTo };
};

it('serves a legacy client', async () => {
  const { say, answerTo, handle, closed } = serve();
  say(INITIALIZE, INITIALIZED, call(1, 0));
  expect(await answerTo('init')).toMatchObject({
    result: { protocolVersion: '2025-11-25', serverInfo: { name: 'door' } },
  });
  expect(await answerTo(1)).toMatchObject({ result: { content: [{ text: 'waited 0' }] } });
  await handle.close();
  expect(closed).toHaveBeenCalledTimes(1);
});

it('serves a modern client', async () => {
  const { say, answerTo } = serve();
  say(DISCOVER);
  expect(await answerTo('d')).toMatchObject({ result: { supportedVersions: ['2026-07-28'] } });
  say(call(1, 0, MODERN));
  expect(await answerTo(1)).toMatchObject({ result: { content: [{ text: 'waited 0' }] } });
});

it.each([
  ['legacy', [INITIALIZE, INITIALIZED, call(1, 100), call(2, 20)]],
  ['modern', [DISCOVER, call(1, 100, MODERN), call(2, 20, MODERN)]],
])('answers what is in flight at the end of input, then closes: %s', async (_era, messages) => {
  const { say, input, answers, closed, aborted, transport } = serve();
  say(...messages);
  input.end();
  await vi.waitUntil(() => closed.mock.calls.length > 0, { timeout: 3_000 });
  expect(
    answers()
      .map((message) => message.id)
      .slice(-2),
  ).toEqual([2, 1]);
  expect(aborted).not.toHaveBeenCalled();
  expect(await transport.drain()).toMatchObject({ abandoned: 0 });
});

it('does not wait for an open subscription at the end of input', async () => {
  const { say, input, closed, answers } = serve();
  const params = { notifications: { toolsListChanged: true }, _meta: MODERN };
  say(DISCOVER, { jsonrpc: '2.0', id: 's', method: 'subscriptions/listen', params });
  await vi.waitUntil(() => answers().some((message) => message.method === 'notifications/subscriptions/acknowledged'));
  input.end();
  await vi.waitUntil(() => closed.mock.calls.length > 0, { timeout: 1_000 });
});

it('aborts what is still in flight after drainMs', async () => {
  const { say, input, closed, aborted, transport, answerTo } = serve(50);
  say(INITIALIZE, INITIALIZED, call(1, 2_000));
  await answerTo('init');
  input.end();
  await vi.waitUntil(() => closed.mock.calls.length > 0, { timeout: 1_000 });
  await vi.waitUntil(() => aborted.mock.calls.length > 0, { timeout: 1_000 });
  expect(await transport.drain()).toMatchObject({ abandoned: 1 });
});

it('leaves no request without an answer, whatever its envelope looks like', async () => {
  const { say, answerTo, transport } = serve();
  say(INITIALIZE, INITIALIZED);
  await answerTo('init');
  const odd = [
    { params: 'foo' },
    { params: { _meta: 1 } },
    { params: { _meta: { progressToken: {} } } },
    { params: { _meta: { 'io.modelcontextprotocol/related-task': 1 } } },
    { extra: 1 },
    { method: 'no/such/method' },
    { method: 'tools/call', params: {} },
    { jsonrpc: '1.0' },
  ];
  say(...odd.map((members, i) => ({ jsonrpc: '2.0', id: 100 + i, method: 'ping', ...members })));
  await Promise.all(odd.map((_, i) => answerTo(100 + i)));
  expect(transport.pending).toBe(0);
});
