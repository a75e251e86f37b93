// The bounds of this room.
export const FILE_LIMITS = {
  /** A key or head that a killed process did not finish writing goes after this long, and in any case after the second. */
  unfinishedGraceMs: 60_000,
  unfinishedKeptMs: 24 * 60 * 60 * 1_000,
  /** Nesting of a JSON file that a person writes. */
  switchboardDepth: 64,
} as const;
