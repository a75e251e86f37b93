// How the records of all logs share one range of ids: `id = no * 2^32 + seq`, where `no` numbers the logs (docs/audit-format.md). This is
// part of the format and never changes.

/** How many record ids each log gets. */
export const RECORDS_PER_LOG = 2 ** 32;

/** The records that say which logs came with a store that was moved are among so many first records of a log. */
export const ADOPTED_WITHIN = 16;
