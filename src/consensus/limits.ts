// The bounds of rounds, votes and bundles.
export const CONSENSUS_LIMITS = {
  /** The most names that may vote in one round, listed, drawn or neither. */
  voters: 64,
  /** The most names of a pool that voters are drawn from. */
  pool: 64,
  /** The most bytes of the text of a statement, counted as JSON. */
  statementBytes: 4_096,
  /** The most bytes of the reason of a vote, counted as JSON. */
  reasonBytes: 2_048,
  /** The most characters of a server's or tool's name in the action of a round. */
  actionChars: 256,
  /** How many minutes a round is open if the caller asks for no other time. */
  usualMinutes: 60,
  /** The most minutes that a round may be open: 30 days. */
  mostMinutes: 43_200,
  /** The most characters of a name that votes. */
  nameChars: 128,
  /** The most votes, and attempts to vote twice, that a store keeps of one round. Further ones that it hears of are refused. */
  votesOfRound: 1_024,
  /** The most attempts to vote twice that are kept of one voter in one round. Further ones are only answered. */
  keptAttempts: 8,
  /** The most bytes of a bundle. */
  bundleBytes: 1_048_576,
  /** The bytes of a bundle that are kept free for everything but its statements. */
  bundleEnvelopeBytes: 512,
  /** The most bytes that the record of one call spends on what a bundle changed. The rest is left for the next call with the same bundle. */
  changesBytes: 49_152,
  /** The most bytes of one signed statement in a bundle. */
  statementTextBytes: 65_536,
  /** The most other rounds about the same statement that an answer names: the newest ones. */
  shownRepeats: 10,
  /** The most findings of a bundle that an answer shows. */
  shownFindings: 20,
  /** The most logs of a store whose keys a proposal names: the newest ones. */
  namedLogs: 20,
} as const;
