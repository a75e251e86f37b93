// Finds the switchboard file that a command works on, by the same rules as `serve`.
import { join, resolve } from 'node:path';
import { type Config, workingDirectory } from '../../config.js';
import { resolveProject } from '../../start/project.js';
import { projectKey } from '../../switchboard/config/baselines.js';
import type { SwitchboardPlace } from '../../switchboard/config/place.js';
import { followedPlaces, namedOrigin, projectFile, userFile } from '../../switchboard/config/place.js';
import { isFolder } from '../paths.js';
import type { PlaceOptions } from '../place.js';
import { commandSettings } from '../settings.js';
import { wrong } from '../target.js';

export interface FilePlace extends SwitchboardPlace {
  readonly config: Config;
}

const settings = (project: string | undefined): { config: Config; projectDir: string | undefined } => {
  const config = commandSettings(project);
  const found = resolveProject(config.projectHints);
  return { config, projectDir: found.none ? undefined : found.dir };
};

/** All switchboard files in use, the one with the highest priority first; only the named file if a file was named. */
export const findFiles = ({ project }: PlaceOptions, named?: string): readonly FilePlace[] => {
  const { config, projectDir } = settings(project);
  if (named !== undefined) {
    const file = resolve(workingDirectory(), named);
    return [{ file, origin: namedOrigin(file), config }];
  }
  const question = { named: config.switchboard, projectDir, configDir: config.directories.config };
  return followedPlaces(question).map((place) => ({ ...place, config }));
};

/** The name of the project under which approved tools are kept. */
export const projectKeyOf = ({ project }: PlaceOptions): string => projectKey(settings(project).projectDir);

/** The switchboard file with the highest priority; throws if there is none. */
export const findFile = (options: PlaceOptions, named?: string): FilePlace => {
  const [first] = findFiles(options, named);
  if (first !== undefined) return first;
  throw wrong('There is no switchboard file.', 'Make a switchboard file with `colibri switchboard add`.');
};

/** Which of the two files a command edits. */
export const FILE_SCOPES = ['user', 'project'] as const;
export type FileScope = (typeof FILE_SCOPES)[number];

/** How a person names the file that a command edits. */
export interface FileChoice extends PlaceOptions {
  readonly file?: string;
  readonly scope?: FileScope;
}

/** The user's file or the project's, which need not exist yet. */
const fileOfScope = (scope: FileScope, { project, file }: FileChoice): FilePlace => {
  const { config, projectDir } = settings(project);
  if (file !== undefined) throw wrong('--file and --scope both name a file.', 'Give one of them.');
  if (config.switchboard !== undefined)
    throw wrong('COLIBRI_SWITCHBOARD is set, so no other file is read.', 'Leave out --scope, or unset that variable.');
  if (scope === 'user') return { file: userFile(config.directories.config), origin: 'user', config };
  if (projectDir !== undefined && isFolder(join(projectDir, '.colibri')))
    return { file: projectFile(projectDir), origin: 'project', config };
  throw projectDir === undefined
    ? wrong('There is no project here.', 'Name it with --project <dir>, or take --scope user.')
    : wrong(`${projectDir} has no folder .colibri.`, '`colibri init` makes it; or take --scope user.');
};

/** The file that has what is to be changed, among those in use; if none has it, the one with the highest priority. */
export const fileWith = (choice: FileChoice, has: (place: FilePlace) => boolean): FilePlace => {
  const { file, scope } = choice;
  if (scope !== undefined) return fileOfScope(scope, choice);
  return findFiles(choice, file).find(has) ?? findFile(choice, file);
};

/** The switchboard file in use, else the one to create: the project's if it has a .colibri folder, otherwise the user's. */
export const fileToWrite = (choice: FileChoice): FilePlace => {
  if (choice.scope !== undefined) return fileOfScope(choice.scope, choice);
  const [found] = findFiles(choice, choice.file);
  if (found !== undefined) return found;
  const { config, projectDir } = settings(choice.project);
  return projectDir !== undefined && isFolder(join(projectDir, '.colibri'))
    ? { file: projectFile(projectDir), origin: 'project', config }
    : { file: userFile(config.directories.config), origin: 'user', config };
};
