// The bounds that several rooms share: how long texts may be, how deep and how many arguments may be, how long calls wait.
export const CORE_LIMITS = {
  /** How deep the arguments of Colibri's own tools may be nested. */
  argumentDepth: 64,
  /** The length of an error message on the wire. A longer one is cut. */
  messageChars: 300,
  /** How many problems with its arguments the refusal of one call lists. */
  issues: 20,
  /** How many calls may share one transaction. */
  groupCalls: 64,
  /** How long ping and health wait for the ledger. After that they answer without a receipt. */
  vitalPatienceMs: 250,
  /** How long the transport may take to start, and how long calls wait for the store. `COLIBRI_STARTUP_TIMEOUT_MS` overrides it. */
  startupMs: 30_000,
  /** How long calls in flight may take to end once stdin has ended or a signal came. `COLIBRI_SHUTDOWN_TIMEOUT_MS` overrides it. */
  drainMs: 5_000,
  /** The largest file of a skill that `resources/read` returns. One line on the wire must hold it twice over. */
  skillReadBytes: 4 * 1024 * 1024,
  /** How late a timer must be to show that the process slept or was busy, so that the awaited input may already be there. */
  lateTimerMs: 250,
  /** How long a late timer waits before it fires, so that waiting input is read first. */
  awakeMs: 1_000,
  /** How long one call of another server may take in all. Progress restarts its timeout, but never beyond this. */
  proxiedCallMs: 600_000,
  /** The shortest timeout that the calls of another server may be given. */
  proxiedCallLeastMs: 1_000,
  /** The length of the reason a person gives for an erasure, a pruning or a restore. `verify` cuts a longer one. */
  reasonChars: 500,
  /** How much of a setting's value a refusal quotes. */
  quotedChars: 120,
  /** How much of a misspelt word is compared with the known words. */
  nearestChars: 64,
} as const;
