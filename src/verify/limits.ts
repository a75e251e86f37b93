// The bounds of a verification: how much is read at a time, how many threads work, how much a verdict shows.
export const VERIFY_LIMITS = {
  /** The most threads that check a store, if the caller names no other number. */
  threads: 2,
  /** The height of the Merkle subtree that a thread checks in one job; 2 to this power is the most records in a job. */
  verifyChunkLevel: 13,
  /** The most records that are read in one read transaction. */
  verifyBatch: 2_048,
  /** The most records that are read as one text; a text of more than about 128 KB is read more slowly. */
  verifyLines: 192,
  /**
   * The most records with which SQLite's own check of the file includes the table of records. That takes a second for a million; with more
   * records, only what the walk through the logs does not see of the table is checked.
   */
  fileRecords: 100_000,
  /** The most rows of evidence (tasks, sessions, thoughts …) that are read in one read transaction. */
  verifyRows: 500,
  /** The most hashes of thoughts that are read at a time while the Merkle root of a session is computed. */
  sessionHashes: 512,
  /** The most thoughts that are read at a time while one session is checked. */
  sessionThoughts: 256,
  /** The time after which a thread that checks rows of evidence ends its job; the rest is a new job. */
  verifyTurnMs: 100,
  /** The most memory of a thread's young generation, for values that live briefly: a batch is garbage as soon as it is checked. */
  youngMemoryMb: 16,
  /** The most time that a thread that was told to stop may take to finish its job; then the thread is ended by force. */
  threadEndMs: 30_000,
  /**
   * The most statements of records about the length of other logs that are used to order records of different logs. If there are more,
   * some are left out.
   */
  verifySightings: 10_000,
  /**
   * The number of parts into which the temporary file of a verification is split. A part is read whole, so it should have a few megabytes
   * at most.
   */
  scratchBuckets: 256,
  /** How many entries of 32 bytes are collected in memory for each part of the temporary file before they are written. */
  scratchBlockEntries: 128,
  /** The least number of bytes of the temporary file that a thread is given at a time. */
  scratchBatchBytes: 256 * 1024,
  /** How often heads and logs are read at the start of a verification at most; they are read again if a log was created meanwhile. */
  surveyTries: 5,
  /** The most bytes of a file that is read as a signed head. */
  headBytes: 64 * 1024,
  /** The most Merkle roots of other logs that a thread keeps while it checks one range of records. */
  besideRoots: 1_024,
  /** The most levels to which the body of a record, or its stored arguments, may be nested; deeper ones are findings. */
  bodyDepth: 1_000,
  /** The most findings that a verdict shows; all findings are counted. */
  verifyFindings: 100,
  /**
   * The most runs of records with missing stored arguments in a log, and the most records in a run, for which a verification looks for a
   * record that explains why the arguments are missing.
   */
  verifyAbsences: 100_000,
  /** The most record numbers or files that a remark in a verdict names; further ones are only counted. */
  namedPlaces: 3,
  /** The most characters of a stored value that a finding quotes. */
  quotedValueChars: 128,
} as const;
