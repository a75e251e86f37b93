// The bounds of the ledger: how many records wait while it is closed, how often a log is signed, how much is pruned at a time.
export const LEDGER_LIMITS = {
  /** The most calls, each with its two records, that wait in memory until the ledger is open. */
  latePairs: 256,
  /** The most outcome records of finished calls that wait in memory while the ledger refuses them. */
  lateOutcomes: 1_024,
  /** How often waiting records are offered to the ledger again. */
  lateRetryMs: 1_000,
  /** The size of the file in which a process writes the intents of its calls before they enter the ledger together with their outcomes. */
  journalBytes: 1024 * 1024,
  /** The most journals that are looked at in one search for what dead processes left: a repository may have brought any number of files. */
  journalsPerSweep: 256,
  /** How long a call may run before its intent is committed to the ledger by itself, so that other processes see that the call runs. */
  earlyIntentMs: 20,
  /** The most turns of the event loop for which outcomes wait for others to share their commit, if more than two calls are in flight. */
  gatherTurns: 4,
  /** Outcomes no longer wait for others once they are this share of the calls in flight. */
  gatherShare: 0.25,
  /** The most records that are read at a time in the search for calls without an outcome. */
  sweepRecords: 2_000,
  /** How many unsigned records make a log due for a signature, once its newest signature is `signGapMs` old. */
  recordsPerCheckpoint: 1_024,
  /** The most logs that one record names. With 141 bytes for each they take less than 60,000 bytes. */
  logsPerRecord: 400,
  /** The most tasks that one record of a migration names. With 130 bytes for each they take less than 60,000 bytes. */
  tasksPerRecord: 400,
  /** The most bytes of the file that says to which store the heads of a log belong. */
  homeBytes: 16_384,
  /** The most backups that are named in the message that a store was deleted and begun anew. */
  namedBackups: 3,
  /** The least time between two signatures of a log that grows fast, and between two tries after a signature failed. */
  signGapMs: 1_000,
  /** After how many failed signatures in a row a log accepts no new calls until it is signed. */
  signTries: 3,
  /** How many of the newest signed heads of a log are kept. Of older heads, one a day is kept. */
  headsKept: 64,
  /** How many signed notes of a log a process remembers as checked: the newest in the store, the newest outside it, and the ones before these. */
  notesKept: 4,
  /** The least time between two removals of old heads and unfinished files by one process. */
  tidyGapMs: 60_000,
  /** The most calls whose stored arguments are pruned in one transaction. A running server waits for one transaction at most. */
  pruneRows: 500,
  /** The most bytes of the words of a call's errors that are kept: messages, data and last lines of stderr together, also of attempts before another server answered. */
  errorBytes: 2_048,
  /** The most bytes of the `data` of a JSON-RPC error that are kept. */
  errorDataBytes: 512,
  /** The most bytes of what a server wrote to stderr before its process ended during a call that are kept. */
  errorStderrBytes: 1_024,
  /** The most characters of an error's words that are searched for secrets; what comes after them is not kept. */
  errorSearchedChars: 65_536,
  /** How many characters are dropped at the end of words that were too long to be searched whole: a secret may have been cut there. */
  errorDroppedChars: 8_192,
  /** The most bytes of stored arguments that are pruned in one transaction, unless those of a single call are larger. */
  pruneBytes: 1024 * 1024,
  /** The most takeovers of tasks, from one project id to the next, that are followed to find the project that owns a task. */
  adoptionSteps: 16,
  /** The most projects with the same name that are considered when a project is given by its name. */
  sameNamedProjects: 20,
} as const;
