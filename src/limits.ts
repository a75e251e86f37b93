// Every bound in one place: sizes, queues, times. A number that limits something lives here or in the
// environment table of config.ts, never inside the code it limits.

export const LIMITS = {
  /** One JSON-RPC line; a longer one is skipped and refused by the id found in it. */
  lineBytes: 10 * 1024 * 1024,
  /** Bytes waiting on stdout before we stop reading stdin. */
  stdoutBacklogBytes: 1024 * 1024,

  /** How long calls in flight may take once stdin has ended. */
  drainMs: 5_000,
  /** Protocol envelopes remembered for the fast lane: a client sends the same one with every call. */
  laneEnvelopes: 8,

  /** Nesting of arguments of our own tools. */
  argumentDepth: 64,
  /** Names, codes, client fields as they go into a record. */
  nameChars: 128,
  /** The message of an error on the wire. */
  messageChars: 300,
  /** Zod issues reported for one refused call. */
  issues: 20,
  /** RFC 8785 bytes of one record. */
  recordBytes: 65_535,

  /** UTF-8 bytes of one result of ours: clients cut longer ones in the middle. */
  resultBytes: 24 * 1024,
  /** Tasks looked at by one search. */
  searchRows: 5_000,
  /** Leases that a claim finds expired and clears. */
  expiredLeases: 100,

  /** Calls that may share one transaction. */
  groupCalls: 64,
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

  /** Ping and health answer without a receipt rather than wait longer for the ledger. */
  vitalPatienceMs: 250,
  /** Pairs of calls that came before the ledger was open. */
  latePairs: 256,
  /** Outcomes whose effect has happened while the ledger would not take them. */
  lateOutcomes: 1_024,
  /** How often a non-empty backlog is offered to the ledger again. */
  lateRetryMs: 1_000,
  /** How often calls of dead processes are looked for. */
  sweepMs: 60_000,
  /** Records read at a time while looking for open calls. */
  sweepRecords: 2_000,
  /** What a cancelled handler gets to end by itself when the process stops. */
  cancelGraceMs: 1_000,
  /** Beyond the drain: what closing the store may take before the process leaves without it. */
  closeGraceMs: 10_000,
  /** Pause before a failed phase 2 is tried again. */
  phase2RetryMs: 30_000,

  /** A log is signed when it has grown past a multiple of this, */
  recordsPerCheckpoint: 1_024,
  /** and when it has grown at all since this long. */
  signMs: 60_000,
  /** Hashes read at a time while a session is sealed. */
  sealBatch: 1_000,
  /** Newest heads kept beside one a day. */
  headsKept: 64,

  /** The log file in the state directory: so many files of so many bytes. */
  logFiles: 5,
  logFileBytes: 2 * 1024 * 1024,
  /** A rotation that takes longer was left behind by a process that died. */
  rotationMs: 2_000,

  // Verification
  /** Records that a thread checks at a time: a complete subtree of this height. */
  verifyChunkLevel: 13,
  /** Records read in one snapshot. */
  verifyBatch: 2_048,
  /** Evidence rows read in one snapshot. */
  verifyRows: 500,
  /** How long a thread works on evidence rows before it is asked anew. */
  verifyTurnMs: 100,
  /** Findings that a verdict shows; it counts all. */
  verifyFindings: 100,
  /** Stretches of payloads that are gone, followed until the record that explains them. */
  verifyAbsences: 100_000,
} as const;
