// What others can see, as literals: a change of surface is a change somebody decided.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { listedTool } from '../../src/call/registry.js';
import { TOOLSETS } from '../../src/config.js';
import { Skills } from '../../src/domains/skills/skills.js';
import { ERRORS } from '../../src/errors.js';
import * as server from '../../src/server.js';
import { INSTRUCTIONS } from '../../src/start/instructions.js';
import { registerRouterTools, registerTaskTools, registerTrailTools } from '../../src/start/register-tools.js';
import { registerToolsets } from '../../src/start/register-toolsets.js';
import { MIGRATIONS } from '../../src/store/sqlite/migrations/index.js';
import * as health from '../../src/tools/health.js';
import { registerHealthTool } from '../../src/tools/health.js';
import { registerPingTool } from '../../src/tools/ping.js';

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
  registerTaskTools(ctx, () => null);
  const skills = new Skills({ skillsDir: undefined, projectDir: undefined, nowMs: () => 0, wallMs: () => 0 });
  registerTrailTools(
    ctx,
    { verify: async () => undefined, resolveSkill: async () => undefined, writeProofFile: async () => ({ path: '' }) },
    skills,
  );
  const listed = [...ctx.tools.values()].map(listedTool);

  it('is exactly what tools-list.json says', async () => {
    await expect(`${JSON.stringify(listed, undefined, 2)}\n`).toMatchFileSnapshot('./tools-list.json');
  });

  it('costs at most 12 KB, the task tools 6.5 KB of it, those of the trail and the proofs 4.3 KB', () => {
    const bytes = (tools: readonly unknown[]) => Buffer.byteLength(JSON.stringify(tools));
    expect(bytes(listed)).toBeLessThanOrEqual(12 * 1024);
    expect(bytes(listed.filter(({ name }) => name.startsWith('task_')))).toBeLessThanOrEqual(6.5 * 1024);
    expect(bytes(listed.filter(({ name }) => /^(audit|thought|merkle)_/.test(name)))).toBeLessThanOrEqual(4_400);
  });
});

describe('with a switchboard', () => {
  const ctx = server.createServer({ mode: 'FULL' });
  registerRouterTools(ctx);
  const listed = [...ctx.tools.values()].map(listedTool);

  it('four tools more, exactly as router-tools.json says', async () => {
    await expect(`${JSON.stringify(listed, undefined, 2)}\n`).toMatchFileSnapshot('./router-tools.json');
  });

  it('cost at most 2.5 KB', () => {
    expect(Buffer.byteLength(JSON.stringify(listed))).toBeLessThanOrEqual(2_560);
  });
});

describe('with all toolsets', () => {
  const listedBy = (register: (ctx: ReturnType<typeof server.createServer>) => void) => {
    const ctx = server.createServer({ mode: 'FULL' });
    register(ctx);
    return [...ctx.tools.values()].map(listedTool);
  };
  const settings = { gates: 'off', voterKey: undefined, witnesses: [] } as const;
  const listed = listedBy((ctx) => registerToolsets(ctx, { ...settings, toolsets: TOOLSETS }));

  it('the further tools, exactly as toolset-tools.json says', async () => {
    await expect(`${JSON.stringify(listed, undefined, 2)}\n`).toMatchFileSnapshot('./toolset-tools.json');
  });

  it('everything together, with a switchboard, costs at most 20 KB', () => {
    const pinned = ['tools-list', 'router-tools', 'toolset-tools'].flatMap((name): unknown[] =>
      JSON.parse(readFileSync(new URL(`./${name}.json`, import.meta.url), 'utf8')),
    );
    expect(Buffer.byteLength(JSON.stringify(pinned))).toBeLessThanOrEqual(20 * 1024);
  });

  it('core alone adds nothing', () => {
    expect(listedBy((ctx) => registerToolsets(ctx, { ...settings, toolsets: ['core'] }))).toEqual([]);
  });
});

it.each(Object.entries(INSTRUCTIONS))('the instructions of mode %s fit', (_, text) => {
  expect(text.length).toBeLessThanOrEqual(1_200);
});

it('the instructions, which models read first', async () => {
  const text = Object.entries(INSTRUCTIONS).map(([mode, words]) => `${mode}\n\n${words}\n`);
  await expect(text.join('\n')).toMatchFileSnapshot('./instructions.txt');
});

it('the error codes', () => {
  expect(Object.keys(ERRORS)).toEqual([
    'INVALID_PARAMS',
    'TOOL_NOT_FOUND',
    'TOOL_NOT_ADMITTED',
    'HANDLER_ERROR',
    'ERR_NOT_FOUND',
    'ERR_AMBIGUOUS_PROJECT',
    'ERR_IDEMPOTENCY_MISMATCH',
    'ERR_INVALID_TRANSITION',
    'ERR_WRITEBACK_REQUIRED',
    'ERR_BLOCKED',
    'ERR_DEPENDENCY_CYCLE',
    'ERR_DEPENDENCY_CANCELLED',
    'ERR_VERSION_CONFLICT',
    'ERR_LEASE_LOST',
    'ERR_LEASE_REQUIRED',
    'ERR_LEASED',
    'ERR_ASSIGNED',
    'ERR_TOO_MANY_TASKS',
    'ERR_READ_ONLY',
    'ERR_SESSION_EXISTS',
    'ERR_SESSION_NOT_FOUND',
    'ERR_ALREADY_FINALIZED',
    'ERR_NO_RECORDS',
    'ERR_NOT_FINALIZED',
    'ERR_PROOF_NOT_WRITTEN',
    'SESSION_NOT_FOUND',
    'SESSION_FINALIZED',
    'SKILL_NOT_FOUND',
    'TASK_NOT_FOUND',
    'THOUGHT_NOT_FOUND',
    'IDEMPOTENCY_MISMATCH',
    'ROUND_NOT_FOUND',
    'ALREADY_VOTED',
    'INVALID_KEY',
    'VOTE_REFUSED',
    'DRAWN_ALREADY',
    'INVALID_BUNDLE',
    'AUDIT_ENTER_FAILED',
    'AUDIT_EXIT_FAILED',
    'TOOL_UNAVAILABLE',
    'TOOL_CHANGED',
    'APPROVAL_REQUIRED',
    'APPROVAL_DENIED',
    'TOOL_BUSY',
    'TOOL_TIMEOUT',
    'OUTCOME_UNKNOWN',
    'FALLBACK_CHAIN_EXHAUSTED',
    'STORE_UNAVAILABLE',
    'STORE_BUSY',
    'STORE_FULL',
    'STORE_READ_ONLY',
    'STORE_CORRUPT',
    'STORE_ROLLED_BACK',
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
        "165939d39e9f3baba064103003788257cf8d5f86f2635c0669304be89283a1e6",
      ],
      [
        2,
        "59815edbfcf846811c8bbcda2d02c61a469260b64c1115bbf304419fa4ac0b78",
      ],
      [
        3,
        "af25944ed25412f14867f3f8d243791e5c60ac5fa126d2fc9987b66f51e062ad",
      ],
      [
        4,
        "7750d000c8d3abc74120b5ccf4b106b0e20b6cff072e3aa4a1d49aae59bbb828",
      ],
      [
        5,
        "751a05b3fa4c6d94ebf478d28f4f4c826c104adbcce8f52a0b9566c5bcc1d2e3",
      ],
      [
        6,
        "e46531d423046c4784a1545dedebaa84dc62d195af28060e2b25be322f159a09",
      ],
      [
        7,
        "334e468016e31672c8d2b278bf13dd71c3fb660741c968820d887789cc5c6d90",
      ],
      [
        8,
        "84187faeb99597e79a3894f2e9371939c30d5abed29ee063bdac6cd48d0b62a3",
      ],
      [
        9,
        "1b339845d853c15fef58dbc25479dc48f6d24904e4a3ccde009949b1a8dbfdf5",
      ],
      [
        10,
        "1fc022be9a00599553f7078f4d580be699513542a133a32c498ff523d28dec1d",
      ],
      [
        11,
        "79ee1b0828e32b7de063f83f65c1979245da9f7ab43dfc0532385b5dfdffd69d",
      ],
    ]
  `);
});
