// The bounds of this room.
export const DOMAIN_LIMITS = {
  /** UTF-8 bytes of one result of ours: clients cut longer ones in the middle. */
  resultBytes: 24 * 1024,
  /** Tasks looked at by one search. */
  searchRows: 5_000,
  /** Leases that a claim finds expired and clears. */
  expiredLeases: 100,
  /** Hashes read at a time while a session is sealed. */
  sealBatch: 1_000,
} as const;
