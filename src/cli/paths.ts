// Checks what is at a path: a folder, a writable file, a program.
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Env } from '../config.js';

export const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

const may = (path: string, right: number): boolean => {
  try {
    accessSync(path, right);
    return true;
  } catch {
    return false;
  }
};

export const isWritable = (path: string): boolean => may(path, constants.W_OK);

export const isProgram = (path: string): boolean =>
  may(path, constants.X_OK) && statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** The absolute path of a program found in PATH; undefined if there is none. */
export const onPath = (program: string, env: Env): string | undefined =>
  (env.PATH ?? '')
    .split(delimiter)
    .filter(isAbsolute)
    .map((dir) => join(dir, program))
    .find(isProgram);
