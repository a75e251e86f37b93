// Small files that are whole or not there: keys and heads. Their name appears when their content is on disk, and a
// name that exists is never written again.
import { closeSync, fsyncSync, linkSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** A file, or a folder with the names in it. */
export const syncPath = (path: string): void => {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
};

/** Readable by its owner alone. Throws EEXIST where there is such a file already. */
export const writeOnce = (path: string, text: string): void => {
  const unfinished = `${path}.${process.pid}.part`;
  const fd = openSync(unfinished, 'w', 0o600);
  try {
    writeFileSync(fd, text);
    fsyncSync(fd);
    linkSync(unfinished, path);
  } finally {
    closeSync(fd);
    rmSync(unfinished, { force: true });
  }
  syncPath(dirname(path));
};
