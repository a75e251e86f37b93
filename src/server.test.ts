// The public API, by the ids of its contract: T-1 … T-26 for the server, H-… for the health tool's cases.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport, type Transport } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  type AuditSink,
  bootstrap,
  type ColibriServerContext,
  type CreateServerOptions,
  createNoOpAuditSink,
  createServer,
  registerColibriTool,
  start,
  stop,
  type ToolEnterEvent,
  type ToolExitEvent,
} from './server.js';
import type { Store } from './store/store.js';
import { registerHealthTool } from './tools/health.js';
import { registerPingTool } from './tools/ping.js';

const VERSION = (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string })
  .version;

const quiet = (options: CreateServerOptions = {}): CreateServerOptions => ({
  logger: () => {},
  installGlobalHandlers: false,
  mode: 'FULL',
  ...options,
});

interface Recorded {
  readonly sink: AuditSink;
  readonly events: (({ kind: 'E' } & ToolEnterEvent) | ({ kind: 'X' } & ToolExitEvent))[];
}

const recordingSink = (): Recorded => {
  const events: Recorded['events'] = [];
  return {
    events,
    sink: {
      enter: (event) => void events.push({ kind: 'E', ...event }),
      exit: (event) => void events.push({ kind: 'X', ...event }),
    },
  };
};

/** A transport that only counts. */
const stubTransport = (start: () => Promise<void> = async () => {}) => {
  const counts = { started: 0, closed: 0 };
  const transport: Transport = {
    start: () => {
      counts.started += 1;
      return start();
    },
    send: async () => {},
    close: async () => {
      counts.closed += 1;
    },
  };
  return { transport, counts };
};

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

type Era = 'legacy' | 'modern';
const ERAS: readonly Era[] = ['legacy', 'modern'];

const connect = async (era: Era, options: CreateServerOptions, register: (ctx: ColibriServerContext) => void) => {
  const [clientHalf, serverHalf] = InMemoryTransport.createLinkedPair();
  const ctx = createServer(quiet({ transport: serverHalf, ...options }));
  register(ctx);
  await start(ctx);
  const client = new Client(
    { name: 'unit', version: '1' },
    era === 'modern'
      ? { versionNegotiation: { mode: { pin: '2026-07-28' } } }
      : { versionNegotiation: { mode: 'legacy' } },
  );
  await client.connect(clientHalf);
  open.push(client);
  return { ctx, client };
};

const content = (result: unknown) =>
  (result as { structuredContent: { ok: boolean; data?: unknown; error?: { code: string; message: string } } })
    .structuredContent;

describe('createServer', () => {
  it('T-1 takes the version from package.json', () => {
    expect(createServer(quiet()).version).toBe(VERSION);
  });

  it('T-2 lets the version be overridden', () => {
    expect(createServer(quiet({ version: '9.9.9-test' })).version).toBe('9.9.9-test');
  });

  it('T-3 lets the mode be overridden, without asking the environment', () => {
    expect(createServer(quiet({ mode: 'READONLY' })).mode).toBe('READONLY');
  });

  it('T-4 does not start the transport', () => {
    const { transport, counts } = stubTransport();
    createServer(quiet({ transport }));
    expect(counts.started).toBe(0);
  });

  it('T-5 installs no global handlers', () => {
    const count = () => process.listenerCount('unhandledRejection') + process.listenerCount('uncaughtException');
    const before = count();
    createServer({ mode: 'FULL' });
    expect(count()).toBe(before);
  });

  it('T-6 reads a valid environment without throwing', () => {
    const env = { ...process.env, COLIBRI_MODE: 'MINIMAL', AMS_MODE: '' };
    const code = "import('./dist/server.js').then((s) => process.stderr.write(s.createServer().mode))";
    expect(spawnSync(process.execPath, ['-e', code], { env, encoding: 'utf8' }).stderr).toBe('MINIMAL');
  });

  it('T-7 wires a custom sink', async () => {
    const { sink, events } = recordingSink();
    const { client } = await connect('legacy', { auditSink: sink }, registerPingTool);
    await client.callTool({ name: 'server_ping', arguments: {} });
    expect(events.map((event) => event.kind)).toEqual(['E', 'X']);
  });

  it('T-24 leaves process.stdout.write alone', () => {
    const before = process.stdout.write;
    createServer({});
    expect(process.stdout.write).toBe(before);
  });

  it('T-25 reaches no HTTP or WebSocket module', () => {
    const code =
      "const before = new Set(process.moduleLoadList); await import('./dist/server.js');" +
      'process.stderr.write(process.moduleLoadList.filter((m) => !before.has(m)).join("\\n"))';
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
    expect(stderr).toContain('NativeModule');
    expect(stderr.split('\n').filter((name) => /NativeModule (https?|http2|net\.Server)$/.test(name))).toEqual([]);
    expect(readFileSync(new URL('./server.ts', import.meta.url), 'utf8')).not.toMatch(/http|WebSocket/i);
  });

  it('T-26 passes on that AMS_MODE is refused', () => {
    const env = { ...process.env, AMS_MODE: 'full' };
    const code = "import('./dist/server.js').then((s) => s.createServer())";
    const { status, stderr } = spawnSync(process.execPath, ['-e', code], { env, encoding: 'utf8' });
    expect(status).not.toBe(0);
    expect(stderr).toContain('AMS_MODE');
  });
});

describe('registerColibriTool', () => {
  it('T-8 adds server_ping to the tools', () => {
    const ctx = createServer(quiet());
    registerPingTool(ctx);
    expect([...ctx.tools.keys()]).toEqual(['server_ping']);
  });

  it('T-9 refuses a name twice', () => {
    const ctx = createServer(quiet());
    registerPingTool(ctx);
    expect(() => registerPingTool(ctx)).toThrow('tool already registered: server_ping');
  });

  it.each(['server-ping', '', 'Ping', '1ping', 'a b'])('T-10 refuses the name %j', (name) => {
    const ctx = createServer(quiet());
    expect(() => registerColibriTool(ctx, name, { inputSchema: z.object({}) }, () => 0)).toThrow(
      `invalid tool name: ${name}`,
    );
  });

  it('T-11 refuses a schema that is no Zod object', () => {
    const ctx = createServer(quiet());
    const inputSchema = z.string() as unknown as z.ZodObject;
    expect(() => registerColibriTool(ctx, 'x', { inputSchema }, () => 0)).toThrow('inputSchema must be a Zod object');
  });

  it('does not list a tool that the mode does not admit, and says so when it is called', async () => {
    const { client } = await connect('legacy', { mode: 'READONLY' }, (ctx) =>
      registerColibriTool(ctx, 'writer', { inputSchema: z.object({}), admittedIn: ['FULL'] }, () => 1),
    );
    expect((await client.listTools()).tools).toEqual([]);
    const { error } = content(
      await client.request({ method: 'tools/call', params: { name: 'writer' } }, z.looseObject({})),
    );
    expect(error).toMatchObject({ code: 'TOOL_NOT_ADMITTED', message: expect.stringContaining('READONLY') });
  });
});

describe.each(ERAS)('the five stages, %s era', (era) => {
  it('T-12 server_ping answers the envelope', async () => {
    const { client } = await connect(era, {}, registerPingTool);
    expect(content(await client.callTool({ name: 'server_ping', arguments: {} }))).toEqual({
      ok: true,
      data: { version: VERSION, mode: 'FULL', uptime_ms: expect.any(Number) },
    });
  });

  it('T-13 uptime_ms is not negative', async () => {
    const { client } = await connect(era, { nowMs: () => 5, bootStartMs: 2.5 }, registerPingTool);
    const { data } = content(await client.callTool({ name: 'server_ping' }));
    expect((data as { uptime_ms: number }).uptime_ms).toBe(2);
  });

  it('T-14 a sink sees one enter and one exit with one correlation id', async () => {
    const { sink, events } = recordingSink();
    const { client } = await connect(era, { auditSink: sink }, registerPingTool);
    await client.callTool({ name: 'server_ping', arguments: {} });
    const [enter, exit] = events;
    expect(events).toHaveLength(2);
    expect(enter).toMatchObject({ kind: 'E', tool: 'server_ping', args: {} });
    expect(exit).toMatchObject({ kind: 'X', tool: 'server_ping', correlationId: enter?.correlationId });
    expect(enter?.correlationId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    expect(exit?.kind === 'X' && exit.durationMs).toBeGreaterThanOrEqual(0);
  });

  it('T-15 on success the exit has a result and no error', async () => {
    const { sink, events } = recordingSink();
    const { client } = await connect(era, { auditSink: sink }, registerPingTool);
    await client.callTool({ name: 'server_ping' });
    expect(events[1]).toMatchObject({ result: { ok: true, data: { mode: 'FULL' } } });
    expect(events[1]).not.toHaveProperty('error');
  });

  it('T-16 when the handler throws the exit has that error and no result', async () => {
    const { sink, events } = recordingSink();
    const boom = new Error('boom');
    const { client } = await connect(era, { auditSink: sink }, (ctx) =>
      registerColibriTool(ctx, 'breaks', { inputSchema: z.object({}) }, () => {
        throw boom;
      }),
    );
    const result = await client.callTool({ name: 'breaks', arguments: {} });
    expect(result.isError).toBe(true);
    expect(content(result).error).toEqual({ code: 'HANDLER_ERROR', message: 'boom' });
    expect(events[1]).toMatchObject({ error: boom });
    expect(events[1]).not.toHaveProperty('result');
  });

  it('T-17 two calls at once are seen whole, one after the other', async () => {
    const { sink, events } = recordingSink();
    const { client } = await connect(era, { auditSink: sink }, registerPingTool);
    await Promise.all([client.callTool({ name: 'server_ping' }), client.callTool({ name: 'server_ping' })]);
    expect(events.map((event) => event.kind).join('')).toBe('EXEX');
    expect(events[0]?.correlationId).toBe(events[1]?.correlationId);
  });

  it('T-18 bad arguments are INVALID_PARAMS and leave one pair', async () => {
    const { sink, events } = recordingSink();
    const { client } = await connect(era, { auditSink: sink }, (ctx) =>
      registerColibriTool(ctx, 'needs', { inputSchema: z.object({ required: z.string() }) }, () => 0),
    );
    const { ok, error } = content(await client.callTool({ name: 'needs', arguments: {} }));
    expect([ok, error?.code]).toEqual([false, 'INVALID_PARAMS']);
    expect(events.map((event) => event.kind)).toEqual(['E', 'X']);
    expect(events[1]).toHaveProperty('error');
  });

  it('freezes the events', async () => {
    const frozen: boolean[] = [];
    const note = (event: object) => void frozen.push(Object.isFrozen(event));
    const { client } = await connect(era, { auditSink: { enter: note, exit: note } }, registerPingTool);
    await client.callTool({ name: 'server_ping' });
    expect(frozen).toEqual([true, true]);
  });

  it('a sink that throws at enter stops the call; stage 5 still runs', async () => {
    const exits: ToolExitEvent[] = [];
    let ran = false;
    const auditSink: AuditSink = {
      enter: () => {
        throw new Error('sink down');
      },
      exit: (event) => void exits.push(event),
    };
    const { client } = await connect(era, { auditSink }, (ctx) =>
      registerColibriTool(ctx, 'never', { inputSchema: z.object({}) }, () => {
        ran = true;
      }),
    );
    const { error } = content(await client.callTool({ name: 'never', arguments: {} }));
    expect(error).toEqual({ code: 'AUDIT_ENTER_FAILED', message: 'sink down' });
    expect([ran, exits.length]).toEqual([false, 1]);
  });

  it('H-6.3 a sink that throws at exit is logged and changes nothing', async () => {
    const lines: unknown[][] = [];
    const auditSink: AuditSink = {
      enter: () => {},
      exit: () => {
        throw new Error('sink down');
      },
    };
    const { client } = await connect(
      era,
      { auditSink, logger: (...line) => void lines.push(line) },
      registerHealthTool,
    );
    expect(content(await client.callTool({ name: 'server_health' })).ok).toBe(true);
    expect(lines.flat().map(String).join(' ')).toContain('audit-exit sink failed');
  });

  it('an unknown tool is a JSON-RPC invalid-params error that names the nearest one', async () => {
    const { client } = await connect(era, {}, registerPingTool);
    await expect(client.callTool({ name: 'server_pong' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('server_ping'),
    });
  });

  it('H-6.1 health takes extra arguments and refuses what is no object', async () => {
    const { client } = await connect(era, {}, registerHealthTool);
    expect(content(await client.callTool({ name: 'server_health', arguments: { extra: 1 } })).ok).toBe(true);
    const params = { name: 'server_health', arguments: 'foo' };
    const result = await client.request({ method: 'tools/call', params }, z.looseObject({}));
    expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: 'INVALID_PARAMS' } } });
  });
});

describe('start and stop', () => {
  it('T-19 start resolves once the transport has started', async () => {
    const { transport, counts } = stubTransport();
    await start(createServer(quiet({ transport })));
    expect(counts.started).toBe(1);
  });

  it('T-20 start rejects when the transport never starts; bootstrap exits 75', async () => {
    const never = () => stubTransport(() => new Promise(() => {})).transport;
    await expect(start(createServer(quiet({ transport: never(), startupTimeoutMs: 20 })))).rejects.toMatchObject({
      code: 'STARTUP_TIMEOUT',
      message: 'startup timeout exceeded',
    });
    const codes: number[] = [];
    await bootstrap({
      createOptions: quiet({ transport: never(), startupTimeoutMs: 20 }),
      exit: (code) => void codes.push(code),
    });
    expect(codes).toEqual([75]);
  });

  it('bootstrap exits 1 when the transport cannot start', async () => {
    const { transport } = stubTransport(() => Promise.reject(new Error('no pipe')));
    const codes: number[] = [];
    await bootstrap({ createOptions: quiet({ transport }), exit: (code) => void codes.push(code) });
    expect(codes).toEqual([1]);
  });

  it('T-21, T-22 start installs the global handlers, once for the process', () => {
    const code = `
      const { createServer, start } = await import('./dist/server.js');
      const stub = () => ({ start: async () => {}, send: async () => {}, close: async () => {} });
      const count = () => ['unhandledRejection', 'uncaughtException'].map((e) => process.listenerCount(e));
      const seen = [count()];
      for (const _ of [1, 2]) { await start(createServer({ mode: 'FULL', logger: () => {}, transport: stub() })); seen.push(count()); }
      process.stderr.write(JSON.stringify(seen));`;
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
    expect(JSON.parse(stderr)).toEqual([
      [0, 0],
      [1, 1],
      [1, 1],
    ]);
  });

  it('a second start of one server does nothing', async () => {
    const { transport, counts } = stubTransport();
    const ctx = createServer(quiet({ transport }));
    await start(ctx);
    await start(ctx);
    expect(counts.started).toBe(1);
  });

  it('T-23 stop closes the transport, also while a start is pending', async () => {
    const { transport, counts } = stubTransport(() => new Promise(() => {}));
    const ctx = createServer(quiet({ transport, startupTimeoutMs: 50 }));
    const starting = start(ctx).catch(() => {});
    await stop(ctx);
    expect(counts.closed).toBe(1);
    await starting;
  });

  it('an uncaught exception ends the process with 1 and a line on stderr', () => {
    const code = `
      const { createServer, start } = await import('./dist/server.js');
      await start(createServer({ mode: 'FULL', transport: { start: async () => {}, send: async () => {}, close: async () => {} } }));
      setTimeout(() => { throw new Error('unexpected'); });`;
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, expect.stringContaining('uncaughtException: Error: unexpected')]);
  });
});

describe('server_health', () => {
  const health = async (change: (ctx: ColibriServerContext) => void, options: CreateServerOptions = {}) => {
    const { client } = await connect('legacy', options, (ctx) => {
      registerHealthTool(ctx);
      change(ctx);
    });
    return content(await client.callTool({ name: 'server_health', arguments: {} })).data;
  };
  const store = (tableCount: () => number) =>
    Object.defineProperty({}, 'tableCount', { get: tableCount }) as unknown as Store;

  it('H-5.1, H-5.4 answers the six fields at once', async () => {
    const began = performance.now();
    expect(await health(() => {})).toEqual({
      status: 'ok',
      version: VERSION,
      uptime_ms: expect.any(Number),
      db_tables: 0,
      phase: 'phase1',
      mode: 'FULL',
    });
    expect(performance.now() - began).toBeLessThan(5_000); // a ceiling against hanging, not a measurement
  });

  it('H-5.2 db_tables is what the store counts', async () => {
    expect(await health((ctx) => Object.assign(ctx, { db: store(() => 7) }))).toMatchObject({ db_tables: 7 });
  });

  it.each([
    [undefined, 'phase1'],
    ['phase1', 'phase1'],
    ['phase2', 'phase2'],
  ] as const)('H-5.3 phase %s is reported as %s', async (phase, expected) => {
    expect(await health((ctx) => Object.assign(ctx, { phase }))).toMatchObject({ phase: expected });
  });

  it('H-6.2 a closed handle counts no tables', async () => {
    const closed = store(() => {
      throw new Error('database is closed');
    });
    expect(await health((ctx) => Object.assign(ctx, { db: closed, phase: 'phase2' }))).toMatchObject({
      db_tables: 0,
      phase: 'phase2',
    });
  });

  it.each(['FULL', 'READONLY', 'TEST', 'MINIMAL'] as const)('H-5.5 mode %s', async (mode) => {
    expect(await health(() => {}, { mode })).toMatchObject({ mode });
  });

  it('H-7 leaves one enter and one exit and no log line', async () => {
    const { sink, events } = recordingSink();
    const lines: unknown[][] = [];
    const logger = (...line: unknown[]) => void lines.push(line);
    await health((ctx) => void lines.splice(0, lines.length, [ctx.mode]), { auditSink: sink, logger });
    expect(events.map((event) => [event.kind, event.tool])).toEqual([
      ['E', 'server_health'],
      ['X', 'server_health'],
    ]);
    expect(lines.flat().filter((part) => String(part).includes('health'))).toEqual([]);
  });
});

it('createNoOpAuditSink is frozen and does nothing', () => {
  const sink = createNoOpAuditSink();
  expect(Object.isFrozen(sink)).toBe(true);
  expect(sink.enter({ tool: 'x', args: {}, timestamp: 0, correlationId: 'c' })).toBeUndefined();
});

it('importing the server runs nothing', () => {
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', "await import('./dist/server.js')"]);
  expect(out.toString()).toBe('');
});
