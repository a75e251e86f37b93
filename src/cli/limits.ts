// The bounds of this room.
export const CLI_LIMITS = {
  /** Such transactions after which the write-ahead log is folded back: each rewrites whole pages. */
  prunesPerCheckpoint: 64,
  /** An export reads so many rows at a time, and so many bytes of arguments: at least one row, however long. */
  exportRows: 250,
  exportBytes: 4 * 1024 * 1024,
  /** A store up to this size is checked whole by the engine; the rest is left to `verify`. */
  doctorCheckBytes: 32 * 1024 * 1024,
  /** Newest records in which open calls of dead processes are looked for. */
  doctorRecords: 20_000,
  /** Of a log file that is read, the whole: a process says once which store it uses. How long a message is news; how many are shown. */
  doctorLogBytes: 2 * 1024 * 1024,
  doctorNewsMs: 24 * 60 * 60 * 1_000,
  doctorMessages: 5,
  /** Free disk space below which it warns, and below which it is a problem. */
  doctorLowDiskBytes: 1_000_000_000,
  doctorNoDiskBytes: 100_000_000,
  /** A write-ahead log beyond this is not being folded back. */
  doctorWalBytes: 512 * 1024 * 1024,
  /** Records that one question goes through unless it asks for all: a tenth of a second or two. */
  lookRecords: 100_000,
  /** Records read at a time, */
  lookFirstPage: 256,
  /** growing up to this. */
  lookPage: 8_192,
  /** Lines of one answer. */
  lookLines: 10_000,
  /** Processes whose lock is asked for. */
  lookInstances: 100,
  /** How often a filter may be repeated. */
  filterValues: 20,
  /** How often new records are looked for while somebody reads along. */
  followMs: 250,
  /** Up to which tasks are counted where an index does it, */
  lookTasks: 10_000,
  /** and where each has to be read. */
  lookRows: 1_000,
  /** Records and thoughts in the history of one task. */
  taskHistory: 500,
  /** Lines of one stored text on a screen. */
  textLines: 200,
  /** How long one `init` waits for another. */
  initLockMs: 30_000,
  /** How long our own start may take before an entry for it is written. */
  initStartMs: 30_000,
  /** How long a client's own command may take to change its file. */
  initCommandMs: 60_000,
  /** Changed lines up to which a difference is worked out line by line; longer ones are shown as a whole. */
  diffLines: 2_000,
  /** How long it waits for one thing to happen before it calls that a failure. */
  demoPatienceMs: 15_000,
  /** How often it looks meanwhile. */
  demoPollMs: 20,
} as const;
