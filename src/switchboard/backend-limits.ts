// Bounds of one backend.

export const BACKEND_LIMITS = {
  /** Calls of one server that wait for their turn; the next one is told that the server is busy. */
  waitingCalls: 64,
  /** Durations of answered calls from which the percentiles are made. */
  durations: 512,
  /** Pause between two readings of a catalogue: some servers say `list_changed` whenever they are asked. */
  relistPauseMs: 1_000,
  /** Beyond a call's timeout: what a connection that drains may take before it is closed anyway. */
  drainGraceMs: 1_000,
  /** How long `close` and `remove` wait for connections that are already told to end. */
  closeMs: 10_000,
  /** Notes of one server on the board. */
  notes: 50,
} as const;
