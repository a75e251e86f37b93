// The bounds of this room.
export const CORE_LIMITS = {
  /** Nesting of arguments of our own tools. */
  argumentDepth: 64,
  /** The message of an error on the wire. */
  messageChars: 300,
  /** Zod issues reported for one refused call. */
  issues: 20,
  /** Calls that may share one transaction. */
  groupCalls: 64,
  /** Ping and health answer without a receipt rather than wait longer for the ledger. */
  vitalPatienceMs: 250,
  /** A file of a skill that resources/read gives out: a line on the wire must hold it twice over. */
  skillReadBytes: 4 * 1024 * 1024,
  /** Progress starts the time of a request anew, up to this in all. */
  proxiedCallMs: 600_000,
} as const;
