// The bounds of the search for secrets: how far it looks around a sign (`=`, `:`). They keep the cost of hostile text proportional to its
// length.
export const REDACT_LIMITS = {
  /** The most characters of a name that can announce a secret value after it. */
  nameChars: 128,
  /** The most characters of the user name and password before the host of a URL. */
  loginChars: 1_152,
  /** The most characters of a `${…}` that refers to a value and is therefore not removed. */
  referenceChars: 256,
  /** The most characters by which the value of a quoted name may be indented on the next line. */
  indentChars: 64,
  /** The most characters before and after a colon in which a token with a colon inside is searched for. */
  colonTokenChars: 48,
  /** The most characters before the word `value` in which the name that announces a secret is searched for. */
  pairChars: 256,
  /** The most characters of a text that is parsed as JSON to find secrets in escaped texts. */
  jsonChars: 262_144,
  /** The most characters of a text that is scanned in a shared buffer; a longer text gets a buffer of its own. */
  scratchChars: 32_768,
  /** The most characters after the least length of a token in which a digit is searched for, if the token's shape requires one. */
  digitChars: 64,
  /**
   * The most names of tools, servers and clients that are kept in memory, each with its form for records (without secrets, cut to length).
   */
  rememberedNames: 1_024,
  /** The most characters of a name that is kept in memory with its form for records (without secrets, cut to length). */
  rememberedNameChars: 256,
} as const;
