import { describe, expect, it } from 'vitest';
import { parseSwitchboard } from './config.js';
import { problemText } from './problem.js';

const around = {
  file: 'sb.json',
  env: { API_KEY: 'k', EMPTY: '', HOST: 'example.org' },
  configDir: '/srv/app/.colibri',
};
const parse = (value: unknown, more: Partial<typeof around> = {}) =>
  parseSwitchboard(typeof value === 'string' ? value : JSON.stringify(value, undefined, 2), { ...around, ...more });
const complaints = (value: unknown, kind: 'errors' | 'warnings' = 'errors') => parse(value)[kind].map(problemText);
const inServer = (value: object, kind?: 'errors' | 'warnings') =>
  complaints({ mcpServers: { a: { command: 'x', ...value } } }, kind).map((line) => line.replace(/^\S+ /, ''));

describe('errors name line, column and key', () => {
  it('of the text', () => {
    expect(complaints('{\n  "mcpServers": {\n    "a": { "command": x }\n  }\n}')).toEqual([
      'sb.json:3:23 "x" is not a JSON value; strings and keys need double quotes',
    ]);
    expect(complaints('[]')).toEqual(['sb.json:1:1 must be an object with the key "mcpServers"']);
    expect(complaints(`{"a": "${'x'.repeat(1024 * 1024)}"}`)).toEqual([
      'sb.json:1:1 is longer than 1048576 characters',
    ]);
  });

  it('of the servers as a whole', () => {
    expect(complaints('{}')).toEqual(['sb.json:1:1 mcpServers: must be an object with the servers by name']);
    expect(complaints('{"mcpServers": []}')).toEqual([
      'sb.json:1:16 mcpServers: must be an object with the servers by name',
    ]);
    expect(complaints('{"mcpServers": {"a": {}, "": {"command": "x"}, "c": 1}}')).toEqual([
      'sb.json:1:17 mcpServers.a: needs either "command" or "url"',
      'sb.json:1:26 mcpServers[""]: a server\'s name has 1–128 characters, none of them a control character',
      'sb.json:1:48 mcpServers.c: must be an object',
    ]);
  });

  it.each([
    [{ args: 'y' }, 'mcpServers.a.args: must be a list of strings'],
    [{ args: ['y', 1] }, 'mcpServers.a.args[1]: must be a string'],
    [{ env: { PORT: 3000 } }, 'mcpServers.a.env.PORT: must be a string; put it in quotes'],
    [{ command: '' }, 'mcpServers.a.command: must be a string that is not empty'],
    [{ url: 'http://h/' }, 'mcpServers.a: needs either "command" or "url"'],
    [{ type: 'http' }, 'mcpServers.a.type: does not fit a server with "command"'],
    [{ concurrency: 0 }, 'mcpServers.a.concurrency: must be a whole number, 1–1024'],
    [{ timeoutMs: 1e9 }, 'mcpServers.a.timeoutMs: must be a whole number, 1000–600000'],
    [{ prefix: 'no' }, 'mcpServers.a.prefix: must be true or false'],
    [{ whenUnavailable: 'drop' }, 'mcpServers.a.whenUnavailable: must be one of "refuse", "hide"'],
    [{ inheritEnv: 'some' }, 'mcpServers.a.inheritEnv: must be one of "minimal", "all", or a list of strings'],
    [{ health: [] }, 'mcpServers.a.health: must be an object'],
    [
      { health: { liveness: { intervalMs: 1 } } },
      'mcpServers.a.health.liveness.intervalMs: must be a whole number, 1000–86400000',
    ],
    [{ health: { cooldownMs: 900_001 } }, 'mcpServers.a.health: cooldownMaxMs is less than cooldownMs'],
  ])('%j', (value, message) => {
    expect(inServer(value)).toContain(message);
  });

  it('never show a value', () => {
    const secret = 'hunter2';
    const { errors } = parse({
      mcpServers: { a: { url: `${secret}://u:${secret}@h/`, headers: { A: 1 }, prefix: secret } },
    });
    expect(errors.length).toBe(3);
    expect(errors.map(problemText).join()).not.toContain(secret);
  });

  it('leave the other servers readable', () => {
    expect(parse({ mcpServers: { a: { command: 1 }, b: { command: 'x' } } }).servers.map(({ name }) => name)).toEqual([
      'b',
    ]);
  });
});

describe('warnings', () => {
  it('name unknown keys and the nearest known one, at every level', () => {
    expect(inServer({ timeout: 5 }, 'warnings')).toEqual([
      'mcpServers.a.timeout: unknown key, ignored; did you mean "timeoutMs"?',
    ]);
    expect(inServer({ health: { livenes: {} } }, 'warnings')).toEqual([
      'mcpServers.a.health.livenes: unknown key, ignored; did you mean "liveness"?',
    ]);
    expect(complaints({ servers: {}, mcpServers: {} }, 'warnings')).toEqual([
      'sb.json:2:3 servers: unknown key, ignored; did you mean "mcpServers"?',
    ]);
    expect(inServer({ 'x.y': 1 }, 'warnings')).toEqual(['mcpServers.a["x.y"]: unknown key, ignored']);
  });

  it('name keys that say nothing, and keys written twice', () => {
    expect(inServer({ headers: {} }, 'warnings')).toEqual([
      'mcpServers.a.headers: has no effect for a server of kind stdio',
    ]);
    expect(complaints('{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}', 'warnings')).toEqual([
      'sb.json:1:40 mcpServers.a: is written twice; the last one counts',
    ]);
  });
});
