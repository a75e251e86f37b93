import { expect, it } from 'vitest';
import { parseSwitchboard } from './config.js';
import { diffConfigs } from './diff.js';

const parse = (mcpServers: object, env: Record<string, string> = {}) =>
  parseSwitchboard(JSON.stringify({ mcpServers }), { file: 'f', env, configDir: '/c' });
const changes = (before: object, after: object) =>
  Object.fromEntries(diffConfigs(parse(before), parse(after)).map(({ name, change }) => [name, change]));

it('tells added, removed, connection, settings and same apart', () => {
  const before = { same: { command: 'x' }, moved: { command: 'x' }, set: { command: 'x' }, gone: { command: 'x' } };
  const after = {
    new: { url: 'http://h/' },
    same: { command: 'x' },
    moved: { command: 'y' },
    set: { command: 'x', timeoutMs: 2_000 },
  };
  expect(changes(before, after)).toEqual({
    new: 'added',
    same: 'same',
    moved: 'connection',
    set: 'settings',
    gone: 'removed',
  });
});

it.each([{ args: ['1'] }, { env: { A: '1' } }, { cwd: '/x' }, { inheritEnv: 'all' }])(
  '%j is a connection key',
  (more) => {
    expect(changes({ a: { command: 'x' } }, { a: { command: 'x', ...more } })).toEqual({ a: 'connection' });
  },
);

it.each([{ health: { cooldownMs: 2_000 } }, { tools: { deny: ['x'] } }, { prefix: false }, { validate: 'off' }])(
  '%j is none',
  (more) => {
    expect(changes({ a: { command: 'x' } }, { a: { command: 'x', ...more } })).toEqual({ a: 'settings' });
  },
);

it('a value that changed in the environment is another connection', () => {
  const server = { a: { url: '$'.concat('{URL}') } };
  const [change] = diffConfigs(parse(server, { URL: 'http://a/' }), parse(server, { URL: 'http://b/' }));
  expect(change?.change).toBe('connection');
});

it('a disabled server is not there', () => {
  expect(changes({ a: { command: 'x' } }, { a: { command: 'x', disabled: true } })).toEqual({ a: 'removed' });
  expect(changes({ a: { command: 'x', disabled: true } }, { a: { command: 'x' } })).toEqual({ a: 'added' });
});

it('the order of servers changes nothing', () => {
  const a = { command: 'x' };
  expect(changes({ a, b: a }, { b: a, a })).toEqual({ a: 'same', b: 'same' });
});
