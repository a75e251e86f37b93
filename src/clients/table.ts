// The MCP clients that `colibri init` knows. Those whose servers are plain JSON are described here; the others have a file of their own.
import { dirname, join } from 'node:path';
import { claudeCode } from './claude-code.js';
import { type Around, type Client, type ClientId, entryOf, escapeRegExp, inProject, placesIn } from './client.js';
import { cline } from './cline.js';
import { codex } from './codex.js';
import { copilot } from './copilot.js';
import { gemini, qwen } from './gemini.js';
import { opencode } from './opencode.js';
import { editorDialect, translateJson } from './translate.js';

/** A folder in which programs keep their settings for the user. */
const inSettings = ({ platform, home, env }: Around, ...names: readonly string[]): string =>
  platform === 'darwin'
    ? join(home, 'Library', 'Application Support', ...names)
    : join(env.XDG_CONFIG_HOME || join(home, '.config'), ...names);

/** Cursor starts servers in `/` or the home folder, with its whole environment. */
const cursor: Client = {
  id: 'cursor',
  title: 'Cursor',
  program: 'cursor',
  scopes: ['user', 'project'],
  rules: {
    files: (around) => [
      join(around.home, '.cursor', 'permissions.json'),
      ...inProject(around, '.cursor', 'permissions.json'),
    ],
    // Cursor's allowlist names tools as `server:tool`.
    mentions: (server) => new RegExp(`(?<=")${escapeRegExp(server)}:([^"\\\\]+)(?=")`, 'g'),
    write: (tool) => `colibri:${tool}`,
  },
  restart: 'it starts by itself; look under Customize › MCPs',
  traces: (around) => [join(around.home, '.cursor'), ...inProject(around, '.cursor', 'mcp.json')],
  places: (around) => [
    ...placesIn('project', inProject(around, '.cursor', 'mcp.json')),
    ...placesIn('user', [join(around.home, '.cursor', 'mcp.json')]),
  ],
  entry: entryOf,
  translate: (server, target) => translateJson(server, editorDialect, target),
};

const VSCODE_SERVERS = { format: 'json', keys: ['servers'] } as const;

/**
 * VS Code: JSON with comments. A server of the user profile starts in the home folder and does not know the project, so Colibri's entry
 * belongs in the workspace.
 */
const vscode: Client = {
  id: 'vscode',
  title: 'VS Code',
  program: 'code',
  scopes: ['project', 'user'],
  restart: 'start it from the line above its entry in mcp.json, or MCP: List Servers',
  traces: (around) => [inSettings(around, 'Code', 'User'), ...inProject(around, '.vscode', 'mcp.json')],
  places: (around) => [
    ...placesIn('project', inProject(around, '.vscode', 'mcp.json'), VSCODE_SERVERS),
    ...placesIn('user', [inSettings(around, 'Code', 'User', 'mcp.json')], VSCODE_SERVERS),
  ],
  entry: (launch) => ({ type: 'stdio', ...entryOf(launch) }),
  translate: (server, target) => translateJson(server, editorDialect, target),
};

const desktopFile = (around: Around): string => inSettings(around, 'Claude', 'claude_desktop_config.json');

/**
 * Claude Desktop starts servers in `/` with a minimal environment. It passes the text `${…}` unchanged to a server, which a switchboard
 * file cannot express.
 */
const claudeDesktop: Client = {
  id: 'claude-desktop',
  title: 'Claude Desktop',
  scopes: ['user'],
  restart: 'quit it completely and start it again',
  traces: (around) => [dirname(desktopFile(around))],
  places: (around) => placesIn('user', [desktopFile(around)]),
  entry: entryOf,
  translate: (server, target) =>
    translateJson(server, { variable: () => undefined, inheritEnv: 'minimal', cwd: () => 'root' }, target),
};

export const CLIENTS: Readonly<Record<ClientId, Client>> = {
  'claude-code': claudeCode,
  cursor,
  vscode,
  codex,
  'claude-desktop': claudeDesktop,
  copilot,
  gemini,
  qwen,
  opencode,
  cline,
};
