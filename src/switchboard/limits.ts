// The bounds of the switchboard: retries and patience with other servers, what is listed of them, what calls may take.
export const SWITCHBOARD_LIMITS = {
  // Health

  /** The share by which retries, cooldowns and intervals of checks are spread, both ways. */
  jitterShare: 0.1,
  /** The pause before a server that does not start is tried again. It doubles each time. */
  retryFirstMs: 1_000,
  /** The longest pause before a server that does not start is tried again. */
  retryMaxMs: 60_000,
  /** How often a server that wants credentials is tried again. */
  authRetryMs: 300_000,
  /** How long a pause a server may ask for (`Retry-After`). A longer one is read as this. */
  retryAfterMs: 3_600_000,
  /** How soon the next check follows a failed one, unless the interval of the check is shorter. */
  recheckMs: 5_000,
  /** How long after its timeout a check that was never reported on is asked for again. */
  checkGraceMs: 10_000,
  /** How long the end of the process waits for the outcome of a capability check whose server is gone to be recorded. */
  checkEndMs: 1_000,
  /**
   * The shortest interval of a capability check that a project's file may ask for; a shorter one is read as this. Two such checks
   * never begin closer together, even if they fail or the server leaves quarantine.
   */
  projectCapabilityMs: 60_000,
  /** How long a server in PROBATION must get no request before checks alone may end its PROBATION. */
  probationIdleMs: 30_000,
  /** How many readiness checks in a row must pass for checks alone to end PROBATION. */
  probationPasses: 2,
  /** How long a caller is told to wait while the one request that PROBATION permits is under way. */
  probationRetryMs: 5_000,
  /** How late a tick must be to mean that the machine slept. What happened meanwhile says nothing about a server. */
  sleptMs: 30_000,
  /** How long a server must have been silent for a cancelled call to count against it. */
  silenceMs: 10_000,
  /** How long tools of a server that does not work stay listed with `whenUnavailable: "hide"`. */
  hideAfterMs: 10_000,
  /** How often live states are written for other processes, besides at each change of state. */
  statesMs: 5_000,
  /** The length of a text about a server as it is written for other processes. */
  stateTextChars: 2_000,
  /** How many health records are read at a time. */
  healthRecords: 500,
  /** From how many of the last answered calls the percentiles of durations are made. */
  callDurations: 512,

  // Calls

  /** How long a call waits for a server that is being dialled. */
  dialWaitMs: 2_000,
  /** How many calls of one server wait for their turn. The next one is told that the server is busy. */
  waitingCalls: 64,
  /** How long a caller is told to wait when the queue of a server is full. */
  serverBusyRetryMs: 1_000,
  /** How deep arguments for tools of other servers may be nested. Servers read far less; far more cannot be written. */
  proxiedDepth: 1_000,
  /** How deep answers, messages and questions of other servers may be nested. What is deeper is dropped, and an answer becomes an error. */
  answerDepth: 1_000,
  /**
   * How much work one message of a server may be. Each value is a step, each list and object two more, each name of a member ten
   * more, because names cost most. A message of more steps is dropped, and an answer becomes an error.
   */
  answerSteps: 2_000_000,
  /** How many questions of one server (elicitation, sampling, roots) may be open at a time. The next one is refused. */
  openQuestions: 8,
  /** In how many levels of the arguments a text is looked at as JSON when arguments are repaired. */
  repairDepth: 8,
  /** How often a server may answer one call by asking for more input. */
  inputRounds: 8,
  /** How long requests that no client waits for may take: subscriptions, log levels, lists of prompts and resources. */
  sideRequestMs: 10_000,

  // Tools and lists

  /** The length of the public name of another server's tool. The strictest client allows 60 characters, `mcp__colibri__` included. */
  publicNameChars: 46,
  /** The length of the hash behind a public name that was cut, changed or taken. */
  nameHashChars: 6,
  /** How many tools of one server are listed. */
  toolsPerServer: 1_000,
  /** How many entries of one list of a server are read: tools, prompts, resources, resource templates. */
  listedEntries: 5_000,
  /** The length of one list of a server, over all of its pages. The rest is not read. */
  listedChars: 16 * 1024 * 1024,
  /** The length of the definition of another server's tool. */
  definitionChars: 512 * 1024,
  /** How many resources of one server are remembered because a result of it has linked to them. */
  linkedResources: 1_000,
  /** How many pages of one list of a server are read. */
  cataloguePages: 1_000,
  /** The size of the list of tools that is remembered of a server. */
  catalogueBytes: 4 * 1024 * 1024,
  /** How deep the schema of another server's tool may be nested. */
  schemaDepth: 64,
  /** How many values the schema of another server's tool may have. */
  schemaNodes: 20_000,
  /** How many local references are followed from the root of a schema. */
  schemaRefs: 16,
  /** The length of a local reference in a schema. A longer one is not followed. */
  schemaRefChars: 1_024,
  /** How many steps one check of arguments against a schema may take. Where they do not suffice, arguments go unchecked. */
  schemaSteps: 50_000,
  /** How many steps are spent on finding schemas that are too costly, each time the tools of a server are listed again. */
  listingSteps: 200_000,
  /** How many known names an unknown one is compared with to find the one that was meant. */
  namesCompared: 500,
  /** How many notes about the tools of one server are shown. */
  serverNotes: 50,
  /** How long the first `tools/list` waits for servers whose tools are not remembered, and for the store. */
  firstListMs: 2_000,
  /** How often clients are told at most that a list has changed. */
  listChangedMs: 1_000,
  /** The pause between two readings of a server's lists. Some servers say `list_changed` whenever they are asked. */
  relistPauseMs: 1_000,

  // The switchboard file

  /** The length of a switchboard file. */
  switchboardChars: 1024 * 1024,
  /** How many servers a switchboard file may have. */
  switchboardServers: 256,
  /** How many routes a switchboard file may have. */
  switchboardRoutes: 256,
  /** How many switchboards may stand one behind the other. One that is deeper starts no servers, because it might start itself for ever. */
  nestedSwitchboards: 2,
  /** How often the switchboard files and the approvals are looked at for changes. */
  switchboardPollMs: 1_000,
  /** How long a switchboard file may be gone before that counts. Editors and git remove a file before they replace it. */
  switchboardGoneMs: 3_000,
  /** How long servers are not dialled while no client has opened the connection. */
  openingWaitMs: 500,

  // Routes

  /** How many providers a route may have. The record of a call names all of them. */
  routeProviders: 16,
  /** How long a call of a route may have taken for another provider to be tried. */
  routeMs: 180_000,
  /** The size of the list of candidates, and of the list of attempts, that a refusal shows. */
  routeListBytes: 8 * 1024,
  /** How much a refusal shows of the reason why a candidate cannot be used. */
  refusalReasonChars: 160,
  /** How much `router_stats` shows of the reason for a server's state. */
  statsReasonChars: 200,
  /** How much of a tool's own description the description of a route repeats. */
  routeToolChars: 400,

  // Records

  /** How many records of the switchboard wait for the ledger. */
  switchboardRecords: 1_024,
  /** The size of one list of names in a record. A longer list is recorded as its count and digest. */
  recordListBytes: 8 * 1024,

  // Connections

  /** How long an unknown server may take to say which protocol it speaks. Then it is greeted as one of protocol 2025-11-25 or older. */
  probeMs: 3_000,
  /** How long a server is remembered as one of protocol 2025-11-25 or older before it is asked again. */
  legacyVerdictMs: 24 * 60 * 60 * 1_000,
  /** The pause before an ended subscription to a server's changes is opened again. It doubles each time. */
  listenFirstMs: 1_000,
  /** The longest pause before an ended subscription is opened again. After one that lasted as long, the first pause counts again. */
  listenMaxMs: 60_000,
  /** How much may wait for a server that does not read before answers to its questions and notifications are dropped. */
  serverBacklogBytes: 4 * 1024 * 1024,
  /** How many messages that no call waits for (answers to questions, notifications) may be on their way to one server over HTTP. */
  sidePosts: 64,
  /** How many streams of events of one server are left to it after the answer has come. The oldest is cut. */
  answeredStreams: 8,
  /** How many redirects of one HTTP request are followed, all of them at the same server. */
  redirects: 3,
  /** How much is read of the body of an HTTP answer whose status says that it is an error, after decompression. */
  errorBodyBytes: 64 * 1024,
  /** How long the body of such an answer is waited for. */
  errorBodyMs: 1_000,
  /** The shortest pause before a stream of events that ended is opened again, whatever the server asks for. */
  streamPauseLeastMs: 1_000,
  /** The longest pause before a stream of events that ended is opened again, whatever the server asks for. */
  streamPauseMostMs: 60_000,
  /** How many nested causes of a failed HTTP request are looked at. */
  errorCauses: 8,
  /** How long after the timeout of a call a connection that drains is closed anyway. */
  linkDrainGraceMs: 1_000,
  /** How long closing or removing a server waits for connections that were told to end. */
  linkCloseMs: 10_000,
  /** How long the end of a session over HTTP may take. */
  sessionEndMs: 1_000,

  // Child processes

  /** How long a server may take to exit after its stdin was closed, and again after SIGTERM. */
  serverEndStepMs: 2_000,
  /** How long a server that a dead process has left behind may take to exit after SIGTERM. */
  orphanTermMs: 1_000,
  /** How long after SIGKILL Colibri looks whether a process group is gone. */
  killedMs: 1_000,
  /** How often Colibri looks whether a process group of its own is gone. Nobody reports the children of a child. */
  groupLookMs: 20,
  /** How often Colibri looks whether the process groups that a dead process has left behind are gone. */
  orphanLookMs: 50,
  /** How long output is still read after a process is gone, because a child of it may hold the pipe open. */
  lastWordsMs: 250,
  /** How much of the end of a server's stderr is kept. */
  serverStderrBytes: 16 * 1024,
  /** How long notes of another machine or container about its servers are kept. */
  groupNotesMs: 30 * 24 * 60 * 60 * 1_000,
} as const;
