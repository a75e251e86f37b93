// The bounds that several folders of the source share: how long texts may be, how deep and how many arguments may be, how long calls wait.
export const CORE_LIMITS = {
  /** The most levels to which arguments of Colibri's own tools may be nested. */
  argumentDepth: 64,
  /** The most characters of an error message that is sent to a client. A longer message is cut. */
  messageChars: 300,
  /** The most problems with a call's arguments that the call's refusal lists. */
  issues: 20,
  /** The most calls that may share one database transaction. */
  groupCalls: 64,
  /** The longest time that the tools ping and health wait for the ledger. After that they answer without a receipt. */
  vitalPatienceMs: 250,
  /** The longest time that the transport may take to start, and that calls wait for the store. `COLIBRI_STARTUP_TIMEOUT_MS` overrides it. */
  startupMs: 30_000,
  /** The longest time that running calls may take to end once stdin has ended or a signal came. `COLIBRI_SHUTDOWN_TIMEOUT_MS` overrides it. */
  drainMs: 5_000,
  /**
   * The most bytes of a skill's file that `resources/read` returns. In JSON a file may become twice as long, and it must still fit into one
   * line of the protocol.
   */
  skillReadBytes: 4 * 1024 * 1024,
  /** How late a timer must be to show that the process slept or was busy, so that the awaited input may already be there. */
  lateTimerMs: 250,
  /** How long a late timer waits before it fires, so that waiting input is read first. */
  awakeMs: 1_000,
  /** The longest time that one call of another server may take in all. Progress messages restart the call's timeout, but never beyond this. */
  proxiedCallMs: 600_000,
  /** The shortest timeout that a server's calls may be given in the configuration. */
  proxiedCallLeastMs: 1_000,
  /** The most characters of the reason that a person gives for an erasure, a pruning or a restore. `verify` cuts a longer reason. */
  reasonChars: 500,
  /** The most characters of a setting's value that a refusal quotes. */
  quotedChars: 120,
  /** The most characters of a misspelt word that are compared with the known words. */
  nearestChars: 64,
  /** After how long a caller may try again while its process opens the store anew, because it lost its place there. */
  beginAnewMs: 2_000,
} as const;
