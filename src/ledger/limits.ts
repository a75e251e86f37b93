// The bounds of the ledger: how many records wait while it is closed, how often it is signed, how much is pruned at a time.
export const LEDGER_LIMITS = {
  /** How many calls that came before the ledger was open wait for it, each with its outcome. */
  latePairs: 256,
  /** How many outcomes of calls that have run wait while the ledger refuses them. */
  lateOutcomes: 1_024,
  /** How often waiting records are offered to the ledger again. */
  lateRetryMs: 1_000,
  /** How many records are read at a time in the search for open calls. */
  sweepRecords: 2_000,
  /** A log is signed each time it has grown past a multiple of this many records. */
  recordsPerCheckpoint: 1_024,
  /** How many of the newest signed heads are kept. Of older ones, one a day is kept. */
  headsKept: 64,
  /** How many stored arguments are pruned in one transaction. A running server waits for one transaction at most. */
  pruneRows: 500,
  /** How many bytes of stored arguments are pruned in one transaction. */
  pruneBytes: 1024 * 1024,
  /** How many takeovers of a project's tasks are followed from one to the next. */
  adoptionSteps: 16,
  /** How many projects with the same name are considered when a name is given. */
  sameNamedProjects: 20,
} as const;
