// The bounds of the switchboard: how often and how long other servers are tried, how much of what they send is used, how much a call may cost.
export const SWITCHBOARD_LIMITS = {
  // Health

  /** The largest share by which retries, cooldowns and intervals of checks are made longer or shorter at random. */
  jitterShare: 0.1,
  /** The pause before the first new attempt to start a server that does not start. It doubles with each attempt. */
  retryFirstMs: 1_000,
  /** The longest pause between two attempts to start a server that does not start. */
  retryMaxMs: 60_000,
  /** A server that failed to start this often in a row for the same reason: callers are told not to try again, and to tell the user. */
  failedStarts: 3,
  /** The pause between two attempts to connect to a server that wants credentials. */
  authRetryMs: 300_000,
  /** The longest pause that a server may ask for (`Retry-After`). A longer pause counts as this one. */
  retryAfterMs: 3_600_000,
  /** The pause between a failed health check and the next one, unless the interval of the check is shorter. */
  recheckMs: 5_000,
  /** If no result of a health check is reported, the check is repeated this long after its timeout. */
  checkGraceMs: 10_000,
  /** When Colibri ends: how long it waits at most until the outcomes of capability checks that were running are recorded. */
  checkEndMs: 1_000,
  /**
   * The shortest interval of a capability check that a project's switchboard file may ask for; a shorter interval is raised to this one.
   * The starts of two such checks are never closer together, even if a check fails or the server leaves quarantine.
   */
  projectCapabilityMs: 60_000,
  /** How long a server in PROBATION must get no request before health checks alone may end its PROBATION. */
  probationIdleMs: 30_000,
  /** How many readiness checks in a row must pass for health checks alone to end PROBATION. */
  probationPasses: 2,
  /** How long a caller is told to wait while the one request that a server in PROBATION may get is under way. */
  probationRetryMs: 5_000,
  /** If a timer fires this late, the computer has slept. Failures from the time of the sleep say nothing about a server and do not count. */
  sleptMs: 30_000,
  /** If a client cancels a call after more than this time, and the server has sent nothing meanwhile, the call counts as failed. */
  silenceMs: 10_000,
  /** How old an order of `colibri switchboard restart` or `retry` may be when a process obeys it. */
  orderMs: 60_000,
  /** How long tools of a server that does not work stay in `tools/list` with `whenUnavailable: "hide"`. */
  hideAfterMs: 10_000,
  /** How often the health states of servers are written to the store for other Colibri processes, besides at each change of state. */
  statesMs: 5_000,
  /** The most characters of a text about a server's state that are written to the store for other Colibri processes. */
  stateTextChars: 2_000,
  /** The most health records that are read from the store at a time. */
  healthRecords: 500,
  /** The percentiles of call durations are computed from this many of the last answered calls of a server. */
  callDurations: 512,

  // Calls

  /** How long a call waits at most for a server that is being connected to. */
  dialWaitMs: 2_000,
  /** The most calls that wait for their turn at one server. The next call is refused because the server is busy. */
  waitingCalls: 64,
  /** How long a caller is told to wait when the queue of a server is full. */
  serverBusyRetryMs: 1_000,
  /** The deepest nesting of arguments for tools of other servers. Real calls need far less; JSON nested much deeper could not be serialized. */
  proxiedDepth: 1_000,
  /** The deepest nesting of answers, messages and questions of other servers. A deeper message is dropped; a deeper answer becomes an error. */
  answerDepth: 1_000,
  /**
   * The most steps that reading one message of a server may take. Each value is a step, each list and object two more, each name of a
   * member ten more, because names cost most. A message of more steps is dropped; such an answer becomes an error.
   */
  answerSteps: 2_000_000,
  /** A result of a call that has more bytes than this is passed on as the bytes that came, and is not parsed, unless something in it must be changed. */
  largeResultBytes: 65_536,
  /** The most bytes of the `_meta` of a large result, which is parsed by itself. If it has more, the whole result is parsed. */
  largeMetaBytes: 65_536,
  /** The most members that a large result may have at its top level. If it has more, the whole result is parsed. */
  largeMembers: 64,
  /** How many bytes of a large result that came over HTTP are scanned and hashed in one turn of the event loop. */
  largeTurnBytes: 1024 * 1024,
  /** The most questions of one server to the client (elicitation, sampling, roots) that may be open at a time. The next one is refused. */
  openQuestions: 8,
  /** Some clients send arguments as JSON text in a string. Strings that are nested deeper than this in the arguments are not parsed. */
  repairDepth: 8,
  /** The most times that a server may answer one call by asking for more input. */
  inputRounds: 8,
  /** How long requests that no client waits for may take at most: subscriptions, log levels, lists of prompts and resources. */
  sideRequestMs: 10_000,

  // Tools and lists

  /** The most characters of the public name of another server's tool. The strictest client allows 60, `mcp__colibri__` included. */
  publicNameChars: 46,
  /** The length of the hash at the end of a public tool name that was cut, changed or already taken. */
  nameHashChars: 6,
  /** The most tools of one server that are listed. */
  toolsPerServer: 1_000,
  /** The most entries of one list of a server that are read: tools, prompts, resources, resource templates. */
  listedEntries: 5_000,
  /** The most characters of one list of a server, over all of its pages. The rest is not read. */
  listedChars: 16 * 1024 * 1024,
  /** The most characters of the definition of another server's tool. A tool with a longer one is not listed. */
  definitionChars: 512 * 1024,
  /** How many definitions of tools a process remembers as those that its client was shown; beyond, the oldest are forgotten. */
  shownDefinitions: 20_000,
  /** How many milliseconds a call waits for a person to answer a question; a later answer still counts. Most clients give up after 60 s. */
  askedWaitMs: 45_000,
  /** How often, in milliseconds, the client is told that a call waits for a person. */
  askedProgressMs: 5_000,
  /** How many arguments a person is shown; of more, only their number. */
  askedArguments: 24,
  /** How many characters of the value of an argument a person is shown. */
  askedValueChars: 200,
  /** The most voters of a quorum. */
  quorumVoters: 64,
  /** The most characters of the text that voters read about a call. */
  statementChars: 1_000,
  /** How many processes above one are looked at, to find the client among them. Whoever has more above himself may be below any client. */
  ancestors: 4_096,
  /** How many approvals whose time is over are recorded as such in one transaction. */
  expiredAtOnce: 64,
  /** How long after its time an approval that nobody asked about again is recorded as expired. */
  expiryLateMs: 1_000,
  /** How many continuations of approved calls a process remembers; beyond, the oldest are forgotten and must be approved again. */
  continuations: 1_024,
  /** How many tools that changed at once have their old and new definitions stored; with more, only digests are recorded. */
  changedDefinitions: 100,
  /** The most resources of one server that are remembered because a result of the server has linked to them. */
  linkedResources: 1_000,
  /** The most pages of one list of a server that are read. */
  cataloguePages: 1_000,
  /** The most bytes of a server's tool list that is kept in the store. A longer list is not kept. */
  catalogueBytes: 4 * 1024 * 1024,
  /** The deepest nesting of the schema of another server's tool. */
  schemaDepth: 64,
  /** The most values that the schema of another server's tool may have. */
  schemaNodes: 20_000,
  /** The most local references that are followed one after the other from the root of a tool's schema. */
  schemaRefs: 16,
  /** The most characters of a local reference in a tool's schema. A longer reference is not followed. */
  schemaRefChars: 1_024,
  /** The most steps that one check of arguments against a tool's schema may take. If they do not suffice, the arguments are not checked. */
  schemaSteps: 50_000,
  /** The most steps that are spent on finding out which tool schemas are too costly to check, each time a server's tool list is read. */
  listingSteps: 200_000,
  /** The most known names that an unknown name is compared with to guess which name was meant. */
  namesCompared: 500,
  /** The most notes about the tools of one server that are shown. */
  serverNotes: 50,
  /**
   * How long the first `tools/list` waits at most for the store, and for servers whose tools are not in the store, if the client asks again
   * when it is told that the list has changed.
   */
  firstListMs: 2_000,
  /** The same for other clients: how long their `tools/list` waits at most for servers whose tools are not in the store. */
  quickListMs: 300,
  /** The same for other clients: how long their first `tools/list` waits at most for the store and the tool lists in it. */
  storedListMs: 500,
  /** How often a request for a prompt or resource that is not known looks whether a starting server has listed it. */
  listLookMs: 20,
  /** The shortest time between two messages to a client that a list has changed. */
  listChangedMs: 1_000,
  /** The pause between two readings of a server's lists. Some servers send `list_changed` whenever their lists are read. */
  relistPauseMs: 1_000,

  // The switchboard file

  /** The most characters of a switchboard file. */
  switchboardChars: 1024 * 1024,
  /** The most servers that a switchboard file may have. */
  switchboardServers: 256,
  /** The most routes that a switchboard file may have. */
  switchboardRoutes: 256,
  /** How deep Colibri processes may start each other as servers. A deeper one starts no servers, because Colibri might start itself for ever. */
  nestedSwitchboards: 2,
  /** How often the switchboard files and the approvals are checked for changes. */
  switchboardPollMs: 1_000,
  /** How long a switchboard file must be missing to count as deleted. Editors and git remove a file before they replace it. */
  switchboardGoneMs: 3_000,
  /** How long Colibri waits at most for a client to connect before it starts the servers. */
  openingWaitMs: 500,

  // Routes

  /** The most providers that a route may have. The record of a call names all of them. */
  routeProviders: 16,
  /** How long after its beginning a call of a route may still be sent to another provider. */
  routeMs: 180_000,
  /** The longest time that a read-only call of a route waits for one provider while another one is HEALTHY. */
  routeWaitMostMs: 10_000,
  /** The shortest bound of that wait, however fast the provider's server usually answers. */
  routeWaitLeastMs: 2_000,
  /** That wait is this many times the time within which 99 % of the latest calls of the provider's server were answered. */
  routeWaitShare: 4,
  /** If fewer answers of the provider's server are known, that wait has its longest bound. */
  routeWaitSamples: 20,
  /** How often a call of a route whose wait is over looks whether another provider has become HEALTHY. */
  routeLookMs: 1_000,
  /** The most bytes of the list of providers, and of the list of attempts, that the refusal of a route's call shows. */
  routeListBytes: 8 * 1024,
  /** The most characters that the refusal of a route's call shows of the reason why a provider cannot get the call. */
  refusalReasonChars: 160,
  /** The most characters that `router_stats` shows of the reason for a server's state. */
  statsReasonChars: 200,
  /** The most characters of a tool's own description that the description of a route repeats. */
  routeToolChars: 400,

  // Records

  /** The most records of the switchboard that wait for the ledger. */
  switchboardRecords: 1_024,
  /** The most bytes of a list of names in a record. A longer list is recorded as its count and digest. */
  recordListBytes: 8 * 1024,

  // Connections

  /** How long an unknown server may take to say which protocol it speaks. After that it is treated as one of protocol 2025-11-25 or older. */
  probeMs: 3_000,
  /** How long a server counts as one of protocol 2025-11-25 or older before it is asked again which protocol it speaks. */
  legacyVerdictMs: 24 * 60 * 60 * 1_000,
  /** The pause before an ended subscription to a server's changes is opened again. It doubles each time. */
  listenFirstMs: 1_000,
  /** The longest pause before an ended subscription is opened again. A subscription that lasted this long resets the pause to the first. */
  listenMaxMs: 60_000,
  /** The most messages that may wait for a server that does not read, before answers to its questions and notifications are dropped. */
  serverBacklogMessages: 1_000,
  /** The most messages that no call waits for (answers to questions, notifications) that may be under way to one server over HTTP. */
  sidePosts: 64,
  /** The most event streams of one server that stay open after the answer to their request has come. If there are more, the oldest is closed. */
  answeredStreams: 8,
  /** The most bytes of all headers of a call that repeat arguments (`Mcp-Param-*`). A call with more is refused; most servers accept far less. */
  paramHeaderBytes: 64 * 1024,
  /** The most redirects of one HTTP request that are followed. Only redirects to the same origin are followed. */
  redirects: 3,
  /** The most bytes that are read of the body of an HTTP answer with an error status, after decompression. */
  errorBodyBytes: 64 * 1024,
  /** How long the body of an HTTP answer with an error status is waited for at most. */
  errorBodyMs: 1_000,
  /** The shortest pause before a stream of events that ended is opened again, whatever the server asks for. */
  streamPauseLeastMs: 100,
  /** The longest pause before a stream of events that ended is opened again, whatever the server asks for. */
  streamPauseMostMs: 60_000,
  /** How many nested causes of the error of a failed HTTP request are looked at, at most. */
  errorCauses: 8,
  /** How much longer than a call's timeout a closing connection waits at most for its calls to end. */
  linkDrainGraceMs: 1_000,
  /** How long closing or removing a server waits at most for its connections to end. */
  linkCloseMs: 10_000,
  /** How long ending a session over HTTP may take at most. */
  sessionEndMs: 1_000,

  // Child processes

  /** How long a server's process may take at most to exit after its stdin was closed, and again after SIGTERM. */
  serverEndStepMs: 2_000,
  /** How long a server's process that a dead Colibri process left behind may take at most to exit after SIGTERM. */
  orphanTermMs: 1_000,
  /** How long after SIGKILL Colibri waits at most for the process group to be gone. */
  killedMs: 1_000,
  /** How often Colibri checks whether a process group that it started is gone. The system reports only the end of the server's own process. */
  groupLookMs: 20,
  /** How often Colibri checks whether the process groups that a dead Colibri process left behind are gone. */
  orphanLookMs: 50,
  /** How long the output of a server is still read after its process is gone, because a child of the process may hold the pipe open. */
  lastWordsMs: 250,
  /** The most bytes of the end of a server's stderr that are kept. */
  serverStderrBytes: 16 * 1024,
  /** The most log files of one server. */
  serverLogFiles: 5,
  /** The most bytes of one log file of a server. A file that has reached this size is rotated. */
  serverLogBytes: 1024 * 1024,
  /** The most bytes of one second of a process's stderr that go into the server's log. The log says how many bytes were left out. */
  serverLogSecondBytes: 256 * 1024,
  /** The most characters of one line of a server's log. A longer line is cut. */
  serverLogLineChars: 8 * 1024,
  /** The most characters that are written to a server's log together. */
  serverLogBlockChars: 32 * 1024,
  /** How long output of a server waits at most until it is written to the server's log. */
  serverLogDelayMs: 100,
  /** How long the log of a server is kept that is not written any more. */
  serverLogKeptMs: 30 * 24 * 60 * 60 * 1_000,
  /** The most characters of a private key in a server's output that are left out, if the key's end does not come. */
  privateKeyChars: 64 * 1024,
  /** The least characters of a secret of the configuration that is removed from a server's output by its value: a shorter one matches everywhere. */
  hiddenSecretChars: 6,
  /** How long Colibri keeps the list of process groups that a Colibri process on another machine or in a container has started. */
  groupNotesMs: 30 * 24 * 60 * 60 * 1_000,
} as const;
