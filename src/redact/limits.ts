// The bounds of the search for secrets: how far it looks around a sign. They keep the cost of hostile text proportional to its length.
export const REDACT_LIMITS = {
  /** How long a name before a value may be to announce a secret. */
  nameChars: 128,
  /** How long the user name and password before the host of a URL may be. */
  loginChars: 1_152,
  /** How long a `${…}` may be that refers to a value and is left as it is. */
  referenceChars: 256,
  /** How far the value of a quoted name may be indented on the next line. */
  indentChars: 64,
  /** How far before and after a colon a token with a colon inside is searched for. */
  colonTokenChars: 48,
  /** How far before `value` the name that announces a secret is searched for. */
  pairChars: 256,
  /** How long a text may be that is parsed as JSON to find secrets in escaped texts. */
  jsonChars: 262_144,
  /** The length of texts that are scanned in a shared buffer; longer ones get a buffer of their own. */
  scratchChars: 32_768,
  /** How far after the least length of a token a digit is searched for, if its shape requires one. */
  digitChars: 64,
  /** How many names of tools, servers and clients are remembered as they go into records. */
  rememberedNames: 1_024,
  /** How long a name may be to be remembered. */
  rememberedNameChars: 256,
} as const;
