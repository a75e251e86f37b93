// Which directories hold Colibri's files for a user on this platform. Pure: it reads and creates nothing on disk.

import { isAbsolute, join } from 'node:path';
import type { Env } from '../modes.js';

export interface Directories {
  /** The directory of the database for every project without a `.colibri/` folder of its own. */
  readonly data: string;
  /** The directory of heads (signed checkpoints), approvals and the log file. */
  readonly state: string;
  /** The directory of the user's own switchboard.json. */
  readonly config: string;
}

export const directoriesFor = (platform: NodeJS.Platform, home: string, env: Env): Directories => {
  if (platform === 'darwin') {
    const support = join(home, 'Library', 'Application Support', 'colibri');
    return { data: support, state: join(support, 'state'), config: support };
  }
  // XDG Base Directory Specification: a relative path in an XDG_* variable is invalid and must be ignored.
  const base = (value: string | undefined, ...otherwise: string[]): string =>
    join(value && isAbsolute(value) ? value : join(home, ...otherwise), 'colibri');
  return {
    data: base(env.XDG_DATA_HOME, '.local', 'share'),
    state: base(env.XDG_STATE_HOME, '.local', 'state'),
    config: base(env.XDG_CONFIG_HOME, '.config'),
  };
};

/** Expands a leading `~` to the home directory, for paths that did not pass through a shell. */
export const expandHome = (path: string, home: string): string =>
  path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
