// The bounds of files that the code of several folders reads and writes.
export const FILE_LIMITS = {
  /** How long an unfinished key or head file of a dead process is left alone before it is removed. */
  unfinishedGraceMs: 60_000,
  /** The longest time that an unfinished key or head file is kept, even if the process that writes it seems to be alive. */
  unfinishedKeptMs: 24 * 60 * 60 * 1_000,
  /** The most bytes of a text file that Colibri reads for its settings: a switchboard file, a client's file, AGENTS.md. */
  textFileBytes: 16 * 1024 * 1024,
  /** The most bytes that are read of a `.git` file and of the files that it points to. */
  gitFileBytes: 64 * 1024,
  /** The most bytes of a note that names an unfinished file by its path. A longer note is not Colibri's and is left alone. */
  draftNoteBytes: 8_192,
  /** The most levels to which a JSON file that a person writes may be nested. */
  switchboardDepth: 64,
} as const;
