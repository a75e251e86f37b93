// The bounds of this room.
export const PROOF_LIMITS = {
  /** Names, codes, client fields as they go into a record. */
  nameChars: 128,
  /** RFC 8785 bytes of one record. */
  recordBytes: 65_535,
} as const;
