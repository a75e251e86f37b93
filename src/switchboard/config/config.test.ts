// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of the file, not of the code
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { switchboardSchema } from '../../../test/support/switchboard-schema.js';
import { parseSwitchboard, type ServerConfig } from './config.js';
import { machineSettings } from './health-settings.js';
import { problemText } from './problem.js';

const around = {
  file: 'sb.json',
  env: { API_KEY: 'k', EMPTY: '', HOST: 'example.org' },
  configDir: '/srv/app/.colibri',
};
const parse = (value: unknown, more: Partial<typeof around> = {}) =>
  parseSwitchboard(typeof value === 'string' ? value : JSON.stringify(value, undefined, 2), { ...around, ...more });
const serverOf = (value: unknown, more: object = {}): ServerConfig => {
  const { servers, errors } = parse({ mcpServers: { a: value }, ...more });
  expect(errors.map(problemText)).toEqual([]);
  return servers[0] as ServerConfig;
};
const complaints = (value: unknown, kind: 'errors' | 'warnings' = 'errors') => parse(value)[kind].map(problemText);
const inServer = (value: object, kind?: 'errors' | 'warnings') =>
  complaints({ mcpServers: { a: { command: 'x', ...value } } }, kind).map((line) => line.replace(/^\S+ /, ''));

const DEFAULTS = {
  liveness: { intervalMs: 10_000, timeoutMs: 2_000 },
  readiness: { intervalMs: 30_000, timeoutMs: 5_000 },
  capability: null,
  failuresToQuarantine: 3,
  cooldownMs: 60_000,
  cooldownMaxMs: 900_000,
  startTimeoutMs: 30_000,
  stabilityWindowMs: 300_000,
};

describe('a server', () => {
  it('has no name that looks like a secret: records keep it for good', () => {
    const token = ['gh', 'p_', 'a7Bq2Lr9Kx4Zt1Wm6Ys3Vp8Nc5Jd0Hf12345'].join('');
    expect(complaints({ mcpServers: { [`x-${token}`]: { command: 'x' } } })).toEqual([
      expect.stringContaining('its name contains something that looks like a secret'),
    ]);
  });

  it('has a default for everything but its command', () => {
    const connection = {
      kind: 'stdio',
      command: 'x',
      args: [],
      env: {},
      cwd: '/srv/app/.colibri',
      inheritEnv: 'minimal',
    };
    expect(serverOf({ command: 'x' })).toEqual({
      name: 'a',
      asked: { entry: { command: 'x' }, free: {} },
      written: connection,
      connection,
      missing: [],
      health: DEFAULTS,
      concurrency: 16,
      timeoutMs: 50_000,
      prefix: true,
      whenUnavailable: 'refuse',
      validate: 'repair',
      trustHints: true,
      interactive: false,
      onChange: 'record',
      ask: { quorum: null, via: ['elicitation', 'command'], minutes: 10, clients: ['claude-code'] },
      disabled: false,
      tools: { allow: ['*'], deny: [], idempotent: [], readOnly: [], destructive: [], ask: [] },
    });
    expect(machineSettings(serverOf({ command: 'x' }).health)).toEqual(DEFAULTS);
  });

  it('over HTTP has a URL and headers', () => {
    expect(
      serverOf({ url: 'https://${HOST}/mcp', headers: { Authorization: 'Bearer ${API_KEY}' } }).connection,
    ).toEqual({
      kind: 'http',
      url: 'https://example.org/mcp',
      headers: { Authorization: 'Bearer k' },
    });
  });

  it.each(['http', 'streamable-http', 'streamableHttp'])('type %s is as good as the URL', (type) => {
    expect(serverOf({ type, url: 'http://h/' }).connection.kind).toBe('http');
  });

  it('type sse is read with a note', () => {
    const { servers, warnings } = parse({ mcpServers: { a: { type: 'sse', url: 'http://h/' } } });
    expect(servers[0]?.connection.kind).toBe('http');
    expect(warnings.map(problemText)).toEqual([
      'sb.json:4:15 mcpServers.a.type: is the old HTTP transport; it is read as "http"',
    ]);
  });

  it('keeps its order and its name, whatever the name is', () => {
    const text =
      '{"mcpServers": {"2": {"command": "x"}, "1": {"command": "x"}, "__proto__": {"command": "x"}, "a b/c": {"command": "x"}}}';
    expect(parse(text).servers.map(({ name }) => name)).toEqual(['2', '1', '__proto__', 'a b/c']);
  });

  it('is frozen all the way', () => {
    const config = parse({ mcpServers: { a: { command: 'x', args: ['y'] } } });
    const isFrozen = (value: unknown): boolean =>
      typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozen));
    expect(isFrozen(config)).toBe(true);
  });
});

describe('defaults', () => {
  it('are merged deeply under each server; lists replace', () => {
    const defaults = {
      timeoutMs: 9_000,
      health: { cooldownMs: 5_000, liveness: { intervalMs: 4_000 } },
      tools: { deny: ['x', 'y'] },
      env: { A: '1', B: '1' },
    };
    const server = serverOf(
      { command: 'x', health: { liveness: { timeoutMs: 700 } }, tools: { deny: ['z'] }, env: { B: '2' } },
      { defaults },
    );
    expect(server.timeoutMs).toBe(9_000);
    expect(server.health).toEqual({ ...DEFAULTS, cooldownMs: 5_000, liveness: { intervalMs: 4_000, timeoutMs: 700 } });
    expect(server.tools.deny).toEqual(['z']);
    expect(server.connection).toMatchObject({ env: { A: '1', B: '2' } });
  });

  it('that are wrong are told once, where they stand', () => {
    const text =
      '{\n"defaults": { "timeoutMs": "long", "prefx": true },\n"mcpServers": { "a": { "command": "x" }, "b": { "command": "x" } } }';
    const { errors, warnings } = parse(text);
    expect(errors.map(problemText)).toEqual(['sb.json:2:28 defaults.timeoutMs: must be a whole number, 1000–600000']);
    expect(warnings.map(problemText)).toEqual([
      'sb.json:2:36 defaults.prefx: unknown key, ignored; did you mean "prefix"?',
    ]);
  });

  it('cannot hold a command', () => {
    expect(complaints({ defaults: { command: 'x' }, mcpServers: {} }, 'warnings')).toEqual([
      'sb.json:3:5 defaults.command: unknown key, ignored',
    ]);
  });
});

describe('the capability check', () => {
  const health = (capability: object, more: object = {}) =>
    serverOf({ command: 'x', health: { capability }, ...more }).health.capability;

  it('has defaults, and knows whether its tool was declared read-only', () => {
    expect(health({ tool: 'web_search' })).toEqual({
      intervalMs: 300_000,
      timeoutMs: 30_000,
      afterFailures: 2,
      tool: 'web_search',
      arguments: {},
      expect: 'result',
      declaredReadOnly: false,
    });
    expect(health({ tool: 'web_search' }, { tools: { readOnly: ['web_*'] } })?.declaredReadOnly).toBe(true);
  });

  it('keeps its arguments out of the machine', () => {
    const server = serverOf({ command: 'x', health: { capability: { tool: 't', arguments: { secret: 1 } } } });
    expect(machineSettings(server.health).capability).toEqual({
      intervalMs: 300_000,
      timeoutMs: 30_000,
      afterFailures: 2,
    });
  });

  it('expects an answer, a result or a text', () => {
    for (const expected of ['answer', 'result', { contains: 'ok' }])
      expect(health({ tool: 't', expect: expected })?.expect).toEqual(expected);
    expect(inServer({ health: { capability: { tool: 't', expect: {} } } })).toEqual([
      'mcpServers.a.health.capability.expect: needs "contains"',
    ]);
  });

  it('cannot call a tool that needs a yes', () => {
    const asks = ['mcpServers.a: has its capability tool in "tools.ask": a check cannot wait for a person'];
    const given = (tools: object) => inServer({ health: { capability: { tool: 'look' } }, tools });
    expect(given({ ask: ['l*'], readOnly: ['look'] })).toEqual(asks);
    expect(given({ ask: 'destructive', destructive: ['look'], readOnly: ['look'] })).toEqual(asks);
    expect(given({ ask: ['wipe'] })).toEqual([]);
    expect(given({ ask: 'destructive', readOnly: ['look'] })).toEqual([]);
  });

  it('needs a tool, unless only the defaults speak of it', () => {
    expect(inServer({ health: { capability: {} } })).toEqual(['mcpServers.a.health.capability: needs a "tool"']);
    expect(
      serverOf({ command: 'x' }, { defaults: { health: { capability: { intervalMs: 9_000 } } } }).health.capability,
    ).toBeNull();
  });
});

it('docs/switchboard.schema.json is made of the same keys', () => {
  const file = readFileSync(new URL('../../../docs/switchboard.schema.json', import.meta.url), 'utf8');
  expect(JSON.parse(file)).toEqual(JSON.parse(JSON.stringify(switchboardSchema())));
});
