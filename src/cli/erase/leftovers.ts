// Copies of what was erased: looked for in the files of a store that this process has closed, told where they may be.
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { CLI_LIMITS } from '../limits.js';

/** Whether any of the byte strings is in a file. Reads it piece by piece: a store may be large. */
export const holdsAny = (path: string, traces: readonly string[]): boolean => {
  if (!existsSync(path)) return false;
  const wanted = traces.map((trace) => Buffer.from(trace));
  const overlap = Math.max(0, ...wanted.map((bytes) => bytes.length - 1));
  const window = Buffer.alloc(overlap + CLI_LIMITS.leftoverChunkBytes);
  const fd = openSync(path, 'r');
  try {
    for (let kept = 0; ; ) {
      const read = readSync(fd, window, kept, CLI_LIMITS.leftoverChunkBytes, null);
      if (read === 0) return false;
      const seen = window.subarray(0, kept + read);
      if (wanted.some((bytes) => seen.includes(bytes))) return true;
      kept = Math.min(overlap, seen.length);
      window.copyWithin(0, seen.length - kept, seen.length);
    }
  } finally {
    closeSync(fd);
  }
};

/** Where copies are left, or may be. The store must be closed: closing a file drops SQLite's locks on it. */
export const leftoversOf = (path: string, traces: readonly string[]): string[] => [
  ...(holdsAny(path, traces)
    ? [
        `Older copies of the bytes are left in free space of ${path}: with no server running, sqlite3 '${path}' VACUUM clears it.`,
      ]
    : []),
  ...(holdsAny(`${path}-wal`, traces)
    ? ['A running process still holds older pages in the write-ahead log; they go when it folds it back or ends.']
    : []),
  ...(existsSync(`${path}.backups`) ? [`Backups in ${path}.backups were made before and are not touched.`] : []),
  'Other backups, clients and proof files that were given away may still have copies.',
];
