// The bounds of this room.
export const SKILL_LIMITS = {
  /** Of a skill: the limits up to which hosts must take it (MCP skills extension). */
  skillFiles: 512,
  skillBytes: 16 * 1024 * 1024,
  /** Folders inside a skill, and folders that group skills. */
  skillDepth: 8,
  skillGroupDepth: 3,
  /** Folders looked at below one folder of skills. */
  skillFolders: 2_000,
  /** SKILL.md up to the end of its frontmatter. */
  skillHeadBytes: 64 * 1024,
  /** Characters of a frontmatter that mean something to YAML, and levels: the parser is slower than linear in both. */
  skillYamlMarks: 2_000,
  skillYamlLevels: 128,
  /** Skills read at a time. */
  skillReaders: 8,
  /** Read from a file at a time while it is hashed. */
  skillChunkBytes: 256 * 1024,
  /** What was seen on disk counts as the truth for this long. */
  skillsFreshMs: 2_000,
  /** A skill that was good and cannot be read now may be in the middle of being written. */
  skillSettleMs: 2_000,
  /** A change on disk is looked at when it has been quiet for this long. */
  skillQuietMs: 250,
  /** Folders watched for changes; beyond it a change shows at the next use. */
  skillWatches: 256,
  /** How long skills/get waits for digests. */
  skillDigestWaitMs: 2_000,
  /** Problems that skill_list shows, and the bytes they may take. */
  skillProblems: 50,
  skillProblemBytes: 10 * 1024,
} as const;
