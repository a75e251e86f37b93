// Says where the switchboard files of a process are, and which of them are in use. This code runs before the first request is answered, so it
// imports little and reads no file.

import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { quietly } from '../../errors.js';

export type FileOrigin = 'environment' | 'project' | 'user';

export interface SwitchboardPlace {
  readonly file: string;
  /** Whose file it is: a project's file comes with a repository, so starting its servers needs consent; the user's own file needs none. */
  readonly origin: FileOrigin;
}

export interface PlaceQuestion {
  /** The path in the environment variable COLIBRI_SWITCHBOARD. */
  readonly named: string | undefined;
  readonly projectDir: string | undefined;
  /** The user's configuration directory. */
  readonly configDir: string;
}

export const SWITCHBOARD_FILE = 'switchboard.json';
const PROJECT_FOLDER = '.colibri';

export const projectFile = (projectDir: string): string => join(projectDir, PROJECT_FOLDER, SWITCHBOARD_FILE);
/** The project's folder, for the path of its switchboard file `<project>/.colibri/switchboard.json`. */
export const folderOf = (file: string): string => dirname(dirname(file));
export const userFile = (configDir: string): string => join(configDir, SWITCHBOARD_FILE);

/** Whose file COLIBRI_SWITCHBOARD names. A file in a `.colibri` folder is a project's under any path: naming the file is not consent. */
export const namedOrigin = (file: string): FileOrigin =>
  basename(dirname(quietly(() => realpathSync(file)) ?? file)) === PROJECT_FOLDER ? 'project' : 'environment';

/** The folder of the files in which each Colibri process of this user notes the process groups that it has started. */
export const groupNotesDir = (stateDir: string): string => join(stateDir, 'groups');

/** The paths where a switchboard file can be; the file that wins comes first. */
export const switchboardPlaces = ({ named, projectDir, configDir }: PlaceQuestion): readonly SwitchboardPlace[] => {
  if (named !== undefined) return [{ file: named, origin: namedOrigin(named) }];
  const user: SwitchboardPlace = { file: userFile(configDir), origin: 'user' };
  return projectDir === undefined ? [user] : [{ file: projectFile(projectDir), origin: 'project' }, user];
};

/** The switchboard files in use, the one that wins first: the file of COLIBRI_SWITCHBOARD even before it exists, others only if they exist. */
export const followedPlaces = (
  question: PlaceQuestion,
  exists: (file: string) => boolean = existsSync,
): readonly SwitchboardPlace[] =>
  switchboardPlaces(question).filter(({ file }) => file === question.named || exists(file));

/** The switchboard file in use that wins over the others. */
export const findSwitchboard = (
  question: PlaceQuestion,
  exists: (file: string) => boolean = existsSync,
): SwitchboardPlace | undefined => followedPlaces(question, exists)[0];
