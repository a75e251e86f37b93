// The bounds of the store: how long it waits for a lock, how much it does at once, how many backups it keeps.
export const STORE_LIMITS = {
  /** The longest time for which a write to the database is retried while another process holds the database's lock. */
  busyMs: 5_000,
  /** The longest pause between two tries of a write while another process holds the database's lock. */
  busyPauseMs: 8,
  /** How long a caller is told to wait before it repeats a request that failed with STORE_BUSY. */
  busyRetryAfterMs: 1_000,
  /** After how many commits a worker thread starts a checkpoint, which moves the write-ahead log into the database file. */
  commitsPerCheckpoint: 5_000,
  /** The longest time that the store works before it lets the event loop run again. */
  storeTurnMs: 5,
  /** The longest time that the last step of a write-ahead log checkpoint waits for a moment between two commits. */
  foldMs: 50,
  /** How often a process checks that the files of its database are still in place while nothing is written. */
  presenceMs: 1_000,
  /** For how long after a check of the database's files the write-ahead log is not checked again before a write. */
  presenceFreshMs: 1,
  /** The most backups that are kept beside the database. */
  backups: 3,
  /** The longest pause between two tries to get a lock that another process holds. */
  initLockPauseMs: 50,
  /** The longest time to wait for the lock of another store's file, which is opened to read the id of that store. */
  otherStoreMs: 250,
  /** The most table names that are listed when a database is refused because it is not Colibri's. */
  foreignTables: 5,
} as const;
