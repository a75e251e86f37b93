// The bounds of what is hashed: names inside records, and one record as a whole.
export const PROOF_LIMITS = {
  /** Longest name, code or text of a client in a record. */
  nameChars: 128,
  /** Longest canonical text of one record. */
  recordBytes: 65_535,
} as const;
