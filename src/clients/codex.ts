// Codex: its file is TOML. Servers get a few environment variables and those named in `env_vars`; `${…}` is not expanded. The `codex`
// command writes only the user's file, and only the keys `command`, `args` and `env`.
import { join } from 'node:path';
import type { JsonObject } from '../proof/canonical-json.js';
import { mentionsOf } from './claude-code.js';
import {
  type Around,
  type Client,
  type ClientTarget,
  entryOf,
  inProject,
  type OwnCommands,
  placesIn,
  type Translated,
} from './client.js';
import { asMap, asMembers, clampMs, Left, lostKeys, stdioServer, toolFilter, translated } from './translate.js';

const homeDir = ({ env, home }: Around): string => env.CODEX_HOME || join(home, '.codex');

const SERVERS = { format: 'toml', keys: ['mcp_servers'] } as const;

const commands: OwnCommands = {
  program: 'codex',
  covers: (scope) => scope === 'user',
  // `codex mcp add` would replace the whole entry and lose its other keys.
  add: (_scope, name, { command, args, env, ...others }, isThere) => {
    if (isThere || Object.keys(others).length > 0) return undefined;
    const variables = Object.entries((env ?? {}) as Record<string, string>).flatMap(([key, value]) => [
      '--env',
      `${key}=${value}`,
    ]);
    return [['mcp', 'add', name, ...variables, '--', String(command), ...(args as readonly string[])]];
  },
  remove: (_scope, name) => [['mcp', 'remove', name]],
};

/** The names of environment variables in `env_vars`, a list of names or of tables with a name and a source. */
const variableNames = (value: unknown): readonly string[] => {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Left('"env_vars" is not a list');
  return value.map((one) => {
    const { name, source } = typeof one === 'string' ? { name: one, source: undefined } : asMembers(one);
    if (typeof name !== 'string' || source === 'remote')
      throw new Left('"env_vars" names a variable of another machine');
    return name;
  });
};

const SIGNS_IN = ['auth', 'oauth', 'scopes', 'oauth_resource', 'http_headers_helper'];
const APPROVALS = ['default_tools_approval_mode', 'tools'];
const READ = [
  ...['command', 'args', 'env', 'env_vars', 'cwd', 'url', 'bearer_token_env_var', 'http_headers', 'env_http_headers'],
  ...['enabled', 'name', 'startup_timeout_sec', 'startup_timeout_ms', 'tool_timeout_sec'],
  ...['enabled_tools', 'disabled_tools'],
];

const assertMovable = (server: JsonObject): void => {
  if (server.enabled === false) throw new Left('it is switched off there');
  const signIn = SIGNS_IN.find((key) => server[key] !== undefined);
  if (signIn !== undefined) throw new Left(`it signs in interactively ("${signIn}")`);
  if (server.environment_id !== undefined && server.environment_id !== 'local') throw new Left('it runs elsewhere');
  if (JSON.stringify(server).includes('${')) {
    throw new Left(`it holds \${…}, which Codex passes on as it is; a switchboard file cannot do that`);
  }
};

const stdio = (server: JsonObject, target: ClientTarget) => {
  const names = variableNames(server.env_vars);
  const inheritEnv = names.length === 0 ? 'minimal' : names;
  return stdioServer(server, { variable: () => undefined, inheritEnv, cwd: () => 'session' }, target);
};

const http = (server: JsonObject) => {
  const { url, bearer_token_env_var: token } = server;
  if (typeof url !== 'string') throw new Left('it has neither "command" nor "url"');
  const fromEnv = Object.entries(asMap(server.env_http_headers, 'env_http_headers'));
  const headers = {
    ...asMap(server.http_headers, 'http_headers'),
    ...Object.fromEntries(fromEnv.map(([header, name]) => [header, `\${${name}}`])),
    ...(typeof token === 'string' && { Authorization: `Bearer \${${token}}` }),
  };
  return { server: { url, ...(Object.keys(headers).length > 0 && { headers }) }, changes: [] };
};

const seconds = (value: unknown): number | undefined =>
  typeof value === 'number' ? clampMs(value * 1_000) : undefined;

const bounds = (server: JsonObject): JsonObject => {
  const start = seconds(server.startup_timeout_sec);
  const call = seconds(server.tool_timeout_sec);
  const { enabled_tools: enabled, disabled_tools: disabled } = server;
  return {
    ...(start !== undefined && { health: { startTimeoutMs: start } }),
    ...(call !== undefined && { timeoutMs: call }),
    ...toolFilter(enabled, disabled, ['enabled_tools', 'disabled_tools']),
  };
};

const changesOf = (server: JsonObject): readonly string[] => {
  const approvals = APPROVALS.filter((key) => server[key] !== undefined);
  return [
    ...approvals.map((key) => `"${key}" is not moved: set approvals for mcp_servers.colibri`),
    ...lostKeys(server, [...READ, ...APPROVALS, 'environment_id']),
  ];
};

const translate = (value: unknown, target: ClientTarget): Translated =>
  translated(() => {
    const server = asMembers(value);
    assertMovable(server);
    const reached = server.command === undefined ? http(server) : stdio(server, target);
    return { server: { ...reached.server, ...bounds(server) }, changes: [...reached.changes, ...changesOf(server)] };
  });

export const codex: Client = {
  id: 'codex',
  title: 'Codex',
  program: 'codex',
  commands,
  scopes: ['user', 'project'],
  rules: {
    files: (around) => [join(homeDir(around), 'hooks.json'), ...inProject(around, '.codex', 'hooks.json')],
    mentions: mentionsOf,
    write: (tool) => `mcp__colibri__${tool}`,
  },
  restart: 'start a new session; a project file counts once the project is trusted',
  traces: (around) => [homeDir(around), ...inProject(around, '.codex', 'config.toml')],
  places: (around) => [
    ...placesIn('managed', ['/etc/codex/managed_config.toml', '/etc/codex/config.toml'], SERVERS),
    ...placesIn('project', inProject(around, '.codex', 'config.toml'), SERVERS),
    ...placesIn('user', [join(homeDir(around), 'config.toml')], SERVERS),
  ],
  entry: entryOf,
  required: { required: true },
  translate,
};
