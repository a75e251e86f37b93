// The bounds of what is hashed: names inside records, and one record as a whole.
export const PROOF_LIMITS = {
  /** The most characters of a public key in the form of C2SP signed notes (vkey). */
  vkeyChars: 4_096,
  /** The most characters of a name, a code or a client's text in a record. */
  nameChars: 128,
  /** The most bytes of one record's canonical text. */
  recordBytes: 65_535,
  /** How many leaves of a page's tree are hashed between two pauses. */
  leavesAtOnce: 1_024,
  /** How many records of a page are hashed between two pauses. */
  recordsAtOnce: 256,
  /** The most faults of one log of a page that are told. */
  pageFaults: 10,
} as const;
