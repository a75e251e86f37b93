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

/** An entry that starts a program, as the client writes it. */
const stdioOf = (id: ClientId, args: readonly string[], more: object = {}) => {
  if (id === 'opencode') return { type: 'local', command: ['x', ...args], ...more };
  return id === 'cline'
    ? { transport: { type: 'stdio', command: 'x', args, ...more } }
    : { command: 'x', args, ...more };
};

describe('variables', () => {
  const args = (id: ClientId, arg: string, scope?: ClientScope) =>
    (server(id, stdioOf(id, [arg]), scope).args as string[])[0];

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
    ['copilot', '$V ${W} ${X:-d}', '${V} ${W} ${X:-d}'],
    ['gemini', 'a$V/${W}${X:-d}', 'a${V}/${W}${X:-d}'],
    ['gemini', 'costs $5', 'costs $5'],
    ['qwen', '$V ${W}', '${V} ${W}'],
    ['opencode', 'a{env:V}b$V', 'a${V:-}b$V'],
    ['cline', '$V', '$V'],
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
    ['copilot', '${workspaceFolder:x}', /only the client/],
    ['gemini', '${a.b}', /only the client/],
    ['qwen', '${V:-d}', /only the client/],
    ['opencode', '${V}', /only the client/],
    ['opencode', '{file:~/.key}', /only the client/],
    ['cline', '${V}', /only the client/],
  ] as const)('%s keeps a server with %s', (id, written, why) => {
    expect(translate(id, stdioOf(id, [written]))).toEqual({ left: expect.stringMatching(why) });
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
    const { cwd, inheritEnv } = server(id, stdioOf(id, []), scope);
    return [cwd, inheritEnv];
  };
  expect(of('claude-code', 'project')).toEqual(['..', 'all']);
  expect(of('claude-code', 'user')).toEqual(['/home/me', 'all']);
  expect(of('cursor', 'project')).toEqual(['..', 'all']);
  expect(of('cursor', 'user')).toEqual(['/home/me', 'all']);
  expect(of('vscode', 'user')).toEqual(['/home/me', 'all']);
  expect(of('codex', 'project')).toEqual(['..', 'minimal']);
  expect(of('claude-desktop', 'user')).toEqual(['/', 'minimal']);
  expect(of('copilot', 'project')).toEqual(['..', 'minimal']);
  expect(of('gemini', 'user')).toEqual(['/home/me', 'minimal']);
  expect(of('qwen', 'project')).toEqual(['..', 'all']);
  expect(of('opencode', 'project')).toEqual(['..', 'all']);
  expect(of('cline', 'user')).toEqual(['/home/me', 'all']);
  expect(server('vscode', { command: 'x', cwd: '${workspaceFolder}/a' }).cwd).toBe('/p/a');
  expect(server('copilot', { command: 'x', cwd: '~/a' }).cwd).toBe('/home/me/a');
  // A relative folder is one of the session, and the switchboard file lies in a folder of the project.
  for (const id of ['opencode', 'codex', 'gemini', 'cline'] as const) {
    expect(server(id, stdioOf(id, [], { cwd: 'a/b' })).cwd, id).toBe('../a/b');
    expect(translate(id, stdioOf(id, [], { cwd: 'a/b' }), 'user'), id).toEqual({
      left: expect.stringContaining('relative'),
    });
  }
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
  ['copilot', { type: 'local', command: 'x', tools: [] }, /offers no tools/],
  ['copilot', { type: 'http', url: 'https://x/', oidc: true }, /signs in/],
  ['gemini', { url: 'https://x/', authProviderType: 'google_credentials' }, /signs in/],
  ['qwen', { httpUrl: 'https://x/', oauth: { enabled: true } }, /signs in/],
  ['opencode', { type: 'local', command: [] }, /command is empty/],
  ['opencode', { type: 'local', command: 'x y' }, /"command" is not a list/],
  ['opencode', { type: 'local', command: ['x'], enabled: false }, /switched off/],
  ['opencode', { type: 'remote', url: 'https://x/', oauth: {} }, /signs in/],
  ['cline', { transport: { type: 'stdio', command: 'x' }, disabled: true }, /switched off/],
  ['cline', { transport: 'x' }, /not an object/],
  ['cline', { transport: { type: 'sse', url: 'https://x/' }, oauthClient: { clientId: 'x' } }, /signs in/],
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

test('Copilot, Gemini, Qwen, opencode and Cline: URLs, time-outs, lists of tools', () => {
  const headers = { Authorization: 'Bearer ${T}' };
  const web = { url: 'https://x/mcp', headers };
  expect(
    translate('copilot', {
      type: 'http',
      ...web,
      tools: ['a', 'b'],
      excludeTools: ['b'],
      timeout: 5_000,
      deferTools: 'never',
    }),
  ).toEqual({
    server: { ...web, timeoutMs: 5_000, tools: { allow: ['a', 'b'], deny: ['b'] } },
    changes: ['"deferTools" has no counterpart and is left out'],
  });
  expect(server('copilot', { type: 'local', command: 'x', tools: ['*'] })).not.toHaveProperty('tools');
  expect(
    translate('gemini', { url: 'https://x/mcp', type: 'http', trust: true, description: 'd', includeTools: ['a'] }),
  ).toEqual({
    server: { url: 'https://x/mcp', tools: { allow: ['a'] } },
    changes: ['"trust" has no counterpart and is left out'],
  });
  expect(server('qwen', { httpUrl: 'https://x/mcp', headers, excludeTools: ['a'] })).toEqual({
    ...web,
    tools: { deny: ['a'] },
  });
  expect(
    translate('opencode', { type: 'remote', url: 'https://x/mcp', oauth: false, enabled: true, timeout: 9_000 }),
  ).toEqual({
    server: { url: 'https://x/mcp', timeoutMs: 9_000 },
    changes: [],
  });
  expect(
    server('opencode', stdioOf('opencode', ['a'], { environment: { A: '{env:B}' }, timeout: { request: 2_000 } })),
  ).toEqual({
    command: 'x',
    args: ['a'],
    env: { A: '${B:-}' },
    cwd: '..',
    inheritEnv: 'all',
    timeoutMs: 2_000,
  });
  const cline = { transport: { type: 'streamableHttp', url: 'https://x/mcp' }, timeout: 30, metadata: {} };
  expect(translate('cline', cline)).toEqual({ server: { url: 'https://x/mcp', timeoutMs: 30_000 }, changes: [] });
  expect(server('cline', { url: 'https://x/mcp', transportType: 'http' })).toEqual({ url: 'https://x/mcp' });
});

test('the first of several files that exists is the one that is written', () => {
  const first = (id: ClientId, scope: ClientScope, ...there: readonly string[]) =>
    CLIENTS[id].places({ ...around, isThere: (path) => there.includes(path) }).find((place) => place.scope === scope)
      ?.file;
  expect(first('copilot', 'project')).toBe('/p/.github/mcp.json');
  expect(first('copilot', 'project', '/p/.mcp.json')).toBe('/p/.mcp.json');
  expect(first('opencode', 'user')).toBe('/home/me/.config/opencode/opencode.json');
  expect(first('opencode', 'user', '/home/me/.config/opencode/opencode.jsonc')).toMatch(/jsonc$/);
  expect(first('opencode', 'project')).toBe('/p/opencode.json');
  expect(first('opencode', 'project', '/p/.opencode/opencode.jsonc')).toBe('/p/.opencode/opencode.jsonc');
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
  expect(files('copilot', { env: { COPILOT_HOME: '/x' } })).toContain('user /x/mcp-config.json');
  expect(files('gemini', { env: { GEMINI_CLI_HOME: '/x' } })).toEqual([
    'managed /etc/gemini-cli/settings.json',
    'project /p/.gemini/settings.json',
    'user /x/.gemini/settings.json',
  ]);
  expect(files('qwen', { platform: 'darwin', env: { QWEN_HOME: '/x' } })).toEqual([
    'managed /Library/Application Support/QwenCode/settings.json',
    'project /p/.qwen/settings.json',
    'user /x/settings.json',
  ]);
  expect(files('opencode', { platform: 'darwin', projectDir: undefined })).toContain(
    'user /home/me/.config/opencode/opencode.json',
  );
  expect(files('cline', { env: { CLINE_MCP_SETTINGS_PATH: '/x.json' } })).toEqual(['user /x.json']);
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
