// Finds the switchboard file that a command works on, by the same rules as `serve`.
import { resolve } from 'node:path';
import { type Config, workingDirectory } from '../../config.js';
import { resolveProject } from '../../start/project.js';
import type { SwitchboardPlace } from '../../switchboard/config/place.js';
import { findSwitchboard, followedPlaces, namedOrigin, projectFile, userFile } from '../../switchboard/config/place.js';
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

export const findFile = ({ project }: PlaceOptions, named?: string): FilePlace | undefined => {
  const { config, projectDir } = settings(project);
  if (named !== undefined) {
    const file = resolve(workingDirectory(), named);
    return { file, origin: namedOrigin(file), config };
  }
  const question = { named: config.switchboard, projectDir, configDir: config.directories.config };
  const found = findSwitchboard(question);
  return found && { ...found, config };
};

/** All switchboard files in use, the one with the highest priority first; only the named file if a file was named. */
export const findFiles = (options: PlaceOptions, named?: string): readonly FilePlace[] => {
  const found = findFile(options, named);
  if (found === undefined || named !== undefined) return found === undefined ? [] : [found];
  const { config, projectDir } = settings(options.project);
  const question = { named: config.switchboard, projectDir, configDir: config.directories.config };
  return followedPlaces(question).map((place) => ({ ...place, config }));
};

export const assertFile = (place: FilePlace | undefined): FilePlace => {
  if (place !== undefined) return place;
  throw wrong('There is no switchboard file.', 'Make one with `colibri switchboard add`.');
};

/** The switchboard file in use, else the one to create: the project's if it has a .colibri folder, otherwise the user's. */
export const fileToWrite = (options: PlaceOptions, hasFolder: (dir: string) => boolean, named?: string): FilePlace => {
  const found = findFile(options, named);
  if (found !== undefined) return found;
  const { config, projectDir } = settings(options.project);
  const inProject = projectDir !== undefined && hasFolder(projectDir);
  return inProject
    ? { file: projectFile(projectDir), origin: 'project', config }
    : { file: userFile(config.directories.config), origin: 'user', config };
};
