// The project's folder: made with a .gitignore, because a store beside it holds what agents have said and done.
import { lstatSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Around } from '../../clients/client.js';
import { PROJECT_FILE, projectFilePath, projectFileText } from '../../start/project-file.js';
import { SWITCHBOARD_FILE } from '../../switchboard/config/place.js';
import { readText } from '../text-file.js';
import type { FileChange } from './changes.js';
import { modeFor } from './client-files.js';

const IGNORE_FILE = '.gitignore';
/** What of the folder a repository may hold. */
const SHARED: readonly string[] = [IGNORE_FILE, SWITCHBOARD_FILE, PROJECT_FILE];

const MADE_BY_US = '# Made by colibri init';

const IGNORED = `${MADE_BY_US}: the store is this machine's own, switchboard.json and project.json may be shared.
*
${SHARED.map((name) => `!${name}\n`).join('')}`;

/** One that we made earlier learns what may be shared since; one that a person wrote stays as it is. */
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

/** The project's folder, which makes the store the project's own, and the file that says which project it is. */
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

/** Whether it keeps something out of git: without it the next `git add -A` would commit a store. */
export const isKeepingOut = (file: string): boolean =>
  basename(file) === IGNORE_FILE && readdirSync(dirname(file)).some((name) => !SHARED.includes(name));
