// After `erase` and `prune`: searches the files of the closed store for copies of the removed contents, and says where others may be left.
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { journalsIn, keptJournals } from '../ledger/calls/journal-folder.js';
import { CLI_LIMITS } from './limits.js';
import type { StoreAt } from './place.js';

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

/** Notes for the user: other places than the store's own file where removed contents may be left. */
export const copiesBeside = (path: string, isInWal: boolean): string[] => [
  ...(isInWal
    ? [
        'A running process still holds older pages in the write-ahead log; they are removed when it checkpoints that log or ends.',
      ]
    : []),
  ...(existsSync(`${path}.backups`)
    ? [`Backups in ${path}.backups were not changed and may still hold the removed contents.`]
    : []),
];

/** The places where copies of erased contents are or may be left. The store must be closed: closing the file drops SQLite's locks. */
export const leftoversOf = ({ path, journals }: StoreAt, traces: readonly string[]): string[] => [
  ...(holdsAny(path, traces)
    ? [
        `Older copies of the erased bytes are left in free space of ${path}: with no server running, sqlite3 '${path}' VACUUM clears it.`,
      ]
    : []),
  ...copiesBeside(path, holdsAny(`${path}-wal`, traces)),
  ...[...journalsIn(journals.folderOf()), ...keptJournals(journals.folderOf())]
    .filter((journal) => holdsAny(journal, traces))
    .map(
      (journal) =>
        `A journal still holds the erased bytes; a running process overwrites its own within a minute: ${journal}`,
    ),
  'Other backups, clients and proof files that were given away may still have copies of the erased contents.',
];
