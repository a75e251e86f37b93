// Changes files that several commands share. A file is read, changed and replaced while the lock of the user's state directory is held, so
// that two commands at once do not lose each other's changes. Callers prove that they hold the lock by passing a `HeldState`.
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { ColibriError, quietly, systemCode } from '../errors.js';
import { explained } from './explained.js';
import { FILE_LIMITS } from './limits.js';
import { PRIVATE, PRIVATE_FOLDER, writeWhole } from './whole-file.js';

/** Proof that this process holds the lock of a state directory. Only start/state-lock.ts makes one. */
export class HeldState {
  readonly dir: string;

  constructor(dir: string) {
    this.dir = dir;
  }
}

/**
 * The path of a note, a small file that holds the path of a draft (a file's unfinished new version) while the draft is written. It tells a
 * killed command's draft from a user's file.
 */
const noteFile = ({ dir }: HeldState, id: string): string => join(dir, `draft-${id}`);

const draftName = (file: string, id: string): string => `${file}.${id}.part`;

const NOTE = /^draft-([0-9a-f]{12})$/;

/** Removes an unfinished file (a draft) and the note that holds its path. A file whose path does not have the form of a draft's path stays. */
const removeDraft = (note: string, id: string): void => {
  const stats = fs.lstatSync(note);
  const draft = stats.isFile() && stats.size <= FILE_LIMITS.draftNoteBytes ? fs.readFileSync(note, 'utf8') : '';
  const isOurs = isAbsolute(draft) && draft.endsWith(draftName('', id));
  if (isOurs && fs.lstatSync(draft, { throwIfNoEntry: false })?.isFile() === true) fs.rmSync(draft);
  fs.rmSync(note, { force: true });
};

/**
 * Removes the unfinished files (drafts) of killed commands. A note holds the path of each draft. Every draft is written under the lock that
 * this process now holds, so the process that wrote it is dead. A draft that cannot be removed keeps its note, and the next command tries
 * again.
 */
export const removeDrafts = (held: HeldState): void => {
  for (const name of fs.readdirSync(held.dir)) {
    const id = NOTE.exec(name)?.[1];
    if (id === undefined) continue;
    quietly(() => removeDraft(noteFile(held, id), id)); // the next command tries again
  }
};

/** Replaces a file completely or not at all. `fill` writes the new content; `mode` is the permission mode of the new file. */
export const replaceHeld = (held: HeldState, file: string, fill: (fd: number) => void, mode = PRIVATE): void => {
  const id = randomBytes(6).toString('hex');
  const [draft, note] = [draftName(file, id), noteFile(held, id)];
  fs.mkdirSync(dirname(note), { recursive: true, mode: PRIVATE_FOLDER });
  try {
    fs.writeFileSync(note, draft, { mode: PRIVATE, flag: 'wx' });
    writeWhole(file, fill, { draft, mode });
  } finally {
    fs.rmSync(note, { force: true });
  }
};

const textOf = (file: string): string | undefined => {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (thrown) {
    if (systemCode(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
};

/** A file of Colibri's in the state directory, and how its text is parsed. */
export interface StateFile<T> {
  readonly path: string;
  /** Parses the file's text. Throws or returns undefined if the text is not valid. */
  readonly parse: (text: string) => T | undefined;
}

/** The parsed file; undefined if it does not exist. Throws if it exists but cannot be read, because a write must not treat it as empty. */
export const readState = <T>({ path, parse }: StateFile<T>): T | undefined => {
  try {
    const text = textOf(path);
    const value = text === undefined ? undefined : parse(text);
    if (text === undefined || value !== undefined) return value;
  } catch {
    // reported below, like a text that is not valid
  }
  const remedy = 'Nothing was changed. Repair it or move it away.';
  throw new ColibriError('CONFIG_INVALID', `${path} cannot be read or is damaged.`, { remedy });
};

/**
 * Replaces the state file by what `change` returns. If `change` returns undefined, the file is deleted; if it returns its argument, the
 * file stays as it is.
 */
export const changeState = <T extends object>(
  held: HeldState,
  file: StateFile<T>,
  change: (now: T | undefined) => T | undefined,
): void => {
  const now = readState(file);
  const next = change(now);
  if (next === now) return;
  if (next === undefined) fs.rmSync(file.path, { force: true });
  else {
    explained(file.path, () => {
      fs.mkdirSync(dirname(file.path), { recursive: true, mode: PRIVATE_FOLDER });
      replaceHeld(held, file.path, (fd) => fs.writeFileSync(fd, `${JSON.stringify(next, undefined, 2)}\n`));
    });
  }
};
