// A file of ours that others read while it is written.
import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const PRIVATE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** Whole or not at all: a reader never sees half of it. Nobody else may read it. */
export const replaceFile = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true, mode: PRIVATE_FOLDER });
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(draft, text, { mode: PRIVATE, flag: 'wx' });
    renameSync(draft, file);
  } catch (thrown) {
    rmSync(draft, { force: true }); // a full disk must not fill up with drafts
    throw thrown;
  }
};
