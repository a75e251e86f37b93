// The bounds of the commands: how many rows a command shows, how many records it searches, how long it waits.
export const CLI_LIMITS = {
  // Several commands

  /** The least heap memory (bytes) that Node must allow. With less, a command ends at once with a message. */
  leastHeapBytes: 80 * 1024 * 1024,
  /** The most records that a command searches unless `--all` is given. The search takes 0.1 to 0.2 seconds. */
  lookRecords: 100_000,
  /** How many records a search reads in its first step. */
  lookFirstPage: 256,
  /** The most records that a search reads in one step. Steps grow while the search goes on. */
  lookPage: 8_192,
  /** The most processes that commands such as `status` check for being alive. */
  lookInstances: 100,
  /** The most lines of one stored text that are shown on a screen. */
  textLines: 200,
  /** After how long a command shows a progress line (milliseconds). */
  progressAfterMs: 400,
  /** How often a progress line is redrawn (milliseconds). */
  progressEveryMs: 100,
  /**
   * The least characters of a secret whose value is replaced by its name where a server is shown. The value of a shorter secret would match
   * everywhere.
   */
  toldSecretChars: 4,
  /** The most symbolic links that are followed from the name of a file. */
  symbolicLinks: 40,

  // log

  /** The most lines that `log` shows. */
  lookLines: 10_000,
  /** How many lines `log` shows unless `--limit` asks for another number. */
  logUsualLines: 20,
  /** The most times that one filter of `log` may be given. */
  filterValues: 20,
  /** How often `log --follow` looks for new records (milliseconds). */
  followMs: 250,
  /** The most times that `log --follow` tries a store that cannot be read yet. `serve` creates the file first, its tables a moment later. */
  followTries: 40,
  /** The most servers whose health the explanation of one call shows. */
  explainedServers: 5,

  // logs

  /** How many lines `logs` shows unless `--limit` asks for another number. */
  serverLogUsualLines: 100,
  /** How many bytes of a server's log `logs --follow` reads at a time. */
  serverLogReadBytes: 64 * 1024,

  // tasks

  /** The highest number of tasks that `tasks` counts if an index can count them. */
  lookTasks: 10_000,
  /** The highest number of tasks that `tasks` counts if each task has to be read. */
  lookRows: 1_000,
  /** The most tasks of a state that `tasks --limit` may ask for. */
  stateTasks: 200,
  /** How many tasks of a state `tasks --state` shows unless `--limit` asks for another number. */
  stateUsualTasks: 50,
  /** The most open tasks of each state that `tasks` shows. */
  boardTasks: 5,
  /** The most ended tasks of each state that `tasks` shows. */
  boardEndedTasks: 3,
  /** The most records, and the most thoughts, that the history of one task shows. */
  taskHistory: 500,
  /** The most lines of a thought that the history of one task shows. */
  thoughtLines: 4,
  /** The most dependent tasks (tasks that wait for the shown task) that are shown with a task. */
  dependentTasks: 20,

  // status, switchboard

  /** The most unhealthy servers that `status` shows. */
  statusServers: 8,
  /** The most processes that `status` shows. */
  statusProcesses: 5,
  /** The most open logs that `status` shows. */
  statusLogs: 5,
  /** How often `switchboard` redraws its screen (milliseconds). */
  boardRefreshMs: 1_000,
  /** The most lines of a server's output that `switchboard` shows of the server that was chosen. */
  boardServerLines: 8,
  /** The most tools of a server that `switchboard check` names beside one that is not there. */
  namedTools: 20,

  // doctor

  /** How many of the newest records `doctor` searches for calls that dead processes left without an outcome. */
  doctorRecords: 20_000,
  /** The most bytes of a store that `doctor` lets SQLite check as a whole. A larger store is left to `verify`. */
  doctorCheckBytes: 32 * 1024 * 1024,
  /** The most bytes of a log file that `doctor` reads: a whole file, because a process logs only once which store it uses. */
  doctorLogBytes: 2 * 1024 * 1024,
  /** The age up to which `doctor` shows a message of a log file (milliseconds). */
  doctorNewsMs: 24 * 60 * 60 * 1_000,
  /** The most messages of the log files that `doctor` shows. */
  doctorMessages: 5,
  /** The most characters of one message of a log file that `doctor` shows. */
  doctorMessageChars: 300,
  /** The most characters that `doctor` shows of the reason why SQLite cannot be loaded. */
  doctorReasonChars: 200,
  /** How far the clocks of the database server and of this machine may differ before `doctor` warns (milliseconds). */
  doctorClockMs: 5_000,
  /** The free disk space (bytes) below which `doctor` warns. */
  doctorLowDiskBytes: 1_000_000_000,
  /** The free disk space (bytes) below which `doctor` reports a problem. */
  doctorNoDiskBytes: 100_000_000,
  /** The size of a write-ahead log (bytes) above which `doctor` warns that SQLite does not copy it back into the store. */
  doctorWalBytes: 512 * 1024 * 1024,

  // export, backup, verify, prune, erase

  /** The most rows that an export reads at a time. */
  exportRows: 250,
  /** The most bytes of arguments that an export reads at a time. It reads at least one row, however long. */
  exportBytes: 4 * 1024 * 1024,
  /** How often `backup` looks how large the copy has become (milliseconds). */
  copyLookMs: 100,
  /** The most findings that `verify` prints. `--json` shows more. */
  verdictFindings: 10,
  /** After how many transactions `prune` copies the write-ahead log back into the store. Each transaction rewrites whole pages. */
  prunesPerCheckpoint: 64,
  /** How many approvals `colibri approvals --all` shows. */
  approvalsShown: 50,
  /** How often `colibri approvals --watch` looks, in milliseconds. */
  approvalsWatchMs: 1_000,
  /** The most thoughts and calls that one `erase` may be given. One record names them all. */
  eraseTargets: 500,
  /** How many records before and after a call's outcome are searched for the same words of a server, when they are erased. */
  sameWordsRecords: 200,
  /** How many bytes of a file are read at a time while `erase` looks for remains of the erased text. */
  leftoverChunkBytes: 1024 * 1024,

  // page, view, report

  /** The most records that `page` shows; the newest if there are more. */
  pageRecords: 20_000,
  /** The most bytes of a page's file. */
  pageBytes: 128 * 1024 * 1024,
  /** The most tasks that the shown records of a page name and that the page shows. */
  pageTasks: 5_000,
  /** The most tasks that a page shows because they have not ended, although no shown record names them. */
  pageOpenTasks: 200,
  /** The most sessions that a page shows. */
  pageSessions: 2_000,
  /** The most leases that a page shows. */
  pageLeases: 200,
  /** The most calls waiting for a person's yes that a page shows. */
  pageWaiting: 50,
  /** How many records `view` sends to a page that opens, or that goes back to older ones. */
  viewRecords: 2_000,
  /** The most records that `view` sends at a time while the page follows. */
  viewBatch: 500,
  /** How long `view` waits between two batches (milliseconds). */
  viewPauseMs: 250,
  /** How many records a page may be behind before it is told to load anew. */
  viewBehind: 20_000,
  /** After how long without news `view` writes a line that shows whether the reader is still there (milliseconds). */
  viewQuietMs: 15_000,
  /** How long `view` waits for a reader that takes nothing before it ends the connection (milliseconds). */
  viewStallMs: 30_000,
  /** How long a connection to `view` may take to send the headers of a request (milliseconds). */
  viewHeadersMs: 10_000,
  /** How often `view` looks for connections that take too long (milliseconds). */
  viewLookMs: 2_000,
  /** After how long a page asks again once the connection was lost (milliseconds). */
  viewRetryMs: 1_000,
  /** The highest port that `view` can listen on. */
  viewPort: 65_535,
  /** The most logs that a page may say its position in. */
  viewLogs: 1_000,
  /** The most connections that `view` has open. */
  viewConnections: 8,
  /** The most bytes of the headers of one request to `view`. */
  viewHeaderBytes: 16 * 1024,
  /** The most characters of one text in the Markdown of `report`. */
  reportTextChars: 4_000,

  // init

  /** The longest time that Colibri may take to start when `init` tries it before it writes an entry (milliseconds). */
  initStartMs: 30_000,
  /** The longest time that a client's own command may take to change the client's file (milliseconds). */
  initCommandMs: 60_000,
  /** The most bytes of a secret's value. */
  secretBytes: 65_536,
  /** The most calls or approvals that are named if several begin with the characters that were given. */
  namedCalls: 5,
  /** The most characters that a listing shows of an argument of a call. */
  aboutChars: 60,
  /**
   * The most lines, from the first to the last difference of two texts, that are compared one by one. A longer part is shown as old lines
   * and new lines.
   */
  diffLines: 2_000,
  /** How many unchanged lines a difference shows on each side of a changed line. */
  diffContextLines: 2,
  /** The most servers that the summary of `init` names as staying with their client. */
  leftServers: 8,

  // demo

  /** The longest time that the demo waits for an expected event before it fails (milliseconds). */
  demoPatienceMs: 15_000,
  /** How often the demo looks whether an expected event has happened (milliseconds). */
  demoPollMs: 20,
  /** The most characters that the demo shows of what it found instead of what it expected. */
  demoFoundChars: 600,
  /** The most times that the demo tries again to remove its folder. */
  demoRemoveTries: 5,
} as const;
