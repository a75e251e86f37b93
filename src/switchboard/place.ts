// Which switchboard file counts, if any. Looked for before the door opens, so it loads nothing and reads no file.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export type Origin = 'environment' | 'project' | 'user';

export interface SwitchboardPlace {
  readonly file: string;
  /** A project's file comes with a repository, so what it starts needs consent; the others are the user's own. */
  readonly origin: Origin;
}

export interface PlaceQuestion {
  /** COLIBRI_SWITCHBOARD. */
  readonly named: string | undefined;
  readonly projectDir: string | undefined;
  /** The user's configuration directory. */
  readonly configDir: string;
}

export const SWITCHBOARD_FILE = 'switchboard.json';

export const projectFile = (projectDir: string): string => join(projectDir, '.colibri', SWITCHBOARD_FILE);
export const userFile = (configDir: string): string => join(configDir, SWITCHBOARD_FILE);

/** So many switchboards one behind the other start none: a server that starts us again would never end. */
export const DEEPEST = 2;

/** A file that was named counts even if it is not there yet; the others only if they are. */
export const findSwitchboard = (
  { named, projectDir, configDir }: PlaceQuestion,
  exists: (file: string) => boolean = existsSync,
): SwitchboardPlace | undefined => {
  if (named !== undefined) return { file: named, origin: 'environment' };
  const project = projectDir === undefined ? undefined : projectFile(projectDir);
  if (project !== undefined && exists(project)) return { file: project, origin: 'project' };
  const user = userFile(configDir);
  return exists(user) ? { file: user, origin: 'user' } : undefined;
};
