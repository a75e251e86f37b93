// The bounds of this room.
export const STORE_LIMITS = {
  /** How long a write tries again while another process holds the file. */
  busyMs: 5_000,
  /** Longest pause between two such tries. */
  busyPauseMs: 8,
  /** What a caller is told to wait after STORE_BUSY. */
  busyRetryAfterMs: 1_000,
  /** Commits after which the write-ahead log is folded back, by a worker. */
  commitsPerCheckpoint: 5_000,
  /** How long the store works before the event loop gets its turn. */
  storeTurnMs: 5,
  /** How long the last part of a checkpoint waits for its moment between two commits. */
  foldMs: 50,
  /** Backups kept beside the database. */
  backups: 3,
  /** Longest pause between two looks at a lock that another process holds. */
  initLockPauseMs: 50,
} as const;
