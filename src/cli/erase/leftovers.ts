// After an erasure: searches the files of the closed store for copies of the erased contents, and says where others may be left.
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { CLI_LIMITS } from '../limits.js';

/** Whether a file holds any of the byte strings. The file is read in pieces, because a store may be large. */
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

/** The places where copies of erased contents are or may be left. The store must be closed: closing the file drops SQLite's locks. */
export const leftoversOf = (path: string, traces: readonly string[]): string[] => [
  ...(holdsAny(path, traces)
    ? [
        `Older copies of the bytes are left in free space of ${path}: with no server running, sqlite3 '${path}' VACUUM clears it.`,
      ]
    : []),
  ...(holdsAny(`${path}-wal`, traces)
    ? [
        'A running process still holds older pages in the write-ahead log; they are removed when it checkpoints that log or ends.',
      ]
    : []),
  ...(existsSync(`${path}.backups`) ? [`Backups in ${path}.backups were not changed and may still hold copies.`] : []),
  'Other backups, clients and proof files that were given away may still have copies.',
];
