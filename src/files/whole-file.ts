// A file that is whole under its name, or not there: it is written under another name first. A reader never sees half of it.
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname } from 'node:path';

const PRIVATE = 0o600;
const PRIVATE_FOLDER = 0o700;

interface HowWritten {
  /** Where it is written first: beside the file, and a name that nobody else uses. */
  readonly draft: string;
  readonly mode?: number;
  /** False: a power cut may leave it empty. */
  readonly isDurable?: boolean;
  /** Gives the draft its name. */
  readonly name?: (draft: string, file: string) => void;
}

/** Takes the place of a file of that name unless `name` does not. No draft is left behind: a full disk must not fill up with them. */
export const writeWhole = (
  file: string,
  fill: (fd: number) => void,
  { draft, mode = PRIVATE, isDurable = true, name = fs.renameSync }: HowWritten,
): void => {
  fs.rmSync(draft, { force: true }); // of a process that had our number and was killed
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

/** A file of ours that others read while it is written. It need not outlive the machine's power. */
export const replaceFile = (file: string, text: string): void => {
  fs.mkdirSync(dirname(file), { recursive: true, mode: PRIVATE_FOLDER });
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  writeWhole(file, (fd) => fs.writeFileSync(fd, text), { draft, isDurable: false });
};
