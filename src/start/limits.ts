// The bounds of a process: how it starts and stops, how often it tidies up, how large its log files grow.
export const START_LIMITS = {
  /** How often a process looks for open calls of processes that died. */
  sweepMs: 60_000,
  /** How long a cancelled handler may take to end by itself when the process stops. */
  cancelGraceMs: 1_000,
  /** How long closing the store may take after calls were drained. Then the process exits without it. */
  closeGraceMs: 10_000,
  /** The pause before a failed opening of store and ledger is tried again. */
  phase2RetryMs: 30_000,
  /** A log that has grown is signed at least this often. */
  signMs: 60_000,
  /** How long `audit_verify_chain` may work. Its verdict names what was not reached by then. */
  verifyCallMs: 20_000,
  /** How long a command waits for another that changes the same files of the user: approvals, secrets, switchboard files, the record of `init`. */
  stateLockMs: 30_000,
  /** How large `.colibri/project.json` may be. A larger one is not read. */
  projectFileBytes: 4_096,
  /** How long a starting process waits to add its project to the known ones. Then it continues with an id made from the path. */
  claimLockMs: 5_000,
  /** After how long a command that waits for another says so. */
  stateLockNoticeMs: 1_000,
  /** How many log files the state directory keeps. */
  logFiles: 5,
  /** The size at which a log file is rotated. */
  logFileBytes: 2 * 1024 * 1024,
  /** How many of the longest lines fit into one log file. A longer line is cut, so that no line pushes the others out. */
  logFileLines: 16,
  /** How often a process checks that its log file was not renamed by another before it writes anyway. */
  logFileTries: 4,
  /** A log rotation that takes longer than this belongs to a process that died. */
  rotationMs: 2_000,
} as const;
