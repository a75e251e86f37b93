// The bounds of skills: how large skills may be, how much of a skill is read and shown, how long a change on disk may take to show.
export const SKILL_LIMITS = {
  /** The most files of a skill. The MCP skills extension obliges hosts to take as many. */
  skillFiles: 512,
  /** The most bytes of a skill's files together. The MCP skills extension obliges hosts to take as many. */
  skillBytes: 16 * 1024 * 1024,
  /** The most levels of folders inside a skill. */
  skillDepth: 8,
  /** The most levels of folders that group skills. */
  skillGroupDepth: 3,
  /** The most folders that are searched for skills below one configured folder of skills. */
  skillFolders: 2_000,
  /** The most files and folders that one folder can hold to be searched. A folder with more is not a collection of skills. */
  folderEntries: 20_000,

  /** The most bytes of SKILL.md that are read to find the end of its frontmatter. */
  skillHeadBytes: 64 * 1024,
  /** The most characters with a meaning in YAML in a frontmatter. With more, the YAML parser gets slow. */
  skillYamlMarks: 2_000,
  /** The most levels of nesting in the YAML of a frontmatter. With more, the YAML parser gets slow. */
  skillYamlLevels: 128,
  /** The most levels of nesting in the parsed values of a frontmatter. */
  frontmatterDepth: 32,
  /** The most characters of a skill's name. */
  nameChars: 64,
  /** The most characters of a skill's description. */
  descriptionChars: 1_024,
  /** The most characters of a skill's `compatibility`. */
  compatibilityChars: 500,
  /** The most characters of a skill's `license`. */
  licenseChars: 200,
  /** The most characters of all entries of a list in a frontmatter together, such as `capabilities`. */
  listChars: 800,

  /** The most skill folders that are read at the same time. */
  skillReaders: 8,
  /** The most entries of a folder that are read at a time. */
  folderBatch: 128,
  /** The most bytes of a skill's file that are read at a time while the file is hashed. */
  skillChunkBytes: 256 * 1024,
  /** How many milliseconds the result of a scan for skills counts as current. */
  skillsFreshMs: 2_000,
  /** How many milliseconds a skill that can no longer be read is still listed. Its files may be in the middle of being written. */
  skillSettleMs: 2_000,
  /** How many milliseconds nothing must change in the skill folders before a change is read. */
  skillQuietMs: 250,
  /** How many milliseconds old a file's last change must be for its time stamp to count. Two changes in one clock tick look alike. */
  fileTickMs: 100,
  /** The most folders that are watched for changes of skills. In other folders a change shows at the next use. */
  skillWatches: 256,
  /** The most milliseconds that `skills/get` waits for a skill's digests. */
  skillDigestWaitMs: 2_000,
  /** The most attempts to compute the digest of a skill whose files change meanwhile. */
  digestTries: 3,

  /** The most problems with skills that `skill_list` shows. */
  skillProblems: 50,
  /** The most bytes of all problems together that `skill_list` shows. */
  skillProblemBytes: 10 * 1024,
  /** The most characters of one problem that `skill_list` shows. */
  problemChars: 240,
} as const;
