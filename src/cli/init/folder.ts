// Plans the project's folder `.colibri`, with a .gitignore, because the folder's store contains what agents have said and done.
import { lstatSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Around } from '../../clients/client.js';
import { PROJECT_FILE, projectFilePath, projectFileText } from '../../start/project-file.js';
import { SWITCHBOARD_FILE } from '../../switchboard/config/place.js';
import { readText } from '../text-file.js';
import type { FileChange } from './changes.js';
import { modeFor } from './client-files.js';

const IGNORE_FILE = '.gitignore';
/** The files of the folder `.colibri` that may be committed to a repository. */
const SHARED: readonly string[] = [IGNORE_FILE, SWITCHBOARD_FILE, PROJECT_FILE];

const MADE_BY_US = '# Made by colibri init';

const IGNORED = `${MADE_BY_US}: the store is this machine's own, switchboard.json and project.json may be shared.
*
${SHARED.map((name) => `!${name}\n`).join('')}`;

/**
 * The new text of .gitignore. Adds the project file to a .gitignore that an earlier Colibri wrote; a .gitignore that a person wrote stays
 * unchanged.
 */
const ignoreText = (before: string | undefined): string | undefined => {
  if (before === undefined) return IGNORED;
  const line = `!${PROJECT_FILE}`;
  if (!before.startsWith(MADE_BY_US) || before.split(/\r?\n/).includes(line)) return undefined;
  return `${before}${before.endsWith('\n') ? '' : '\n'}${line}\n`;
};

const change = (file: string, what: string, after: string, around: Around): FileChange => {
  const before = readText(file, around.projectDir);
  return { file, what, before, after, mode: modeFor(file, around), inverse: { kind: 'file' } };
};

/** The changes that create the folder `.colibri`, whose existence puts the store into the project, and the file with the project's id. */
export const folderChange = (around: Around, newId: string): readonly FileChange[] => {
  const { projectDir } = around;
  if (projectDir === undefined) return [];
  const ignore = join(projectDir, '.colibri', IGNORE_FILE);
  const ignored = ignoreText(readText(ignore, projectDir));
  const file = projectFilePath(projectDir);
  const isThere = lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  return [
    ...(ignored === undefined ? [] : [change(ignore, "the project's folder", ignored, around)]),
    ...(isThere ? [] : [change(file, 'which project it is', projectFileText(newId), around)]),
  ];
};

/** True for a .gitignore whose folder contains files to hide: without it the next `git add -A` would commit a store. */
export const isHidingFromGit = (file: string): boolean =>
  basename(file) === IGNORE_FILE && readdirSync(dirname(file)).some((name) => !SHARED.includes(name));
