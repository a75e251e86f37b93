// Writes proof files for the tool merkle_root. A repository may ship links under the names that Colibri uses, so nothing is written
// through a link, and the content of a proof has no influence on the name of its file.
import { hash } from 'node:crypto';
import { fstatSync, lstatSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WrittenProof } from '../domains/proofs/root.js';
import { asError, ColibriError, quietly, systemCode } from '../errors.js';
import { assertOpened, FileRefused } from '../files/untrusted-file.js';
import { writeWhole } from '../files/whole-file.js';
import { folderBeside, makeOwnFolder } from '../store/sqlite/beside.js';
import type { StorePlace } from './phase2.js';
import { disk, type NoProject, type Project } from './project.js';

const isFolder = (path: string): boolean => quietly(() => lstatSync(path).isDirectory()) ?? false;

/** The folder of proof files: in the `.colibri` folder of the project if it has one, otherwise beside the store. */
export const proofFolder = (
  project: Project | NoProject,
  { path, throwaway }: Pick<StorePlace, 'path' | 'throwaway'>,
): string => {
  // The proofs of a throw-away store go with the store: its key is gone too when the process ends.
  if (project.none || throwaway !== undefined) return folderBeside(path, 'proofs');
  const own = join(project.dir, '.colibri');
  return isFolder(own) && !disk.isStrangers(own) ? join(own, 'proofs') : folderBeside(path, 'proofs');
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The name of a thought's proof file. An id that is not a UUID was put into the store by somebody else; it is hashed. */
const nameOf = (thoughtId: string): string =>
  `${UUID.test(thoughtId) ? thoughtId : hash('sha256', thoughtId)}.tlog-proof`;

const assertNoLink = (folder: string, file: string): void => {
  if (realpathSync(folder) !== folder) throw new FileRefused('a folder on the way is a symbolic link');
  const there = lstatSync(file, { throwIfNoEntry: false });
  if (there?.isSymbolicLink() === true) throw new FileRefused('it is a symbolic link');
  if (there?.isFile() === false) throw new FileRefused('something else has its name');
};

const put = (folder: string, file: string, text: string): void => {
  makeOwnFolder(folder);
  assertNoLink(folder, file);
  const draft = `${file}.${process.pid}.part`;
  const fill = (fd: number): void => {
    assertOpened(fd, fstatSync(fd), draft); // the folder may have been replaced by a link meanwhile
    writeFileSync(fd, text);
  };
  writeWhole(file, fill, { draft });
};

const reasonOf = (thrown: unknown): string =>
  thrown instanceof FileRefused || thrown instanceof ColibriError
    ? thrown.message
    : `the system says ${String(systemCode(thrown) ?? asError(thrown).message)}`;

/** Writes the proof of a thought to its file, which it replaces. Returns the path, and why nothing was written if that is so. */
export const writeProofFile = (folder: string, thoughtId: string, text: string): WrittenProof => {
  const path = join(folder, nameOf(thoughtId));
  try {
    put(folder, path, text);
    return { path };
  } catch (thrown) {
    return { path, problem: reasonOf(thrown) };
  }
};
