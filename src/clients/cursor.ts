// Cursor: one file for the user, one in the project. It starts servers in `/` or the home folder, with its whole environment.
import { join } from 'node:path';
import { type Around, type Client, entryOf, type RuleForm } from './client.js';
import { editorDialect } from './editor-dialect.js';
import { translateJson } from './translate.js';

const userDir = ({ home }: Around): string => join(home, '.cursor');

const inProject = ({ projectDir }: Around, name: string): readonly string[] =>
  projectDir === undefined ? [] : [join(projectDir, '.cursor', name)];

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Cursor's allowlist names tools as `server:tool`. */
const rules: RuleForm = {
  files: (around) => [join(userDir(around), 'permissions.json'), ...inProject(around, 'permissions.json')],
  mentions: (server) => new RegExp(`(?<=")${escaped(server)}:([^"\\\\]+)(?=")`, 'g'),
  write: (tool) => `colibri:${tool}`,
};

export const cursor: Client = {
  id: 'cursor',
  title: 'Cursor',
  program: 'cursor',
  scopes: ['user', 'project'],
  rules,
  restart: 'it starts by itself; look under Customize › MCPs',
  traces: (around) => [userDir(around), ...inProject(around, 'mcp.json')],
  places: (around) => [
    ...inProject(around, 'mcp.json').map((file) => ({
      scope: 'project' as const,
      file,
      format: 'json' as const,
      keys: ['mcpServers'],
    })),
    { scope: 'user', file: join(userDir(around), 'mcp.json'), format: 'json', keys: ['mcpServers'] },
  ],
  entry: entryOf,
  translate: (server, target) => translateJson(server, editorDialect, target),
};
