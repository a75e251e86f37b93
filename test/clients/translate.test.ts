// What each client's server is behind the switchboard.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: as the files have it
import { describe, expect, test } from 'vitest';
import type { ClientId, ClientScope, Translated } from '../../src/clients/client.js';
import { CLIENTS } from '../../src/clients/table.js';

const around = { home: '/home/me', platform: 'linux', env: {}, projectDir: '/p' } as const;

const translate = (id: ClientId, server: unknown, scope: ClientScope = 'project'): Translated =>
  CLIENTS[id].translate(server, { kind: scope === 'user' ? 'user' : 'project', around, scope });

const server = (id: ClientId, value: unknown, scope?: ClientScope) => {
  const done = translate(id, value, scope);
  if ('left' in done) throw new Error(done.left);
  return done.server;
};

describe('variables', () => {
  const args = (id: ClientId, arg: string, scope?: ClientScope) =>
    (server(id, { command: 'x', args: [arg] }, scope).args as string[])[0];

  test.each([
    ['claude-code', '${V}', '${V}'],
    ['claude-code', 'a${V:-d}b', 'a${V:-d}b'],
    ['claude-code', '${CLAUDE_PROJECT_DIR}/x', '/p/x'],
    ['claude-code', '${CLAUDE_PROJECT_DIR:-.}', '/p'],
    ['cursor', '${env:V}', '${env:V}'],
    ['cursor', '${userHome}/${workspaceFolderBasename}${pathSeparator}x', '/home/me/p/x'],
    ['vscode', '${workspaceFolder}${/}x', '/p/x'],
    ['claude-desktop', '$V', '$V'],
    ['codex', '$V', '$V'],
  ] as const)('%s: %s', (id, written, wanted) => {
    expect(args(id, written)).toBe(wanted);
  });

  test.each([
    ['claude-code', '${env:V}', /only the client/],
    ['cursor', '${V}', /only the client/],
    ['vscode', '${input:x}', /asks for an input/],
    ['vscode', '${config:a.b}', /only the client/],
    ['claude-desktop', '${HOME}', /only the client/],
    ['codex', '${HOME}', /passes on as it is/],
  ] as const)('%s keeps a server with %s', (id, written, why) => {
    expect(translate(id, { command: 'x', args: [written] })).toEqual({ left: expect.stringMatching(why) });
  });

  test('what depends on the open folder is nothing for a file that every project shares', () => {
    expect(translate('cursor', { command: 'x', args: ['${workspaceFolder}'] }, 'user')).toHaveProperty('left');
    expect(translate('claude-code', { command: 'x', args: ['${CLAUDE_PROJECT_DIR}'] }, 'user')).toHaveProperty('left');
    expect(translate('claude-code', { command: './run.sh' }, 'user')).toEqual({
      left: expect.stringContaining('relative'),
    });
    expect(translate('codex', { command: 'x', args: ['.'] }, 'user')).toEqual({
      left: expect.stringContaining('relative'),
    });
  });
});

test('servers keep the environment and the folder they had', () => {
  const of = (id: ClientId, scope: ClientScope) => {
    const { cwd, inheritEnv } = server(id, { command: 'x' }, scope);
    return [cwd, inheritEnv];
  };
  expect(of('claude-code', 'project')).toEqual(['..', 'all']);
  expect(of('claude-code', 'user')).toEqual(['/home/me', 'all']);
  expect(of('cursor', 'project')).toEqual(['..', 'all']);
  expect(of('cursor', 'user')).toEqual(['/home/me', 'all']);
  expect(of('vscode', 'user')).toEqual(['/home/me', 'all']);
  expect(of('codex', 'project')).toEqual(['..', 'minimal']);
  expect(of('claude-desktop', 'user')).toEqual(['/', 'minimal']);
  expect(server('vscode', { command: 'x', cwd: '${workspaceFolder}/a' }).cwd).toBe('/p/a');
});

test.each([
  ['claude-code', { type: 'http', url: 'https://x/', headersHelper: 'get-token' }, /signs in/],
  ['claude-code', { type: 'http', url: 'https://x/', oauth: { clientId: 'x' } }, /signs in/],
  ['claude-code', { type: 'ws', url: 'wss://x/' }, /type "ws"/],
  ['cursor', { command: 'x', envFile: '.env' }, /envFile/],
  ['vscode', { command: 'x', env: { A: null } }, /something other than text/],
  ['vscode', { type: 'http', url: 'unix:///run/x.sock' }, /neither http nor https/],
  ['vscode', { command: 'x', args: 'a b' }, /"args" is not a list/],
  ['codex', { url: 'https://x/', http_headers_helper: 'x' }, /signs in/],
  ['codex', { command: 'x', enabled: false }, /switched off/],
  ['codex', { command: 'x', env_vars: [{ name: 'A', source: 'remote' }] }, /another machine/],
  ['codex', { command: 'x', environment_id: 'box' }, /runs elsewhere/],
  ['claude-desktop', {}, /neither "command" nor "url"/],
  ['claude-desktop', 'nonsense', /not an object/],
] as const)('%s keeps %j', (id, value, why) => {
  expect(translate(id, value)).toEqual({ left: expect.stringMatching(why) });
});

test('numbers, time-outs and keys that nobody here knows', () => {
  expect(
    translate('claude-code', { command: 'x', args: [1], env: { PORT: 8080, ON: true }, timeout: 5, alwaysLoad: true }),
  ).toEqual({
    server: {
      command: 'x',
      args: ['1'],
      env: { PORT: '8080', ON: 'true' },
      cwd: '..',
      inheritEnv: 'all',
      timeoutMs: 1_000,
    },
    changes: ['"alwaysLoad" has no counterpart and is left out'],
  });
});

test('Codex: tokens and headers from variables, time-outs, lists of tools', () => {
  const value = {
    url: 'https://x/mcp',
    bearer_token_env_var: 'TOKEN',
    http_headers: { 'X-Team': 'a' },
    env_http_headers: { 'X-Key': 'KEY' },
    startup_timeout_sec: 20,
    tool_timeout_sec: 9_999,
    enabled_tools: ['a'],
    required: true,
  };
  expect(translate('codex', value)).toEqual({
    server: {
      url: 'https://x/mcp',
      headers: { 'X-Team': 'a', 'X-Key': '${KEY}', Authorization: 'Bearer ${TOKEN}' },
      health: { startTimeoutMs: 20_000 },
      timeoutMs: 600_000,
      tools: { allow: ['a'] },
    },
    changes: ['"required" has no counterpart and is left out'],
  });
});

test('places by platform and by the clients\u2019 own variables', () => {
  const files = (id: ClientId, more: object = {}) =>
    CLIENTS[id].places({ ...around, ...more }).map(({ scope, file }) => `${scope} ${file}`);
  expect(files('claude-code')).toEqual([
    'managed /etc/claude-code/managed-mcp.json',
    'local /home/me/.claude.json',
    'project /p/.mcp.json',
    'user /home/me/.claude.json',
  ]);
  expect(files('claude-code', { env: { CLAUDE_CONFIG_DIR: '/c' }, projectDir: undefined })).toContain(
    'user /c/.claude.json',
  );
  expect(files('codex', { env: { CODEX_HOME: '/x' } })).toContain('user /x/config.toml');
  expect(files('vscode', { platform: 'darwin' })).toContain(
    'user /home/me/Library/Application Support/Code/User/mcp.json',
  );
  expect(files('claude-desktop', { platform: 'darwin' })).toEqual([
    'user /home/me/Library/Application Support/Claude/claude_desktop_config.json',
  ]);
  expect(files('claude-desktop', { env: { XDG_CONFIG_HOME: '/cfg' } })).toEqual([
    'user /cfg/Claude/claude_desktop_config.json',
  ]);
});
