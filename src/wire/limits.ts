// The bounds of the connection to the client: lines, buffers, backlogs.
export const WIRE_LIMITS = {
  /** The most bytes of one JSON-RPC line. A longer line is skipped, and refused if an id is found in it. */
  lineBytes: 10 * 1024 * 1024,
  /** The most bytes of an id that is searched in a line that is too long. A longer id counts as unknown. */
  idBytes: 1_024,
  /** The first size of the buffer for a line that arrives in pieces. The buffer doubles as the line grows. */
  lineBufferBytes: 1_024,
  /** Lines written in the same turn of the event loop leave in one write, at the latest when they have this many characters together. */
  togetherChars: 65_536,
  /** The bytes that may wait on stdout before Colibri stops reading stdin. */
  stdoutBacklogBytes: 1024 * 1024,
  /**
   * The bytes that may wait on stdout before progress and log messages are dropped. A client that is so far behind does not read such
   * messages.
   */
  passingBacklogBytes: 16 * 1024 * 1024,
  /** The most protocol envelopes that the fast lane remembers. A client sends the same envelope with every call. */
  laneEnvelopes: 8,
  /** The most UTF-8 bytes of one page of `skills/list` and `resources/list`. */
  skillPageBytes: 1024 * 1024,
} as const;
