// Writes a file under a temporary name and then renames it, so that a reader never sees half of the content.
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname } from 'node:path';

/** The permissions of files and folders that only their owner may read. */
export const PRIVATE = 0o600;
export const PRIVATE_FOLDER = 0o700;

interface WriteWholeOptions {
  /** The temporary path of the new content: in the same folder as the file, and used by nobody else. */
  readonly draft: string;
  readonly mode?: number;
  /** If true (the default), the content is on disk before the file gets its name; if false, the file may be empty after a power cut. */
  readonly isDurable?: boolean;
  /** Gives the draft (the file under its temporary name) its final name; a rename if left out. */
  readonly name?: (draft: string, file: string) => void;
}

/**
 * Writes a file completely or not at all, and replaces an existing file unless the function `name` throws. The file under its temporary
 * name (the draft) never stays, so that failures on a full disk do not fill the disk further.
 */
export const writeWhole = (
  file: string,
  fill: (fd: number) => void,
  { draft, mode = PRIVATE, isDurable = true, name = fs.renameSync }: WriteWholeOptions,
): void => {
  fs.rmSync(draft, { force: true }); // a killed process that had this process id may have left a draft
  try {
    const fd = fs.openSync(draft, 'wx', mode);
    try {
      fill(fd);
      if (isDurable) fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
    name(draft, file);
  } finally {
    fs.rmSync(draft, { force: true });
  }
};

/** Replaces a file that other processes may be reading. After a power cut the file may be empty. */
export const replaceFile = (file: string, text: string): void => {
  fs.mkdirSync(dirname(file), { recursive: true, mode: PRIVATE_FOLDER });
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  writeWhole(file, (fd) => fs.writeFileSync(fd, text), { draft, isDurable: false });
};
