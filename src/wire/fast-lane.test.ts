// Sends the same traffic through the fast lane and through the SDK; the answers must be equal byte for byte.
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { registerColibriTool } from '../call/registry.js';
import { DomainError } from '../middleware/envelope.js';
import { type ColibriServerContext, createServer, start } from '../server.js';
import { registerPingTool } from '../tools/ping.js';
import { LineTransport } from './line-transport.js';

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'lanes', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

const ERAS = {
  legacy: {
    opening: [
      {
        id: 'open',
        method: 'initialize',
        params: {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: ENVELOPE['io.modelcontextprotocol/clientInfo'],
        },
      },
      { method: 'notifications/initialized' },
    ],
    meta: {},
  },
  modern: { opening: [{ id: 'open', method: 'server/discover', params: { _meta: ENVELOPE } }], meta: ENVELOPE },
} as const;
type Era = keyof typeof ERAS;

const call = (era: Era, id: string | number, params: object, meta: object = {}) => {
  const _meta = { ...ERAS[era].meta, ...meta };
  return { id, method: 'tools/call', params: Object.keys(_meta).length > 0 ? { ...params, _meta } : params };
};

/** What clients send, after a first call that opens the lane. */
const traffic = (era: Era): object[] => [
  call(era, 1, { name: 'server_ping', arguments: {} }),
  call(era, 'two', { name: 'server_ping' }),
  call(era, 3, { name: 'echo', arguments: { text: 'grüße 😀 \u2028' } }),
  call(era, 4, { name: 'echo', arguments: { text: 1 } }),
  call(era, 5, { name: 'echo', arguments: null }),
  call(era, 6, { name: 'echo', arguments: 'foo' }),
  call(era, 7, { name: 'nobody' }),
  call(era, 8, {}),
  call(era, 9, { name: 7 }),
  call(era, 10, { name: 'says_no' }),
  call(era, 11, { name: 'breaks' }),
  call(era, 12, { name: 'server_ping' }, { progressToken: 5, traceparent: '00-1-2-01' }),
  call(era, 13, { name: 'server_ping', unknown: true }),
  call(era, 14, { name: 'who' }),
  { id: 15, method: 'tools/call' },
  { id: 16, method: 'tools/call', params: { name: 'who' } }, // in the new era: no envelope
  {
    id: 17,
    method: 'tools/call',
    params: { name: 'who', _meta: { ...ENVELOPE, 'io.modelcontextprotocol/protocolVersion': '1999-01-01' } },
  },
  { id: 18, method: 'tools/call', params: { name: 'who', _meta: { 'io.modelcontextprotocol/clientInfo': 5 } } },
  { id: 19, method: 'tools/list', params: { _meta: ERAS[era].meta } },
  { id: 20, method: 'ping', params: { _meta: ERAS[era].meta } },
  call(era, 22, { name: 'odd' }),
  call(era, 21, { name: 'server_ping', arguments: JSON.parse(`${'{"a":'.repeat(200)}1${'}'.repeat(200)}`) }),
];

const register = (ctx: ColibriServerContext): void => {
  registerPingTool(ctx);
  registerColibriTool(ctx, 'echo', { inputSchema: z.strictObject({ text: z.string() }) }, ({ text }) => ({ text }));
  registerColibriTool(ctx, 'who', { inputSchema: z.object({}) }, (_, { call: { client } }) => ({ client }));
  registerColibriTool(ctx, 'says_no', { inputSchema: z.object({}), errorPattern: 'B' }, () => {
    throw new DomainError('ERR_NOT_FOUND', 'nothing there', { next: [] });
  });
  registerColibriTool(ctx, 'breaks', { inputSchema: z.object({}) }, () => {
    throw new Error('broken');
  });
  const effect = () => {
    throw new Error('no effect');
  };
  registerColibriTool(ctx, 'odd', { inputSchema: z.object({}), effect }, () => 1);
  registerColibriTool(ctx, 'waits', { inputSchema: z.object({}) }, (_, { signal }) => {
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve('aborted')));
  });
};

const serve = async (fastLane: boolean) => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const lines: string[] = [];
  let rest = '';
  output.on('data', (chunk) => {
    rest += chunk;
    const parts = rest.split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
  });
  const transport = new LineTransport(input, output, { drainMs: 200 });
  const options = {
    mode: 'FULL',
    version: '0',
    nowMs: () => 5,
    logger: () => {},
    installGlobalHandlers: false,
  } as const;
  const ctx = createServer({ ...options, transport, fastLane });
  register(ctx);
  await start(ctx);
  const send = (message: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const settle = async (answers: number) => {
    for (let i = 0; i < 400 && lines.length < answers; i++) await sleep(5);
  };
  return { ctx, input, lines, send, settle };
};

const session = async (era: Era, fastLane: boolean): Promise<string[]> => {
  const { lines, send, settle, input } = await serve(fastLane);
  for (const message of ERAS[era].opening) send(message);
  await settle(1);
  send(call(era, 'first', { name: 'server_ping' }));
  await settle(2);
  const messages = traffic(era);
  for (const message of messages) send(message);
  await settle(2 + messages.length);
  input.end();
  return lines.toSorted();
};

describe.each(['legacy', 'modern'] as const)('%s era', (era) => {
  it('both lanes answer the same bytes', async () => {
    const [slow, fast] = [await session(era, false), await session(era, true)];
    expect(fast).toEqual(slow);
    expect(fast).toHaveLength(traffic(era).length + 2);
  });

  it('a cancelled call is aborted and not answered', async () => {
    const { ctx, lines, send, settle } = await serve(true);
    for (const message of ERAS[era].opening) send(message);
    await settle(1);
    send(call(era, 1, { name: 'server_ping' }));
    await settle(2);
    send(call(era, 2, { name: 'waits' }));
    await sleep(20);
    expect(ctx.running.size).toBe(1);
    send({ method: 'notifications/cancelled', params: { requestId: 2, _meta: ERAS[era].meta } });
    await sleep(50);
    expect(ctx.running.size).toBe(0);
    expect(lines).toHaveLength(2);
  });

  it('the end of the connection aborts what still runs', async () => {
    const { ctx, send, settle, input } = await serve(true);
    for (const message of ERAS[era].opening) send(message);
    await settle(1);
    send(call(era, 1, { name: 'server_ping' }));
    await settle(2);
    send(call(era, 2, { name: 'waits' }));
    await sleep(20);
    input.end();
    await ctx.connection?.closed;
    await sleep(20);
    expect(ctx.running.size).toBe(0);
  });
});

it('a connection that probes the new era and then opens the old one is served as the old one', async () => {
  const run = async (fastLane: boolean) => {
    const { lines, send, settle } = await serve(fastLane);
    send(ERAS.modern.opening[0]);
    await settle(1);
    for (const message of ERAS.legacy.opening) send({ ...message, ...('id' in message && { id: 'again' }) });
    await settle(2);
    for (const id of [1, 2, 3]) {
      send(call('legacy', id, { name: 'who' }));
      await settle(2 + id);
    }
    return lines;
  };
  expect(await run(true)).toEqual(await run(false));
});

it('a chain that rejects is answered as the SDK answers it', async () => {
  const run = async (fastLane: boolean) => {
    const { ctx, lines, send, settle } = await serve(fastLane);
    for (const message of ERAS.legacy.opening) send(message);
    await settle(1);
    send(call('legacy', 1, { name: 'server_ping' }));
    await settle(2);
    ctx.tickets.take = () => {
      throw new Error('out of tickets');
    };
    send(call('legacy', 2, { name: 'server_ping' }));
    await settle(3);
    return lines;
  };
  const [slow, fast] = [await run(false), await run(true)];
  expect(fast).toEqual(slow);
  expect(fast[2]).toContain('out of tickets');
});
