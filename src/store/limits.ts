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
  /** How many rows are copied at once from one engine to another. */
  copyRows: 1_000,
  /** The most backups that are kept beside the database. */
  backups: 3,
  /** The longest pause between two tries to get a lock that another process holds. */
  initLockPauseMs: 50,
  /** The longest time to wait for the lock of another store's file, which is opened to read the id of that store. */
  otherStoreMs: 250,
  /** The most table names that are listed when a database is refused because it is not Colibri's. */
  foreignTables: 5,
  /** The most connections that one process opens to a PostgreSQL server, besides the one that shows that the process is alive. */
  connections: 4,
  /** The longest time that opening a connection to a PostgreSQL server may take, and that a transaction waits for a free connection. */
  connectMs: 5_000,
  /** The longest time that a statement on PostgreSQL waits for a lock of another transaction. */
  lockMs: 5_000,
  /** The longest time that a statement on PostgreSQL may run. */
  statementMs: 30_000,
  /** The longest time that a PostgreSQL server may leave a statement without an answer, because it or the network stands still. Then the connection is given up. */
  answerMs: 35_000,
  /** How often a write on PostgreSQL is run again because it collided with another transaction. */
  serverRetries: 10,
  /** The longest time that a write waits for earlier writes of this process to a PostgreSQL server. */
  queueMs: 15_000,
  /** The longest time for which a COMMIT that the server did not answer is looked up. */
  lookUpMs: 15_000,
  /** The pause between two tries to look up a COMMIT that the server did not answer. */
  lookUpPauseMs: 250,
  /** How often a process checks that a PostgreSQL server still has the lock that shows that the process is alive. */
  instanceMs: 10_000,
  /** For how long no new connection is tried after one could not be opened. */
  connectPauseMs: 250,
  /** After how long a caller may try again when the database server could not be reached. */
  serverRetryAfterMs: 2_000,
  /** The longest time that a verification waits for an answer of a database server. */
  serverAnswerMs: 600_000,
  /** The most digits of a number that an error about it quotes. */
  quotedDigits: 40,
} as const;
