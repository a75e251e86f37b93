// What Cursor and VS Code share: variables in entries, and the environment and folder in which servers start. Variables about the
// open folder are replaced only for servers of a project.
import { basename } from 'node:path';
import type { ClientTarget } from './client.js';
import type { Dialect } from './translate.js';

const variable = (inside: string, { kind, around }: ClientTarget): string | undefined => {
  const folder = kind === 'project' ? around.projectDir : undefined;
  switch (inside) {
    case 'userHome':
      return around.home;
    case 'workspaceFolder':
      return folder;
    case 'workspaceFolderBasename':
      return folder && basename(folder);
    case 'pathSeparator':
    case '/':
      return '/';
    default:
      return /^env:[A-Za-z_][A-Za-z0-9_]*$/.test(inside) ? `\${${inside}}` : undefined;
  }
};

export const editorDialect: Dialect = {
  variable,
  inheritEnv: 'all',
  cwd: (scope) => (scope === 'user' ? 'home' : 'session'),
};
