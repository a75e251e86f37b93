// VS Code: the key is `servers`, not `mcpServers`, in JSON with comments. A server of the user profile starts in the home folder and
// does not know the project, so Colibri's entry belongs in the workspace.
import { join } from 'node:path';
import { type Around, type Client, entryOf, inProject, placesIn } from './client.js';
import { editorDialect, translateJson } from './translate.js';

const userDir = ({ platform, home, env }: Around): string =>
  platform === 'darwin'
    ? join(home, 'Library', 'Application Support', 'Code', 'User')
    : join(env.XDG_CONFIG_HOME || join(home, '.config'), 'Code', 'User');

const SERVERS = { format: 'json', keys: ['servers'] } as const;

export const vscode: Client = {
  id: 'vscode',
  title: 'VS Code',
  program: 'code',
  scopes: ['project', 'user'],
  restart: 'start it from the line above its entry in mcp.json, or MCP: List Servers',
  traces: (around) => [userDir(around), ...inProject(around, '.vscode', 'mcp.json')],
  places: (around) => [
    ...placesIn('project', inProject(around, '.vscode', 'mcp.json'), SERVERS),
    ...placesIn('user', [join(userDir(around), 'mcp.json')], SERVERS),
  ],
  entry: (launch) => ({ type: 'stdio', ...entryOf(launch) }),
  translate: (server, target) => translateJson(server, editorDialect, target),
};
