// The bounds of this room.
export const START_LIMITS = {
  /** How often calls of dead processes are looked for. */
  sweepMs: 60_000,
  /** What a cancelled handler gets to end by itself when the process stops. */
  cancelGraceMs: 1_000,
  /** Beyond the drain: what closing the store may take before the process leaves without it. */
  closeGraceMs: 10_000,
  /** Pause before a failed phase 2 is tried again. */
  phase2RetryMs: 30_000,
  /** and when it has grown at all since this long. */
  signMs: 60_000,
  /** How long a client waits for a verdict; what was not reached by then is named in it. */
  verifyCallMs: 20_000,
  /** The log file in the state directory: so many files of so many bytes. */
  logFiles: 5,
  logFileBytes: 2 * 1024 * 1024,
  /** A rotation that takes longer was left behind by a process that died. */
  rotationMs: 2_000,
} as const;
