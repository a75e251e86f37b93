// The bounds of this room.
export const SWITCHBOARD_LIMITS = {
  /** Retries, cooldowns and intervals of checks are spread by this share, both ways. */
  jitterShare: 0.1,
  /** A server that does not start is tried again after this, doubled each time, */
  retryFirstMs: 1_000,
  /** up to this. */
  retryMaxMs: 60_000,
  /** How often a server that wants credentials is tried again. */
  authRetryMs: 300_000,
  /** After a failed check the next one comes after this, or after its interval if that is shorter. */
  recheckMs: 5_000,
  /** Beyond its timeout: a check nobody reported on by then is asked for again. */
  checkGraceMs: 10_000,
  /** PROBATION ends without a request after this long without one, */
  probationIdleMs: 30_000,
  /** once so many readiness checks in a row have passed. */
  probationPasses: 2,
  /** What a caller is told to wait while another request has the one permit. */
  probationRetryMs: 5_000,
  /** A tick this late means that the machine slept: what happened meanwhile proves nothing about the server. */
  sleptMs: 30_000,
  /** A cancelled call says something about the server only after this much silence. */
  silenceMs: 10_000,
  /** How long a call waits for a server that is being dialled. */
  dialWaitMs: 2_000,
  /** With `whenUnavailable: "hide"`, tools stay listed this long. */
  hideAfterMs: 10_000,
  /** What a caller is told to wait when a server's queue is full. */
  serverBusyRetryMs: 1_000,
  /** Public name of a proxied tool: what the strictest client leaves of 60 after `mcp__colibri__`. */
  publicNameChars: 46,
  /** Hash behind a name that was cut, changed or taken. */
  nameHashChars: 6,
  /** Tools of one server that are listed. */
  toolsPerServer: 1_000,
  /** Nesting and size of a proxied tool's schema. */
  schemaDepth: 64,
  schemaNodes: 20_000,
  /** Local references followed from the root of a schema. */
  schemaRefs: 16,
  /** Nesting of arguments of proxied tools: far beyond what a server reads, far below what cannot be written. */
  proxiedDepth: 1_000,
  /** Levels of arguments in which a string is looked at as JSON. */
  repairDepth: 8,
  /** The switchboard file: characters, servers. */
  switchboardChars: 1024 * 1024,
  switchboardServers: 256,
  /** Its routes, and the providers of one: all of them stand in the record of a call. */
  switchboardRoutes: 256,
  routeProviders: 16,
  /** No provider is tried any more once a call of a route has taken this long. */
  routeMs: 180_000,
  /** UTF-8 bytes of the candidates, and of the attempts, that a refusal shows. */
  routeListBytes: 8 * 1024,
  /** How often the switchboard files and the approvals are looked at. */
  switchboardPollMs: 1_000,
  /** A file that has gone may be put back within this: editors and git replace files by removing them first. */
  switchboardGoneMs: 3_000,
  /** Servers are dialled when a client has opened the connection, or after this. */
  openingWaitMs: 500,
  /** How long the first `tools/list` waits for servers whose tools nobody remembers, and a start for the store. */
  firstListMs: 2_000,
  /** Clients are told of a changed list no more often than this. */
  listChangedMs: 1_000,
  /** How often live states are written for other processes, besides at transitions. */
  statesMs: 5_000,
  /** Records of the switchboard that wait for the ledger. */
  switchboardRecords: 1_024,
  /** UTF-8 bytes of one list of names in a record; a longer one goes in as count and digest. */
  recordListBytes: 8 * 1024,
  /** UTF-8 bytes of a catalogue that is remembered. */
  catalogueBytes: 4 * 1024 * 1024,
  /** Compiled schemas kept of all servers. */
  compiledSchemas: 1_000,
  /** How long an unknown server may take to answer the question for its era before it is greeted the old way. */
  probeMs: 3_000,
  /** A server once found to be of the old era is asked again after this. */
  legacyVerdictMs: 24 * 60 * 60 * 1_000,
  /** Prompts, resources or templates of one server that are listed. */
  listedEntries: 5_000,
  /** Resources remembered with their server because a result has linked to them. */
  linkedResources: 5_000,
  /** How often a server may answer that it needs to know more. */
  inputRounds: 8,
  /** What the client does not wait for: subscriptions, levels. */
  sideRequestMs: 10_000,
  /** Pages of one catalogue. */
  cataloguePages: 1_000,
  /** When the subscription to changes ends it is opened anew after this, doubled each time, */
  listenFirstMs: 1_000,
  /** up to this; after one that lasted as long the count begins anew. */
  listenMaxMs: 60_000,
  /** What a server gets after its stdin was closed, and again after SIGTERM. */
  serverEndStepMs: 2_000,
  /** What a server that a dead process has left gets after SIGTERM. */
  orphanTermMs: 1_000,
  /** Notes of another machine or container about their servers are kept this long. */
  groupNotesMs: 30 * 24 * 60 * 60 * 1_000,
  /** After SIGKILL: how long we look whether the group is gone. */
  killedMs: 1_000,
  /** After the process is gone: how long its last words may take, should a child of it hold the pipe open. */
  lastWordsMs: 250,
  /** What the end of a session over HTTP may take. */
  sessionEndMs: 1_000,
  /** The end of stderr that is kept. */
  serverStderrBytes: 16 * 1024,
  /** Calls of one server that wait for their turn; the next one is told that the server is busy. */
  waitingCalls: 64,
  /** Durations of answered calls from which the percentiles are made. */
  callDurations: 512,
  /** Pause between two readings of a catalogue: some servers say `list_changed` whenever they are asked. */
  relistPauseMs: 1_000,
  /** Beyond a call's timeout: what a connection that drains may take before it is closed anyway. */
  linkDrainGraceMs: 1_000,
  /** How long `close` and `remove` wait for connections that are already told to end. */
  linkCloseMs: 10_000,
  /** Notes of one server on the board. */
  serverNotes: 50,
} as const;
