// The variables that Cursor and VS Code share. What depends on the open folder can be filled in where the servers belong to it.
import { basename } from 'node:path';
import type { Target } from './client.js';

export const editorVariable = (inside: string, { kind, around }: Target): string | undefined => {
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
