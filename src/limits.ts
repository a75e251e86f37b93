// Every bound in one place: sizes, queues, times. A number that limits something lives here or in the
// environment table of config.ts, never inside the code it limits.

export const LIMITS = {
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

  /** Nesting of arguments of our own tools. */
  argumentDepth: 64,
  /** Names, codes, client fields as they go into a record. */
  nameChars: 128,
  /** The message of an error on the wire. */
  messageChars: 300,
  /** Zod issues reported for one refused call. */
  issues: 20,
  /** RFC 8785 bytes of one record. */
  recordBytes: 65_535,

  /** UTF-8 bytes of one result of ours: clients cut longer ones in the middle. */
  resultBytes: 24 * 1024,
  /** Tasks looked at by one search. */
  searchRows: 5_000,
  /** Leases that a claim finds expired and clears. */
  expiredLeases: 100,

  /** Calls that may share one transaction. */
  groupCalls: 64,
  /** How long a write tries again while another process holds the file. */
  busyMs: 5_000,
  /** Longest pause between two such tries. */
  busyPauseMs: 8,
  /** What a caller is told to wait after STORE_BUSY. */
  busyRetryAfterMs: 1_000,
  /** Commits after which the write-ahead log is folded back, by a worker. */
  commitsPerCheckpoint: 5_000,
  /** How long the store works before the event loop gets its turn. */
  storeTurnMs: 5,
  /** How long the last part of a checkpoint waits for its moment between two commits. */
  foldMs: 50,
  /** Backups kept beside the database. */
  backups: 3,

  /** Ping and health answer without a receipt rather than wait longer for the ledger. */
  vitalPatienceMs: 250,
  /** Pairs of calls that came before the ledger was open. */
  latePairs: 256,
  /** Outcomes whose effect has happened while the ledger would not take them. */
  lateOutcomes: 1_024,
  /** How often a non-empty backlog is offered to the ledger again. */
  lateRetryMs: 1_000,
  /** How often calls of dead processes are looked for. */
  sweepMs: 60_000,
  /** Records read at a time while looking for open calls. */
  sweepRecords: 2_000,
  /** What a cancelled handler gets to end by itself when the process stops. */
  cancelGraceMs: 1_000,
  /** Beyond the drain: what closing the store may take before the process leaves without it. */
  closeGraceMs: 10_000,
  /** Pause before a failed phase 2 is tried again. */
  phase2RetryMs: 30_000,

  /** A log is signed when it has grown past a multiple of this, */
  recordsPerCheckpoint: 1_024,
  /** and when it has grown at all since this long. */
  signMs: 60_000,
  /** Hashes read at a time while a session is sealed. */
  sealBatch: 1_000,
  /** How long a client waits for a verdict; what was not reached by then is named in it. */
  verifyCallMs: 20_000,
  /** Newest heads kept beside one a day. */
  headsKept: 64,
  /** A key or head that a killed process did not finish writing goes after this long, and in any case after the second. */
  unfinishedGraceMs: 60_000,
  unfinishedKeptMs: 24 * 60 * 60 * 1_000,

  /** Kept arguments that are pruned in one transaction: rows, and bytes of theirs. A server waits that long at most. */
  pruneRows: 500,
  pruneBytes: 1024 * 1024,
  /** Such transactions after which the write-ahead log is folded back: each rewrites whole pages. */
  prunesPerCheckpoint: 64,

  /** An export reads so many rows at a time, and so many bytes of arguments: at least one row, however long. */
  exportRows: 250,
  exportBytes: 4 * 1024 * 1024,

  // Doctor, which must be quick
  /** A store up to this size is checked whole by the engine; the rest is left to `verify`. */
  doctorCheckBytes: 32 * 1024 * 1024,
  /** Newest records in which open calls of dead processes are looked for. */
  doctorRecords: 20_000,
  /** Of a log file that is read, the whole: a process says once which store it uses. How long a message is news; how many are shown. */
  doctorLogBytes: 2 * 1024 * 1024,
  doctorNewsMs: 24 * 60 * 60 * 1_000,
  doctorMessages: 5,
  /** Free disk space below which it warns, and below which it is a problem. */
  doctorLowDiskBytes: 1_000_000_000,
  doctorNoDiskBytes: 100_000_000,
  /** A write-ahead log beyond this is not being folded back. */
  doctorWalBytes: 512 * 1024 * 1024,

  /** The log file in the state directory: so many files of so many bytes. */
  logFiles: 5,
  logFileBytes: 2 * 1024 * 1024,
  /** A rotation that takes longer was left behind by a process that died. */
  rotationMs: 2_000,

  // Verification
  /** Records that a thread checks at a time: a complete subtree of this height. */
  verifyChunkLevel: 13,
  /** Records read in one snapshot. */
  verifyBatch: 2_048,
  /** Evidence rows read in one snapshot. */
  verifyRows: 500,
  /** How long a thread works on evidence rows before it is asked anew. */
  verifyTurnMs: 100,
  /** Findings that a verdict shows; it counts all. */
  verifyFindings: 100,
  /** Stretches of payloads that are gone, followed until the record that explains them. */
  verifyAbsences: 100_000,

  // Looking inside from the command line
  /** Records that one question goes through unless it asks for all: a tenth of a second or two. */
  lookRecords: 100_000,
  /** Records read at a time, */
  lookFirstPage: 256,
  /** growing up to this. */
  lookPage: 8_192,
  /** Lines of one answer. */
  lookLines: 10_000,
  /** Processes whose lock is asked for. */
  lookInstances: 100,
  /** How often a filter may be repeated. */
  filterValues: 20,
  /** How often new records are looked for while somebody reads along. */
  followMs: 250,
  /** Up to which tasks are counted where an index does it, */
  lookTasks: 10_000,
  /** and where each has to be read. */
  lookRows: 1_000,
  /** Records and thoughts in the history of one task. */
  taskHistory: 500,
  /** Lines of one stored text on a screen. */
  textLines: 200,

  // Skills
  /** Of a skill: the limits up to which hosts must take it (MCP skills extension). */
  skillFiles: 512,
  skillBytes: 16 * 1024 * 1024,
  /** Folders inside a skill, and folders that group skills. */
  skillDepth: 8,
  skillGroupDepth: 3,
  /** Folders looked at below one folder of skills. */
  skillFolders: 2_000,
  /** SKILL.md up to the end of its frontmatter. */
  skillHeadBytes: 64 * 1024,
  /** Characters of a frontmatter that mean something to YAML, and levels: the parser is slower than linear in both. */
  skillYamlMarks: 2_000,
  skillYamlLevels: 128,
  /** Skills read at a time. */
  skillReaders: 8,
  /** A file of a skill that resources/read gives out: a line on the wire must hold it twice over. */
  skillReadBytes: 4 * 1024 * 1024,
  /** Read from a file at a time while it is hashed. */
  skillChunkBytes: 256 * 1024,
  /** What was seen on disk counts as the truth for this long. */
  skillsFreshMs: 2_000,
  /** A skill that was good and cannot be read now may be in the middle of being written. */
  skillSettleMs: 2_000,
  /** A change on disk is looked at when it has been quiet for this long. */
  skillQuietMs: 250,
  /** Folders watched for changes; beyond it a change shows at the next use. */
  skillWatches: 256,
  /** How long skills/get waits for digests. */
  skillDigestWaitMs: 2_000,
  /** Problems that skill_list shows, and the bytes they may take. */
  skillProblems: 50,
  skillProblemBytes: 10 * 1024,
  /** UTF-8 bytes of one page of skills/list and resources/list. */
  skillPageBytes: 1024 * 1024,

  // Switchboard
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
  /** The switchboard file: characters, nesting, servers. */
  switchboardChars: 1024 * 1024,
  switchboardDepth: 64,
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

  // A connection to a server
  /** How long an unknown server may take to answer the question for its era before it is greeted the old way. */
  probeMs: 3_000,
  /** A server once found to be of the old era is asked again after this. */
  legacyVerdictMs: 24 * 60 * 60 * 1_000,

  /** Progress starts the time of a request anew, up to this in all. */
  proxiedCallMs: 600_000,
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

  // Moving in
  /** How long one `init` waits for another, and the longest pause between two looks. */
  initLockMs: 30_000,
  initLockPauseMs: 50,
  /** How long our own start may take before an entry for it is written. */
  initStartMs: 30_000,
  /** How long a client's own command may take to change its file. */
  initCommandMs: 60_000,
  /** Changed lines up to which a difference is worked out line by line; longer ones are shown as a whole. */
  diffLines: 2_000,
  // The demo
  /** How long it waits for one thing to happen before it calls that a failure. */
  demoPatienceMs: 15_000,
  /** How often it looks meanwhile. */
  demoPollMs: 20,
} as const;
