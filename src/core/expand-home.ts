// Expands a leading `~` to the home directory, for paths that did not pass through a shell.
import { join } from 'node:path';

export const expandHome = (path: string, home: string): string =>
  path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
