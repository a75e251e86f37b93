// The bounds of the wire: lines, buffers, backlogs.
export const WIRE_LIMITS = {
  /** The length of one JSON-RPC line. A longer one is skipped, and refused if an id is found in it. */
  lineBytes: 10 * 1024 * 1024,
  /** How long an id may be to be found in a line that is too long. A longer id counts as unknown. */
  idBytes: 1_024,
  /** The first size of the buffer for a line that arrives in pieces. It doubles as the line grows. */
  lineBufferBytes: 1_024,
  /** Lines written in the same turn of the event loop leave in one write up to this length. */
  togetherChars: 65_536,
  /** How much may wait on stdout before Colibri stops reading stdin. */
  stdoutBacklogBytes: 1024 * 1024,
  /** How much may wait on stdout before progress and log messages are dropped. A client that far behind does not read them. */
  passingBacklogBytes: 16 * 1024 * 1024,
  /** How many protocol envelopes the fast lane remembers. A client sends the same one with every call. */
  laneEnvelopes: 8,
  /** The size of one page of `skills/list` and `resources/list`, in UTF-8 bytes. */
  skillPageBytes: 1024 * 1024,
} as const;
