// How the records of all logs share one range of ids: `id = no * 2^32 + seq` (docs/audit-format.md). A fact of the format.

/** Room for the records of one log among the ids of all. */
export const RECORDS_PER_LOG = 2 ** 32;
