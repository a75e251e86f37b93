// The bounds of the command line: how many rows a command shows, how far it looks, how long it waits.
export const CLI_LIMITS = {
  // Several commands

  /** How much memory Node must be allowed for its heap. With less a command ends at once, in a sentence. */
  leastHeapBytes: 80 * 1024 * 1024,
  /** How many records a command searches unless `--all` is given. That takes a tenth of a second or two. */
  lookRecords: 100_000,
  /** How many records a search reads at first. */
  lookFirstPage: 256,
  /** How many records a search reads at a time at most. It reads more at a time as it goes on. */
  lookPage: 8_192,
  /** How many processes `status` and others check for being alive. */
  lookInstances: 100,
  /** How many lines of one stored text are shown on a screen. */
  textLines: 200,
  /** After how long a progress line appears. */
  progressAfterMs: 400,
  /** How often a progress line is redrawn. */
  progressEveryMs: 100,
  /** How long a secret must be to be replaced by its name where a server is shown. A shorter one would match everywhere. */
  toldSecretChars: 4,
  /** How many symbolic links are followed from the name of a file. */
  symbolicLinks: 40,

  // log

  /** How many lines `log` shows at most. */
  lookLines: 10_000,
  /** How many lines `log` shows unless `--limit` asks for another number. */
  logUsualLines: 20,
  /** How often one filter of `log` may be repeated. */
  filterValues: 20,
  /** How often `log --follow` looks for new records. */
  followMs: 250,
  /** How often `log --follow` looks at a store that cannot be read yet. A server makes the file first and its tables a moment later. */
  followTries: 40,
  /** How many servers the explanation of one call goes into. */
  explainedServers: 5,

  // tasks

  /** The number up to which `tasks` counts tasks if an index can count them. */
  lookTasks: 10_000,
  /** The number up to which `tasks` counts tasks if each of them has to be read. */
  lookRows: 1_000,
  /** How many tasks of a state `tasks --limit` may ask for. */
  stateTasks: 200,
  /** How many tasks of a state `tasks --state` shows unless `--limit` asks for another number. */
  stateUsualTasks: 50,
  /** How many open tasks of each state `tasks` shows. */
  boardTasks: 5,
  /** How many ended tasks of each state `tasks` shows. */
  boardEndedTasks: 3,
  /** How many records and thoughts the history of one task shows. */
  taskHistory: 500,
  /** How many lines of a thought the history of one task shows. */
  thoughtLines: 4,
  /** How many tasks that wait for a task are shown with it. */
  dependentTasks: 20,

  // status, switchboard

  /** How many servers that are not healthy `status` shows. */
  statusServers: 8,
  /** How many processes `status` shows. */
  statusProcesses: 5,
  /** How many open logs `status` shows. */
  statusLogs: 5,
  /** How often `switchboard` redraws its screen. */
  boardRefreshMs: 1_000,

  // doctor

  /** The size up to which `doctor` lets SQLite check a whole store. A larger one is left to `verify`. */
  doctorCheckBytes: 32 * 1024 * 1024,
  /** In how many of the newest records `doctor` looks for open calls of dead processes. */
  doctorRecords: 20_000,
  /** How much of a log file `doctor` reads: as much as one can hold, because a process says only once which store it uses. */
  doctorLogBytes: 2 * 1024 * 1024,
  /** How old a message of a log file may be for `doctor` to show it. */
  doctorNewsMs: 24 * 60 * 60 * 1_000,
  /** How many messages of the log files `doctor` shows. */
  doctorMessages: 5,
  /** How much of one message of a log file `doctor` shows. */
  doctorMessageChars: 300,
  /** How much `doctor` shows of the reason why SQLite cannot be loaded. */
  doctorReasonChars: 200,
  /** The free disk space below which `doctor` warns. */
  doctorLowDiskBytes: 1_000_000_000,
  /** The free disk space below which `doctor` reports a problem. */
  doctorNoDiskBytes: 100_000_000,
  /** The size of a write-ahead log above which `doctor` warns that it is not folded back. */
  doctorWalBytes: 512 * 1024 * 1024,

  // export, backup, verify, prune, erase

  /** How many rows an export reads at a time. */
  exportRows: 250,
  /** How many bytes of arguments an export reads at a time. It reads at least one row, however long. */
  exportBytes: 4 * 1024 * 1024,
  /** How often `backup` looks how large the copy has become. */
  copyLookMs: 100,
  /** How many findings `verify` prints. `--json` shows more. */
  verdictFindings: 10,
  /** After how many transactions `prune` folds the write-ahead log back. Each of them rewrites whole pages. */
  prunesPerCheckpoint: 64,
  /** How many thoughts and calls one `erase` may be given. One record names them all. */
  eraseTargets: 500,
  /** How much of a file is read at a time while `erase` looks for what is left of the erased text. */
  leftoverChunkBytes: 1024 * 1024,

  // init

  /** How long Colibri may take to start when `init` tries it before it writes an entry. */
  initStartMs: 30_000,
  /** How long a client's own command may take to change its file. */
  initCommandMs: 60_000,
  /** How many lines may differ for a difference to be computed line by line. A longer change is shown as a whole. */
  diffLines: 2_000,
  /** How many unchanged lines a difference shows around a changed one. */
  diffContextLines: 2,
  /** How many of the servers that do not move the summary of `init` names. */
  leftServers: 8,

  // demo

  /** How long the demo waits for one thing to happen before it calls that a failure. */
  demoPatienceMs: 15_000,
  /** How often the demo looks whether what it waits for has happened. */
  demoPollMs: 20,
  /** How much the demo shows of what it found instead of what it expected. */
  demoFoundChars: 600,
  /** How often the demo tries again to remove its folder. */
  demoRemoveTries: 5,
} as const;
