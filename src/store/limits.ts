// The bounds of the store: how long it waits for a lock, how much it does at once, how many backups it keeps.
export const STORE_LIMITS = {
  /** How long a write is retried while another process holds the file. */
  busyMs: 5_000,
  /** The longest pause between two tries of a write while another process holds the file. */
  busyPauseMs: 8,
  /** How long a caller is told to wait after STORE_BUSY. */
  busyRetryAfterMs: 1_000,
  /** After how many commits a worker folds the write-ahead log back into the database. */
  commitsPerCheckpoint: 5_000,
  /** How long the store may work before the event loop runs again. */
  storeTurnMs: 5,
  /** How long the last step of folding back waits for a moment between two commits. */
  foldMs: 50,
  /** How often a process checks that the files of its store are still in place while nothing is written. */
  presenceMs: 1_000,
  /** How many backups are kept beside the database. */
  backups: 3,
  /** The longest pause between two tries to get a lock that another process holds. */
  initLockPauseMs: 50,
  /** How many tables of a database that is not Colibri's the refusal names. */
  foreignTables: 5,
} as const;
