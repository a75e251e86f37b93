// The bounds of looking for secrets: how far it looks around a sign. They keep hostile text from costing more than its length.
export const REDACT_LIMITS = {
  /** How long a name in front of a value may be to say that the value is a secret. */
  nameChars: 128,
  /** How long user name and password in front of the host of an address may be. */
  loginChars: 1_152,
  /** How long a `${…}` may be that stands for a value and is left as it is. */
  referenceChars: 256,
  /** How far the value of a quoted name may stand on the next line. */
  indentChars: 64,
  /** How far before and behind a colon a token is looked for that has one inside. */
  colonTokenChars: 48,
  /** How far before `value` the name is looked for that says what it is. */
  pairChars: 256,
  /** How long a text may be that is read as JSON, to find secrets in what is escaped there. */
  jsonChars: 262_144,
  /** How many characters are looked at one after the other without asking for memory; longer texts get their own. */
  scratchChars: 32_768,
  /** How far behind the least length of a token a digit is looked for, where a shape asks for one. */
  digitChars: 64,
} as const;
