// Copilot CLI: JSON with comments. Of a repository it reads one file, `.mcp.json` if there is one (Claude Code reads it too), otherwise
// `.github/mcp.json`. Servers get few environment variables; `$V` and `${V}` are filled in.
import { join } from 'node:path';
import type { JsonObject } from '../proof/canonical-json.js';
import {
  type Around,
  type Client,
  type ClientTarget,
  entryOf,
  inProject,
  placesIn,
  type Translated,
} from './client.js';
import { SHELL_VARIABLE } from './gemini.js';
import {
  addSettings,
  asMembers,
  asTexts,
  type Dialect,
  Left,
  toolFilter,
  translated,
  translateJson,
} from './translate.js';

const homeDir = ({ env, home }: Around): string => env.COPILOT_HOME || join(home, '.copilot');

const repositoryFile = (around: Around): readonly string[] => {
  const shared = inProject(around, '.mcp.json');
  return shared.some((file) => around.isThere?.(file)) ? shared : inProject(around, '.github', 'mcp.json');
};

const dialect: Dialect = {
  pattern: SHELL_VARIABLE,
  variable: (inside) => (/^[A-Za-z_]\w*(:-.*)?$/s.test(inside) ? `\${${inside}}` : undefined),
  inheritEnv: 'minimal',
  cwd: () => 'session',
};

const SIGNS_IN = ['oidc', 'oauthClientId', 'oauthScopes'];

/** The tools that the entry offers; undefined if it offers all of them. */
const offered = (tools: unknown): readonly string[] | undefined => {
  if (tools === undefined) return undefined;
  const list = asTexts(tools, 'tools');
  if (list.length === 0) throw new Left('it offers no tools there');
  return list.includes('*') ? undefined : list;
};

const folder = (cwd: unknown, home: string): JsonObject => {
  if (cwd === undefined) return {};
  return { cwd: typeof cwd === 'string' ? cwd.replace(/^~(?=\/|$)/, home) : cwd };
};

const translate = (value: unknown, target: ClientTarget): Translated =>
  translated(() => {
    const { tools, excludeTools, displayName: _shown, cwd, ...server } = asMembers(value);
    const signIn = SIGNS_IN.find((key) => server[key] !== undefined);
    if (signIn !== undefined) throw new Left(`it signs in interactively ("${signIn}")`);
    const done = translateJson({ ...server, ...folder(cwd, target.around.home) }, dialect, target);
    return addSettings(done, toolFilter(offered(tools), excludeTools, ['tools', 'excludeTools']));
  });

export const copilot: Client = {
  id: 'copilot',
  title: 'Copilot CLI',
  program: 'copilot',
  scopes: ['user', 'project'],
  restart: 'start a new session; a file of the repository counts once the folder is trusted',
  traces: (around) => [homeDir(around), ...inProject(around, '.github', 'mcp.json')],
  places: (around) => [
    ...placesIn('project', repositoryFile(around)),
    ...placesIn('user', [join(homeDir(around), 'mcp-config.json')]),
  ],
  switchedOff: (around) => [
    { file: join(homeDir(around), 'settings.json'), keys: ['disabledMcpServers'] },
    ...inProject(around, '.github', 'copilot', 'settings.json').map((file) => ({
      file,
      keys: ['disabledMcpServers'],
    })),
  ],
  // Its own command writes `local`, an older word for the same, which Claude Code does not know.
  entry: (launch) => ({ type: 'stdio', ...entryOf(launch), tools: ['*'] }),
  translate,
};
