// Claude Code. Its user and local servers are in one file that every running process rewrites, so its own command changes it where
// there is one; `.mcp.json` is an ordinary file. It fills in `${V}` and `${V:-d}`, and servers get its whole environment.
import { join } from 'node:path';
import {
  type Around,
  type Client,
  type ClientPlace,
  type ClientTarget,
  entryOf,
  type OwnCommands,
  type RuleForm,
} from './client.js';
import { translateJson } from './translate.js';

const stateFile = ({ env, home }: Around): string => join(env.CLAUDE_CONFIG_DIR || home, '.claude.json');

const settingsDir = ({ env, home }: Around): string => env.CLAUDE_CONFIG_DIR || join(home, '.claude');

const projectFiles = ({ projectDir }: Around): readonly string[] =>
  projectDir === undefined ? [] : [join(projectDir, '.mcp.json')];

export const managedFile = ({ platform }: Pick<Around, 'platform'>): string =>
  platform === 'darwin'
    ? '/Library/Application Support/ClaudeCode/managed-mcp.json'
    : '/etc/claude-code/managed-mcp.json';

const places = (around: Around): readonly ClientPlace[] => {
  const { projectDir } = around;
  const file = stateFile(around);
  const local: ClientPlace[] =
    projectDir === undefined
      ? []
      : [{ scope: 'local', file, format: 'json', keys: ['projects', projectDir, 'mcpServers'] }];
  const project = projectFiles(around).map(
    (shared): ClientPlace => ({ scope: 'project', file: shared, format: 'json', keys: ['mcpServers'] }),
  );
  return [
    { scope: 'managed', file: managedFile(around), format: 'json', keys: ['mcpServers'] },
    ...local,
    ...project,
    { scope: 'user', file, format: 'json', keys: ['mcpServers'] },
  ];
};

const commands: OwnCommands = {
  program: 'claude',
  covers: (scope) => scope !== 'project',
  // It refuses a name that is there already.
  add: (scope, name, entry, isThere) => [
    ...(isThere ? [['mcp', 'remove', '--scope', scope, name]] : []),
    ['mcp', 'add-json', '--scope', scope, name, JSON.stringify(entry)],
  ],
  remove: (scope, name) => [['mcp', 'remove', '--scope', scope, name]],
};

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** `mcp__server__tool`, `mcp__server`, and the patterns of hooks. Other characters of a server's name are `_` there. */
export const mentionsOf = (server: string): RegExp =>
  new RegExp(
    `\\bmcp__${escaped(server.replace(/[^A-Za-z0-9_-]/g, '_'))}(?:__([A-Za-z0-9_.*-]+))?(?![A-Za-z0-9_-])`,
    'g',
  );

const rules: RuleForm = {
  files: (around) => [
    join(settingsDir(around), 'settings.json'),
    ...(around.projectDir === undefined
      ? []
      : ['settings.json', 'settings.local.json'].map((name) => join(around.projectDir ?? '', '.claude', name))),
  ],
  mentions: mentionsOf,
  write: (tool) => `mcp__colibri__${tool}`,
};

/** The project's folder is known here; under another client the variable would not be set. */
const variable = (inside: string, { kind, around }: ClientTarget): string | undefined => {
  if (/^CLAUDE_PROJECT_DIR(:-.*)?$/s.test(inside)) return kind === 'project' ? around.projectDir : undefined;
  return /^[A-Za-z_][A-Za-z0-9_]*(:-.*)?$/s.test(inside) ? `\${${inside}}` : undefined;
};

export const claudeCode: Client = {
  id: 'claude-code',
  title: 'Claude Code',
  program: 'claude',
  scopes: ['user', 'local', 'project'],
  commands,
  rules,
  restart: 'start a new session, or /mcp › reconnect',
  traces: (around) => [stateFile(around), settingsDir(around), ...projectFiles(around)],
  places,
  switchedOff: (around) => {
    const { projectDir } = around;
    if (projectDir === undefined) return [];
    const own = ['projects', projectDir];
    return [
      { file: join(projectDir, '.claude', 'settings.local.json'), keys: ['disabledMcpjsonServers'] },
      { file: stateFile(around), keys: [...own, 'disabledMcpjsonServers'] },
      { file: stateFile(around), keys: [...own, 'disabledMcpServers'] },
    ];
  },
  entry: (launch) => ({ type: 'stdio', ...entryOf(launch) }),
  translate: (server, target) => translateJson(server, { variable, inheritEnv: 'all', cwd: () => 'session' }, target),
};
