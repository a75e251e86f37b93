// Reads and writes a switchboard file for the commands that edit one.
import { dirname } from 'node:path';
import { quietly } from '../../errors.js';
import type { HeldState } from '../../files/held-file.js';
import { folderOf } from '../../switchboard/config/place.js';
import { assertInside, makeFolders, readText, replaceText } from '../text-file.js';
import type { FilePlace } from './place.js';

/** The file's text. A project's file must really be in the project: a repository may contain a link to another file of the user. */
export const readInside = ({ file, origin }: FilePlace): string | undefined => {
  const project = origin === 'project' ? folderOf(file) : undefined;
  assertInside(file, project);
  return readText(file, project);
};

export const writeInside = (held: HeldState, { file }: FilePlace, text: string): void => {
  makeFolders(dirname(file));
  replaceText(held, file, text);
};

/** Whether the file's text has something. A text that cannot be read has nothing; whoever edits it is told why. */
export const isIn =
  (has: (text: string | undefined) => boolean) =>
  (place: FilePlace): boolean =>
    quietly(() => has(readInside(place))) === true;
