// The bounds of skills: how large they may be, how much of them is read and shown, how long a change may take to show.
export const SKILL_LIMITS = {
  /** How many files a skill may have. The MCP skills extension obliges hosts to take as many. */
  skillFiles: 512,
  /** The size of a skill. The MCP skills extension obliges hosts to take as much. */
  skillBytes: 16 * 1024 * 1024,
  /** How deep folders inside a skill may be nested. */
  skillDepth: 8,
  /** How deep folders that group skills may be nested. */
  skillGroupDepth: 3,
  /** How many folders are looked at below one folder of skills. */
  skillFolders: 2_000,
  /** How many files and folders one folder may hold. A folder with more is not a collection of skills. */
  folderEntries: 20_000,

  /** How much of SKILL.md is read to find the end of its frontmatter. */
  skillHeadBytes: 64 * 1024,
  /** How many characters with a meaning in YAML a frontmatter may have. The parser gets slow beyond it. */
  skillYamlMarks: 2_000,
  /** How deep the YAML of a frontmatter may be nested. The parser gets slow beyond it. */
  skillYamlLevels: 128,
  /** How deep the values of a frontmatter may be nested. */
  frontmatterDepth: 32,
  /** The length of a skill's name. */
  nameChars: 64,
  /** The length of a skill's description. */
  descriptionChars: 1_024,
  /** The length of a skill's `compatibility`. */
  compatibilityChars: 500,
  /** The length of a skill's `license`. */
  licenseChars: 200,
  /** The length of all entries of a list in a frontmatter together, such as `capabilities`. */
  listChars: 800,

  /** How many skills are read at a time. */
  skillReaders: 8,
  /** How many entries of a folder are read at a time. */
  folderBatch: 128,
  /** How much of a file is read at a time while it is hashed. */
  skillChunkBytes: 256 * 1024,
  /** How long what was seen on disk counts as current. */
  skillsFreshMs: 2_000,
  /** How long a skill that cannot be read any more is still listed. It may be in the middle of being written. */
  skillSettleMs: 2_000,
  /** How long nothing must change on disk before a change is read. */
  skillQuietMs: 250,
  /** How old the last change of a file must be for its time stamp to count. Two changes within one tick of a file system look alike. */
  fileTickMs: 100,
  /** How many folders are watched for changes. In others a change shows at the next use. */
  skillWatches: 256,
  /** How long `skills/get` waits for digests. */
  skillDigestWaitMs: 2_000,
  /** How often the digest of a skill that changes meanwhile is made. */
  digestTries: 3,

  /** How many problems `skill_list` shows. */
  skillProblems: 50,
  /** The size of all problems that `skill_list` shows. */
  skillProblemBytes: 10 * 1024,
  /** The length of one problem that `skill_list` shows. */
  problemChars: 240,
} as const;
