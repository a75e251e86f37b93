// The bounds of links: what a server may cost us in time and memory.

export const LINK_LIMITS = {
  /** How long an unknown server may take to answer the question for its era before it is greeted the old way. */
  probeMs: 3_000,
  /** A server once found to be of the old era is asked again after this. */
  legacyVerdictMs: 24 * 60 * 60 * 1_000,

  /** Progress starts the time of a request anew, up to this in all. */
  requestMs: 600_000,
  /** Pages of one catalogue. */
  listPages: 1_000,
  /** When the subscription to changes ends it is opened anew after this, doubled each time, */
  listenFirstMs: 1_000,
  /** up to this; after one that lasted as long the count begins anew. */
  listenMaxMs: 60_000,

  /** What a server gets after its stdin was closed, and again after SIGTERM. */
  endStepMs: 2_000,
  /** After SIGKILL: how long we look whether the group is gone. */
  killedMs: 1_000,
  /** After the process is gone: how long its last words may take, should a child of it hold the pipe open. */
  lastWordsMs: 250,
  /** What the end of a session over HTTP may take. */
  goodbyeMs: 1_000,

  /** The end of stderr that is kept. */
  stderrBytes: 16 * 1024,
} as const;
