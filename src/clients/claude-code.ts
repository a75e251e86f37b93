// Claude Code. Every running Claude Code rewrites the file of user and local servers, so that file is changed with the `claude`
// command if it is installed; `.mcp.json` is edited directly. Claude Code expands `${V}` and `${V:-d}`; servers get its whole
// environment.
import { join } from 'node:path';
import type { Around, Client, ClientTarget, OwnCommands, RuleForm } from './client.js';
import { entryOf, escapeRegExp, inProject, placesIn } from './client.js';
import { translateJson } from './translate.js';

const stateFile = ({ env, home }: Around): string => join(env.CLAUDE_CONFIG_DIR || home, '.claude.json');

const settingsDir = ({ env, home }: Around): string => env.CLAUDE_CONFIG_DIR || join(home, '.claude');

export const managedFile = ({ platform }: Pick<Around, 'platform'>): string =>
  platform === 'darwin'
    ? '/Library/Application Support/ClaudeCode/managed-mcp.json'
    : '/etc/claude-code/managed-mcp.json';

const commands: OwnCommands = {
  program: 'claude',
  covers: (scope) => scope !== 'project',
  // `claude mcp add-json` refuses a name that already exists, so the old entry is removed first.
  add: (scope, name, entry, isThere) => [
    ...(isThere ? [['mcp', 'remove', '--scope', scope, name]] : []),
    ['mcp', 'add-json', '--scope', scope, name, JSON.stringify(entry)],
  ],
  remove: (scope, name) => [['mcp', 'remove', '--scope', scope, name]],
};

/** Matches `mcp__server__tool`, `mcp__server` and patterns of hooks. Claude Code replaces special characters in server names with `_`. */
export const mentionsOf = (server: string): RegExp =>
  new RegExp(
    `\\bmcp__${escapeRegExp(server.replace(/[^A-Za-z0-9_-]/g, '_'))}(?:__([A-Za-z0-9_.*-]+))?(?![A-Za-z0-9_-])`,
    'g',
  );

const rules: RuleForm = {
  files: (around) => [
    join(settingsDir(around), 'settings.json'),
    ...inProject(around, '.claude', 'settings.json'),
    ...inProject(around, '.claude', 'settings.local.json'),
  ],
  mentions: mentionsOf,
  write: (tool) => `mcp__colibri__${tool}`,
};

/** Replaces the variable for the project's folder, because other clients do not set it. */
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
  traces: (around) => [stateFile(around), settingsDir(around), ...inProject(around, '.mcp.json')],
  places: (around) => {
    const { projectDir } = around;
    const own = [stateFile(around)];
    return [
      ...placesIn('managed', [managedFile(around)]),
      ...(projectDir === undefined
        ? []
        : placesIn('local', own, { format: 'json', keys: ['projects', projectDir, 'mcpServers'] })),
      ...placesIn('project', inProject(around, '.mcp.json')),
      ...placesIn('user', own),
    ];
  },
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
