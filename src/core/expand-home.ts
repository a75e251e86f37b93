// `~` as a shell reads it, for paths that no shell has seen.
import { join } from 'node:path';

export const expandHome = (path: string, home: string): string =>
  path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
