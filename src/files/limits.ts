// The bounds of files that several rooms read and write.
export const FILE_LIMITS = {
  /** How long an unfinished key or head file of a process that is gone is left alone before it is removed. */
  unfinishedGraceMs: 60_000,
  /** How long an unfinished key or head file is kept at most, whoever seems to write it. */
  unfinishedKeptMs: 24 * 60 * 60 * 1_000,
  /** How deep a JSON file that a person writes may be nested. */
  switchboardDepth: 64,
} as const;
