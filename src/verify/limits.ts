// The bounds of a verification: how much is read at a time, how many threads work, how much a verdict shows.
export const VERIFY_LIMITS = {
  /** How many threads check a store. */
  threads: 2,
  /** The height of the subtree that a thread checks at a time: 2 to this power records. */
  verifyChunkLevel: 13,
  /** How many records are read in one snapshot. */
  verifyBatch: 2_048,
  /** How many rows of evidence (tasks, sessions, thoughts …) are read in one snapshot. */
  verifyRows: 500,
  /** How many hashes of a session are read at a time while its root is computed. */
  sessionHashes: 512,
  /** How many thoughts are read at a time while one session is checked. */
  sessionThoughts: 256,
  /** How long a thread works on rows of evidence before it is asked anew. */
  verifyTurnMs: 100,
  /** The memory of a thread for values that live briefly. A batch is garbage as soon as it is checked. */
  youngMemoryMb: 16,
  /** How long a thread that was told to stop may finish the job it is at. Then it is ended by force. */
  threadEndMs: 30_000,
  /** How often the store is read again because a log was opened meanwhile. */
  surveyTries: 5,
  /** The largest file that is read as a signed head. */
  headBytes: 64 * 1024,
  /** How many findings a verdict shows. It counts all of them. */
  verifyFindings: 100,
  /** How many ranges of missing stored arguments are followed to the record that explains them. */
  verifyAbsences: 100_000,
  /** How many places or files a remark names. The rest is a number. */
  namedPlaces: 3,
  /** How much of a stored value a finding quotes. */
  quotedValueChars: 128,
} as const;
