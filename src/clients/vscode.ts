// VS Code: the key is `servers`, not `mcpServers`, in JSON with comments. A server of the user profile starts in the home folder and
// does not know the project, so Colibri's entry belongs in the workspace.
import { join } from 'node:path';
import { type Around, type Client, type ClientPlace, entryOf } from './client.js';
import { editorDialect } from './editor-dialect.js';
import { translateJson } from './translate.js';

const userDir = ({ platform, home, env }: Around): string =>
  platform === 'darwin'
    ? join(home, 'Library', 'Application Support', 'Code', 'User')
    : join(env.XDG_CONFIG_HOME || join(home, '.config'), 'Code', 'User');

const place = (scope: 'project' | 'user', file: string): ClientPlace => ({
  scope,
  file,
  format: 'json',
  keys: ['servers'],
});

export const vscode: Client = {
  id: 'vscode',
  title: 'VS Code',
  program: 'code',
  scopes: ['project', 'user'],
  restart: 'start it from the line above its entry in mcp.json, or MCP: List Servers',
  traces: (around) => [
    userDir(around),
    ...(around.projectDir === undefined ? [] : [join(around.projectDir, '.vscode', 'mcp.json')]),
  ],
  places: (around) => [
    ...(around.projectDir === undefined ? [] : [place('project', join(around.projectDir, '.vscode', 'mcp.json'))]),
    place('user', join(userDir(around), 'mcp.json')),
  ],
  entry: (launch) => ({ type: 'stdio', ...entryOf(launch) }),
  translate: (server, target) => translateJson(server, editorDialect, target),
};
