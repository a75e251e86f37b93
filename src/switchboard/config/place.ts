// Says where the switchboard files of a process are, and which of them are in use. This code runs before the first request is answered, so it
// imports little and reads no file.

import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { quietly } from '../../errors.js';

export type FileOrigin = 'environment' | 'project' | 'user';

export interface SwitchboardPlace {
  readonly file: string;
  /** Where the file comes from: servers of a project's file need the user's consent, because a repository may bring the file; others do not. */
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
/** Returns the folder `<project>` for the path of a switchboard file `<project>/.colibri/switchboard.json`. */
export const folderOf = (file: string): string => dirname(dirname(file));
export const userFile = (configDir: string): string => join(configDir, SWITCHBOARD_FILE);

/** The origin of the file that COLIBRI_SWITCHBOARD names. A file in a `.colibri` folder is a project's: naming the file is not consent. */
export const namedOrigin = (file: string): FileOrigin =>
  basename(dirname(quietly(() => realpathSync(file)) ?? file)) === PROJECT_FOLDER ? 'project' : 'environment';

/** The folder in which each Colibri process of this user keeps a file that lists the process groups it has started. */
export const groupNotesDir = (stateDir: string): string => join(stateDir, 'groups');

/** The paths where a switchboard file can be. If two files define the same server, the first path in the list wins. */
export const switchboardPlaces = ({ named, projectDir, configDir }: PlaceQuestion): readonly SwitchboardPlace[] => {
  if (named !== undefined) return [{ file: named, origin: namedOrigin(named) }];
  const user: SwitchboardPlace = { file: userFile(configDir), origin: 'user' };
  return projectDir === undefined ? [user] : [{ file: projectFile(projectDir), origin: 'project' }, user];
};

/** The switchboard files in use; earlier files win over later ones. A file that COLIBRI_SWITCHBOARD names counts even before it exists. */
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
