// The bounds of a process: how it starts and stops, how often it tidies up, how large its log files grow.
export const START_LIMITS = {
  /** How often a process looks for calls that dead processes have left without an outcome. */
  sweepMs: 60_000,
  /** The longest time that a cancelled tool handler may take to end by itself when the process stops. */
  cancelGraceMs: 1_000,
  /** The longest time that closing the store may take after the last calls have ended. Then the process exits without closing it. */
  closeGraceMs: 10_000,
  /**
   * For how long after the first SIGINT or SIGTERM further signals are ignored. A SIGINT after that ends the process at once, with exit
   * code 130.
   */
  secondSignalMs: 2_000,
  /** The pause before a failed opening of store and ledger is tried again. */
  phase2RetryMs: 30_000,
  /** The longest time between two signatures of a log that has grown. */
  signMs: 60_000,
  /** How often a running process writes a record that names the store's other logs which have grown. */
  besideMs: 24 * 60 * 60 * 1_000,
  /** The longest time that the tool `audit_verify_chain` may work. Its verdict names what was not checked by then. */
  verifyCallMs: 20_000,
  /**
   * The longest time that a command waits for another command that changes the same files: approvals, secrets, switchboard files, `init`'s
   * journal.
   */
  stateLockMs: 30_000,
  /** The most bytes of `.colibri/project.json`. A larger file is not read. */
  projectFileBytes: 4_096,
  /** The longest time that a starting process waits to register its project. After that it uses an id made from the project's path. */
  claimLockMs: 5_000,
  /** After how long a command that waits for another command tells the person so. */
  stateLockNoticeMs: 1_000,
  /** The most log files that the state directory keeps. */
  logFiles: 5,
  /** The most bytes of a log file. A file that has reached this size is rotated. */
  logFileBytes: 2 * 1024 * 1024,
  /**
   * A line of a log file has at most the file's bytes divided by this number. A longer line is cut, so that it does not displace the
   * others.
   */
  logFileLines: 16,
  /** The most times that a process checks whether another process has renamed its log file. After that it writes in any case. */
  logFileTries: 4,
  /** The longest time that a log rotation may take: after that, the process that holds the rotation's lock counts as dead. */
  rotationMs: 2_000,
  /** The longest file with the address of the database. */
  urlFileBytes: 4_096,
  /** The longest file with the key of a voter. */
  keyFileBytes: 4_096,
} as const;
