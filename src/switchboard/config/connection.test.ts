// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of the file, not of the code
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseSwitchboard, type ServerConfig } from './config.js';
import { connectionDigest } from './connection.js';
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

describe('variables', () => {
  it('are filled in, with defaults, in every key of the connection', () => {
    const { connection, missing } = serverOf({
      command: '${env:HOST}',
      args: ['--key=${API_KEY}', '${NONE:-two words}', '${EMPTY:-full}', '${EMPTY}', '$HOST'],
      env: { KEY: '${API_KEY}${API_KEY}' },
      cwd: '${NONE:-/opt}/x',
    });
    expect(connection).toEqual({
      kind: 'stdio',
      command: 'example.org',
      args: ['--key=k', 'two words', 'full', '', '$HOST'],
      env: { KEY: 'kk' },
      cwd: '/opt/x',
      inheritEnv: 'minimal',
    });
    expect(missing).toEqual([]);
  });

  it('that are not set are named, once each, and are no error of the file', () => {
    const server = serverOf({ command: 'x', args: ['${NONE}', '${env:NONE}', '${input:token}', '${constructor}'] });
    expect(server.missing).toEqual(['NONE', 'input:token', 'constructor']);
    expect(serverOf({ url: '${NONE}' }).missing).toEqual(['NONE']);
  });

  it('stay as they are written in what is approved', () => {
    const server = serverOf({ command: 'x', env: { KEY: '${API_KEY}' } });
    expect(server.written).toMatchObject({ env: { KEY: '${API_KEY}' } });
  });
});

describe('the digest that is approved', () => {
  const digest = (value: object, configDir = around.configDir) =>
    connectionDigest(parse({ mcpServers: { a: value } }, { configDir }).servers[0] as ServerConfig);
  const basis = { command: 'node', args: ['server.js'], env: { KEY: '${API_KEY}' } };

  it('is the SHA-256 of the RFC 8785 text of the connection as it is written', () => {
    const text =
      '{"args":["server.js"],"command":"node","cwd":"/srv/app/.colibri","env":{"KEY":"${API_KEY}"},"inheritEnv":"minimal","kind":"stdio"}';
    expect(digest(basis)).toBe(createHash('sha256').update(text).digest('hex'));
  });

  it('does not depend on the environment, on other keys or on their order', () => {
    const other = parse({ mcpServers: { a: { timeoutMs: 5_000, ...basis } } }, { env: { API_KEY: 'other' } as never });
    expect(connectionDigest(other.servers[0] as ServerConfig)).toBe(digest(basis));
  });

  it.each([{ command: 'x' }, { args: [] }, { env: {} }, { cwd: 'x' }, { inheritEnv: 'all' }])(
    'changes with %j',
    (more) => {
      expect(digest({ ...basis, ...more })).not.toBe(digest(basis));
    },
  );

  it('is another one in another checkout', () => {
    expect(digest(basis, '/srv/other/.colibri')).not.toBe(digest(basis));
  });
});
