// Cursor: one file for the user, one in the project. It starts servers in `/` or the home folder, with its whole environment.
import { join } from 'node:path';
import { type Around, type Client, entryOf, escapeRegExp, inProject, placesIn, type RuleForm } from './client.js';
import { editorDialect, translateJson } from './translate.js';

const userDir = ({ home }: Around): string => join(home, '.cursor');

/** Cursor's allowlist names tools as `server:tool`. */
const rules: RuleForm = {
  files: (around) => [join(userDir(around), 'permissions.json'), ...inProject(around, '.cursor', 'permissions.json')],
  mentions: (server) => new RegExp(`(?<=")${escapeRegExp(server)}:([^"\\\\]+)(?=")`, 'g'),
  write: (tool) => `colibri:${tool}`,
};

export const cursor: Client = {
  id: 'cursor',
  title: 'Cursor',
  program: 'cursor',
  scopes: ['user', 'project'],
  rules,
  restart: 'it starts by itself; look under Customize › MCPs',
  traces: (around) => [userDir(around), ...inProject(around, '.cursor', 'mcp.json')],
  places: (around) => [
    ...placesIn('project', inProject(around, '.cursor', 'mcp.json')),
    ...placesIn('user', [join(userDir(around), 'mcp.json')]),
  ],
  entry: entryOf,
  translate: (server, target) => translateJson(server, editorDialect, target),
};
