// Says where the switchboard files of a process are, and which of them count. It runs before the first request is answered, so it loads
// nothing and reads no file.
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

export type FileOrigin = 'environment' | 'project' | 'user';

export interface SwitchboardPlace {
  readonly file: string;
  /** A project's file comes with a repository, so what it starts needs consent; the others are the user's own. */
  readonly origin: FileOrigin;
}

export interface PlaceQuestion {
  /** COLIBRI_SWITCHBOARD. */
  readonly named: string | undefined;
  readonly projectDir: string | undefined;
  /** The user's configuration directory. */
  readonly configDir: string;
}

export const SWITCHBOARD_FILE = 'switchboard.json';
const PROJECT_FOLDER = '.colibri';

export const projectFile = (projectDir: string): string => join(projectDir, PROJECT_FOLDER, SWITCHBOARD_FILE);
/** The folder of the project that a project's file belongs to. */
export const folderOf = (file: string): string => dirname(dirname(file));
export const userFile = (configDir: string): string => join(configDir, SWITCHBOARD_FILE);

/** A file in a `.colibri` folder comes with a repository, whatever path names it: naming it is not consent. */
export const namedOrigin = (file: string): FileOrigin => {
  try {
    return basename(dirname(realpathSync(file))) === PROJECT_FOLDER ? 'project' : 'environment';
  } catch {
    return basename(dirname(file)) === PROJECT_FOLDER ? 'project' : 'environment';
  }
};

/** The files that note which process groups each Colibri process of this user has started. */
export const groupNotesDir = (stateDir: string): string => join(stateDir, 'groups');

/** Where a file may be, the strongest first. */
export const switchboardPlaces = ({ named, projectDir, configDir }: PlaceQuestion): readonly SwitchboardPlace[] => {
  if (named !== undefined) return [{ file: named, origin: namedOrigin(named) }];
  const user: SwitchboardPlace = { file: userFile(configDir), origin: 'user' };
  return projectDir === undefined ? [user] : [{ file: projectFile(projectDir), origin: 'project' }, user];
};

/** The files that count, the strongest first. A file that was named counts even before it exists; the others only if they exist. */
export const followedPlaces = (
  question: PlaceQuestion,
  exists: (file: string) => boolean = existsSync,
): readonly SwitchboardPlace[] =>
  switchboardPlaces(question).filter(({ file }) => file === question.named || exists(file));

/** The strongest file that counts. */
export const findSwitchboard = (
  question: PlaceQuestion,
  exists: (file: string) => boolean = existsSync,
): SwitchboardPlace | undefined => followedPlaces(question, exists)[0];
