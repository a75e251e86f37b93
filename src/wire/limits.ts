// The bounds of this room.
export const WIRE_LIMITS = {
  /** One JSON-RPC line; a longer one is skipped and refused by the id found in it. */
  lineBytes: 10 * 1024 * 1024,
  /** Lines of one turn leave together up to this length. */
  togetherChars: 65_536,
  /** Bytes waiting on stdout before we stop reading stdin. */
  stdoutBacklogBytes: 1024 * 1024,
  /** Bytes waiting on stdout before progress and log messages are dropped: a client so far behind does not read. */
  passingBacklogBytes: 16 * 1024 * 1024,
  /** How long calls in flight may take once stdin has ended. */
  drainMs: 5_000,
  /** Protocol envelopes remembered for the fast lane: a client sends the same one with every call. */
  laneEnvelopes: 8,
  /** UTF-8 bytes of one page of skills/list and resources/list. */
  skillPageBytes: 1024 * 1024,
} as const;
