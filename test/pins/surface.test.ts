// What others can see, as literals: a change of surface is a change somebody decided.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERRORS } from '../../src/errors.js';
import { INSTRUCTIONS } from '../../src/instructions.js';
import { listedTool } from '../../src/registry.js';
import * as server from '../../src/server.js';
import { MIGRATIONS } from '../../src/store/migrations/sqlite/index.js';
import * as health from '../../src/tools/health.js';
import { registerHealthTool } from '../../src/tools/health.js';
import { registerPingTool } from '../../src/tools/ping.js';

const ENVELOPE = {
  type: 'object',
  properties: { ok: { type: 'boolean' }, data: {}, error: { type: 'object' } },
  required: ['ok'],
};
const READ_ONLY = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };

describe('src/server.ts', () => {
  it('exports exactly these functions', () => {
    expect(Object.keys(server).toSorted()).toEqual([
      'bootstrap',
      'createNoOpAuditSink',
      'createServer',
      'main',
      'registerColibriTool',
      'start',
      'stop',
    ]);
  });

  it('exports exactly these types', () => {
    const source = readFileSync(new URL('../../src/server.ts', import.meta.url), 'utf8');
    const listed = /export type \{([^}]+)\}/.exec(source)?.[1]?.split(',') ?? [];
    const declared = [...source.matchAll(/export (?:interface|type) (\w+)/g)].map((found) => found[1]);
    expect([...listed.map((name) => name.trim()), ...declared].filter(Boolean).toSorted()).toEqual([
      'AuditSink',
      'BootstrapOptions',
      'ColibriServerContext',
      'ColibriToolConfig',
      'CreateServerOptions',
      'ToolEnterEvent',
      'ToolExitEvent',
    ]);
  });

  it('src/tools/health.ts exports one function', () => {
    expect(Object.keys(health)).toEqual(['registerHealthTool']);
  });
});

describe('tools/list', () => {
  const ctx = server.createServer({ mode: 'FULL' });
  registerPingTool(ctx);
  registerHealthTool(ctx);
  const listed = [...ctx.tools.values()].map(listedTool);

  it('is exactly this', () => {
    expect(listed).toEqual([
      {
        name: 'server_ping',
        title: 'Ping',
        description: 'Check that Colibri answers. Use it when another call hung or failed and you want to know why.',
        inputSchema: { type: 'object', properties: {} },
        outputSchema: ENVELOPE,
        annotations: READ_ONLY,
      },
      {
        name: 'server_health',
        title: 'Health',
        description:
          'See version, mode, uptime, startup phase and whether the store is open. Use it when a tool answers STORE_UNAVAILABLE.',
        inputSchema: { type: 'object', properties: {} },
        outputSchema: ENVELOPE,
        annotations: READ_ONLY,
      },
    ]);
  });

  it('costs at most 12 KB', () => {
    expect(Buffer.byteLength(JSON.stringify(listed))).toBeLessThanOrEqual(12 * 1024);
  });
});

it('the instructions fit', () => {
  expect(INSTRUCTIONS.length).toBeLessThanOrEqual(1_200);
});

it('the error codes', () => {
  expect(Object.keys(ERRORS)).toEqual([
    'INVALID_PARAMS',
    'TOOL_NOT_FOUND',
    'TOOL_NOT_ADMITTED',
    'HANDLER_ERROR',
    'AUDIT_ENTER_FAILED',
    'AUDIT_EXIT_FAILED',
    'STORE_UNAVAILABLE',
    'STORE_BUSY',
    'STORE_FULL',
    'STORE_READ_ONLY',
    'STORE_CORRUPT',
    'STORE_UPGRADED',
    'CONFIG_INVALID',
    'STARTUP_TIMEOUT',
  ]);
});

it('docs/errors.md lists the same codes with the same words', () => {
  const document = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
  const rows = [...document.matchAll(/^\| `(\w+)` \| (.+) \| (.+) \| (.+) \|$/gm)].map((row) => row.slice(1));
  expect(rows).toEqual(Object.entries(ERRORS).map(([code, row]) => [code, row.meaning, row.seenBy, row.retry]));
});

it('migrations that were released are never edited', () => {
  const sums = MIGRATIONS.map(({ version, sql }) => [version, createHash('sha256').update(sql).digest('hex')]);
  expect(sums).toMatchInlineSnapshot(`
    [
      [
        1,
        "3144e60a1df34e1d7093cdd8cad5209b2d1d99a237a8e98c821a1daea4551cd6",
      ],
    ]
  `);
});
