// The bounds of a process: how it starts and stops, how often it tidies up, how large its log files grow.
export const START_LIMITS = {
  /** How often a process looks for calls without an outcome that processes which died have left. */
  sweepMs: 60_000,
  /** The longest time that a cancelled tool handler may take to end by itself when the process stops. */
  cancelGraceMs: 1_000,
  /** The longest time that closing the store may take after the last calls have ended. Then the process exits without closing it. */
  closeGraceMs: 10_000,
  /** The pause before a failed opening of store and ledger is tried again. */
  phase2RetryMs: 30_000,
  /** The longest time between two signatures of a log that has grown. */
  signMs: 60_000,
  /** How often a running process names the other logs of the store that have grown. */
  besideMs: 24 * 60 * 60 * 1_000,
  /** The longest time that the tool `audit_verify_chain` may work. Its verdict names what was not checked by then. */
  verifyCallMs: 20_000,
  /** The longest time that a command waits for another that changes the same files: approvals, secrets, switchboard files, the record of `init`. */
  stateLockMs: 30_000,
  /** The most bytes of `.colibri/project.json`. A larger file is not read. */
  projectFileBytes: 4_096,
  /** The longest time that a starting process waits to add its project to the known ones. Then it continues with an id made from the path. */
  claimLockMs: 5_000,
  /** After how long a command that waits for another command tells the person so. */
  stateLockNoticeMs: 1_000,
  /** The most log files that the state directory keeps. */
  logFiles: 5,
  /** The most bytes of a log file; then it is rotated. */
  logFileBytes: 2 * 1024 * 1024,
  /** How many of the longest lines fit into one log file. A longer line is cut, so that no line pushes the others out. */
  logFileLines: 16,
  /** The most times that a process checks that its log file was not renamed by another process before it writes anyway. */
  logFileTries: 4,
  /** The longest time that a log rotation may take: after that, the process that holds the rotation's lock counts as dead. */
  rotationMs: 2_000,
} as const;
