// The bounds of files that several rooms read and write.
export const FILE_LIMITS = {
  /** How long an unfinished key or head file of a dead process is left alone before it is removed. */
  unfinishedGraceMs: 60_000,
  /** How long an unfinished key or head file is kept at most, even if its process seems to be alive. */
  unfinishedKeptMs: 24 * 60 * 60 * 1_000,
  /** The size of a text file that Colibri reads for its settings: a switchboard file, a client's file, AGENTS.md. */
  textFileBytes: 16 * 1024 * 1024,
  /** The size of a `.git` file and of the files that it points to. */
  gitFileBytes: 64 * 1024,
  /** The length of a note that names an unfinished file: a path. A longer one is not ours and is left alone. */
  draftNoteBytes: 8_192,
  /** How deep a JSON file that a person writes may be nested. */
  switchboardDepth: 64,
} as const;
