// The project's folder: made with a .gitignore, because a store beside it holds what agents have said and done.
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Around } from '../../clients/client.js';
import { SWITCHBOARD_FILE } from '../../switchboard/config/place.js';
import { readText } from '../text-file.js';
import type { FileChange } from './changes.js';
import { modeFor } from './client-files.js';

const IGNORE_FILE = '.gitignore';
/** What of the folder a repository may hold. */
const SHARED: readonly string[] = [IGNORE_FILE, SWITCHBOARD_FILE];

const IGNORED = `# Made by colibri init: the store is this machine's own, switchboard.json may be shared.
*
${SHARED.map((name) => `!${name}\n`).join('')}`;

/** The project's folder, which makes the store the project's own. */
export const folderChange = (around: Around): readonly FileChange[] => {
  if (around.projectDir === undefined) return [];
  const file = join(around.projectDir, '.colibri', IGNORE_FILE);
  if (readText(file, around.projectDir) !== undefined) return [];
  const what = "the project's folder";
  return [{ file, what, before: undefined, after: IGNORED, mode: modeFor(file, around), inverse: { kind: 'file' } }];
};

/** Whether it keeps something out of git: without it the next `git add -A` would commit a store. */
export const isKeepingOut = (file: string): boolean =>
  basename(file) === IGNORE_FILE && readdirSync(dirname(file)).some((name) => !SHARED.includes(name));
