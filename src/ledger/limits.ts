// The bounds of this room.
export const LEDGER_LIMITS = {
  /** Pairs of calls that came before the ledger was open. */
  latePairs: 256,
  /** Outcomes whose effect has happened while the ledger would not take them. */
  lateOutcomes: 1_024,
  /** How often a non-empty backlog is offered to the ledger again. */
  lateRetryMs: 1_000,
  /** Records read at a time while looking for open calls. */
  sweepRecords: 2_000,
  /** A log is signed when it has grown past a multiple of this, */
  recordsPerCheckpoint: 1_024,
  /** Newest heads kept beside one a day. */
  headsKept: 64,
  /** Kept arguments that are pruned in one transaction: rows, and bytes of theirs. A server waits that long at most. */
  pruneRows: 500,
  pruneBytes: 1024 * 1024,
} as const;
