// The bounds of this room.
export const VERIFY_LIMITS = {
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
