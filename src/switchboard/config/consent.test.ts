// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of the file, not of the code
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Approval } from './approvals.js';
import { parseSwitchboard, type ServerConfig, type SwitchboardConfig } from './config.js';
import { connectionDigest } from './connection.js';
import { approvalFor, consentNote, isAsGiven, type JudgedServer, judgeConsent, projectOf } from './consent.js';
import { problemText } from './problem.js';

const FILE = '/srv/app/.colibri/switchboard.json';
const env = { 'secret:KEY': 'the value itself', TOKEN: 'tok' };

const parse = (value: unknown, file = FILE): SwitchboardConfig => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const config = parseSwitchboard(text, { file, origin: 'project', env, configDir: dirname(file) });
  expect(config.errors.map(problemText)).toEqual([]);
  return config;
};

const serverIn = (config: SwitchboardConfig): ServerConfig => {
  const [server] = config.servers;
  if (server === undefined) throw new Error('no server');
  return server;
};

const SERVER = {
  url: 'https://git.example/mcp',
  headers: { Authorization: 'Bearer ${secret:KEY}' },
  tools: { allow: ['*'], deny: ['delete_repo'], readOnly: ['look'] },
  health: { capability: { tool: 'look', arguments: { q: 'x' }, expect: 'result', intervalMs: 60_000 } },
};
const ROUTES = { 'find:repo': ['git/look'] };
const basis = { mcpServers: { git: SERVER }, routes: ROUTES };

const approve = (value: unknown = basis, file = FILE): Approval => {
  const config = parse(value, file);
  return { ...approvalFor(serverIn(config), config), at: 'then' };
};

const judged = (value: unknown, approvals: readonly Approval[], file = FILE): JudgedServer => {
  const config = parse(value, file);
  const around = { file, origin: 'project', env, configDir: dirname(file) } as const;
  return judgeConsent(serverIn(config), config, { approvals, around });
};

const merge = (under: object, over: object): object => {
  const merged: Record<string, unknown> = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const known = merged[key];
    const isInner = [known, value].every((one) => typeof one === 'object' && one !== null && !Array.isArray(one));
    merged[key] = isInner ? merge(known as object, value) : value;
  }
  return merged;
};
const changed = (more: object): unknown => ({ ...basis, mcpServers: { git: merge(SERVER, more) } });

describe('what an approval covers', () => {
  test.each<[string, unknown]>([
    ['another address', changed({ url: 'https://evil.example/mcp' })],
    ['another header', changed({ headers: { 'X-To': 'evil' } })],
    ['a tool that is said to change nothing', changed({ tools: { readOnly: ['look', 'delete_repo'] } })],
    ['a tool that may be sent twice', changed({ tools: { idempotent: ['*'] } })],
    ['a tool that is no longer denied', changed({ tools: { deny: [] } })],
    ['other tools that are allowed', changed({ tools: { allow: ['delete_*'] } })],
    ['another tool of the check', changed({ health: { capability: { tool: 'delete_repo' } } })],
    ['other arguments of the check', changed({ health: { capability: { arguments: { q: 'rm' } } } })],
    [
      'arguments of the check that are named like times',
      changed({ health: { capability: { arguments: { intervalMs: 1 } } } }),
    ],
    ['what the check expects', changed({ health: { capability: { expect: 'answer' } } })],
    ['when the check runs at once', changed({ health: { capability: { afterFailures: 1 } } })],
    ['how soon it is quarantined', changed({ health: { failuresToQuarantine: 1 } })],
    ['hints that are trusted or not', changed({ trustHints: false })],
    ['questions to the user', changed({ interactive: true })],
    ['bare names of tools', changed({ prefix: false })],
    ['arguments that are not validated', changed({ validate: 'off' })],
    ['tools that are hidden', changed({ whenUnavailable: 'hide' })],
    ['defaults that add a key', { ...basis, defaults: { interactive: true } }],
    ['defaults inside a key', { ...basis, defaults: { tools: { idempotent: ['*'] } } }],
    ['a route that leads elsewhere', { ...basis, routes: { 'find:repo': ['git/delete_repo'] } }],
    [
      'a route with arguments of its own',
      { ...basis, routes: { 'find:repo': [{ server: 'git', tool: 'look', arguments: { q: 'x' } }] } },
    ],
    [
      'a route that falls back on errors',
      { ...basis, routes: { 'find:repo': [{ server: 'git', tool: 'look', fallbackOnError: true }] } },
    ],
    ['one more route', { ...basis, routes: { ...ROUTES, 'other:one': ['git/delete_repo'] } }],
    ['a route that is gone', { ...basis, routes: {} }],
  ])('%s is asked for again, and the server goes on as it was approved', (_what, value) => {
    const one = judged(value, [approve()]);
    expect(one.standing).toBe('changed');
    expect(one.server).toEqual(serverIn(parse(basis)));
    expect(one.routes).toEqual(parse(basis).routes);
    expect(consentNote(one)).toContain('colibri switchboard approve');
  });

  test.each<[string, unknown]>([
    ['the same', basis],
    ['a timeout', changed({ timeoutMs: 9_000 })],
    [
      'intervals and timeouts of checks',
      changed({ health: { liveness: { intervalMs: 1_000 }, readiness: { timeoutMs: 100 } } }),
    ],
    ['the times of the capability check', changed({ health: { capability: { intervalMs: 90_000, timeoutMs: 100 } } })],
    ['the time to start', changed({ health: { startTimeoutMs: 1_000 } })],
    ['concurrency', changed({ concurrency: 1 })],
    ['whether it is disabled', changed({ disabled: true })],
    ['a key that nobody knows', changed({ comment: 'hello' })],
    ['what belongs to other servers', { ...basis, routes: { ...ROUTES, 'other:one': ['else/tool'] } }],
    [
      'keys moved to the defaults',
      { ...basis, mcpServers: { git: { ...SERVER, health: {} } }, defaults: { health: SERVER.health } },
    ],
  ])('%s needs no new approval, and counts at once', (_what, value) => {
    const one = judged(value, [approve()]);
    expect(one.standing).toBe('approved');
    expect(one.server).toBe(one.asked);
  });

  test('what needs no approval counts for a kept entry too', () => {
    const value = changed({
      tools: { readOnly: ['*'] },
      timeoutMs: 9_000,
      disabled: true,
      health: { capability: { timeoutMs: 200 } },
    });
    const { server, standing } = judged(value, [approve()]);
    expect([standing, server.timeoutMs, server.disabled, server.health.capability?.timeoutMs]).toEqual([
      'changed',
      9_000,
      true,
      200,
    ]);
    expect(server.tools.readOnly).toEqual(['look']);
  });

  test('a kept entry without a check gets none by the times of one', () => {
    const { health: _health, ...plain } = SERVER;
    const one = judged(basis, [approve({ ...basis, mcpServers: { git: plain } })]);
    expect([one.standing, one.server.health.capability]).toEqual(['changed', null]);
  });

  test('what is kept names secrets and variables, and never holds their values', () => {
    const { entry, routes } = approve();
    expect(entry).toMatchObject({ headers: { Authorization: 'Bearer ${secret:KEY}' } });
    expect(JSON.stringify([entry, routes])).not.toContain('the value itself');
    expect(judged(changed({ prefix: false }), [approve()]).server.connection).toMatchObject({
      headers: { Authorization: 'Bearer the value itself' },
    });
  });

  test('only the last approval of a server counts: an entry that was approved before it is not', () => {
    const narrow = approve(changed({ tools: { readOnly: [] } }));
    expect(judged(basis, [narrow]).standing).toBe('changed');
  });

  test('a kept entry that can no longer be read approves nothing', () => {
    expect(judged(changed({ prefix: false }), [{ ...approve(), entry: { command: 7 } }]).standing).toBe('not_approved');
  });
});

describe('a route', () => {
  test('means the same whatever servers other files have', () => {
    const value = JSON.stringify({ mcpServers: { a: { command: 'x' } }, routes: { r: ['a/b/c', 'mine/t'] } });
    const read = (elsewhere: readonly string[]) =>
      parseSwitchboard(value, { file: FILE, origin: 'project', env, configDir: '/', elsewhere });
    expect(read(['a/b', 'mine']).routes).toEqual(read([]).routes);
    expect([read([]).warnings.length, read(['mine']).warnings.length]).toEqual([1, 0]);
  });
});

describe('where an approval counts', () => {
  test('in its project and for its server alone', () => {
    expect(judged(basis, [approve()], '/srv/other/.colibri/switchboard.json').standing).toBe('not_approved');
    const renamed = { mcpServers: { hub: SERVER }, routes: { 'find:repo': ['hub/look'] } };
    expect(judged(renamed, [approve()]).standing).toBe('not_approved');
  });

  test('under every path that leads to the project', () => {
    const dir = realpathSync(mkdtempSync(join(tmpdir(), 'colibri-consent-')));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    mkdirSync(join(dir, 'app', '.colibri'), { recursive: true });
    symlinkSync(join(dir, 'app'), join(dir, 'link'));
    const file = (name: string): string => join(dir, name, '.colibri', 'switchboard.json');
    expect(projectOf(file('link'))).toBe(join(dir, 'app'));
    expect(judged(basis, [approve(basis, file('app'))], file('link')).standing).toBe('approved');
  });
});

describe('an approval from before', () => {
  const old = (value: unknown = basis, file = FILE): Approval => ({
    digest: connectionDigest(serverIn(parse(value))),
    server: 'git',
    file,
    at: 'then',
  });

  test('starts the server without anything that its keys grant', () => {
    const value = changed({ trustHints: true, interactive: true, tools: { idempotent: ['*'] } });
    const one = judged(value, [old(value)]);
    expect(one.standing).toBe('old');
    expect(one.server).toMatchObject({
      trustHints: false,
      interactive: false,
      tools: { readOnly: [], idempotent: [], deny: ['delete_repo'] },
      health: { capability: null },
    });
    expect(one.routes).toEqual([]);
    expect(consentNote(one)).toContain('readOnly');
    const stdio = { mcpServers: { git: { command: 'x', inheritEnv: 'all' } } };
    expect(judged(stdio, [old(stdio)]).server.connection).toMatchObject({ inheritEnv: 'minimal' });
  });

  test('counts in the project it was given in, for the connection it was given to', () => {
    expect(judged(basis, [old(basis, '/srv/other/.colibri/switchboard.json')]).standing).toBe('not_approved');
    expect(judged(changed({ url: 'https://evil.example' }), [old()]).standing).toBe('not_approved');
  });

  test('does not come back once there is a new one', () => {
    expect(judged(basis, [old(), approve(changed({ tools: { readOnly: [] } }))]).standing).toBe('changed');
  });
});

describe('a server that was written just now', () => {
  test('is as given only where defaults and routes add nothing', () => {
    const given = { command: 'npx', args: ['-y', 'x'] };
    const ask = (more: object) => {
      const config = parse({ mcpServers: { git: given }, ...more });
      return isAsGiven(serverIn(config), config, given);
    };
    expect(ask({})).toBe(true);
    expect(ask({ defaults: { timeoutMs: 9_000 } })).toBe(true);
    expect(ask({ defaults: { inheritEnv: 'all' } })).toBe(false);
    expect(ask({ defaults: { env: { NODE_OPTIONS: '--require ./evil.js' } } })).toBe(false);
    expect(ask({ routes: { 'find:it': ['git/x'] } })).toBe(false);
  });
});
