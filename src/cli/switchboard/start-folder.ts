// The folder in which a server that `switchboard add` writes has to start. A server starts in the folder of its file; a person names files
// relative to the folder where the command is typed.
import { existsSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { quietly } from '../../errors.js';
import type { FilePlace } from './place.js';

const IS_DOTTED = /^\.{1,2}(\/|$)/;

/** Whether an argument names something in the folder: `notes.mjs`, `./x` (also before it is there), `--config=x.json`. */
const namesFile = (word: string, folder: string): boolean => {
  const path = word.startsWith('-') ? word.slice(word.indexOf('=') + 1) : word;
  if (path === '' || (path === word && word.startsWith('-')) || path.includes('${') || isAbsolute(path)) return false;
  return IS_DOTTED.test(path) || existsSync(resolve(folder, path));
};

/** A command without a slash is searched on the PATH. */
const isBelowFolder = (command: string, folder: string): boolean => command.includes('/') && namesFile(command, folder);

/**
 * The `cwd` for the entry of a server, undefined if it needs none. In a project's file it is relative, because others have the project
 * elsewhere.
 */
export const startFolder = (
  [command = '', ...args]: readonly string[],
  folder: string,
  { file, origin }: Pick<FilePlace, 'file' | 'origin'>,
): string | undefined => {
  if (!isBelowFolder(command, folder) && !args.some((word) => namesFile(word, folder))) return undefined;
  const own = quietly(() => realpathSync(dirname(file))) ?? dirname(file);
  if (own === folder) return undefined;
  const project = dirname(own);
  const isInProject = origin === 'project' && (folder === project || folder.startsWith(`${project}${sep}`));
  return isInProject ? relative(own, folder) : folder;
};
