// The seams of the common SQL: what one engine needs and the other must not see. Each is a comment inside the shared text, so SQLite, whose
// transactions hold the lock of the whole database, skips it; the adapter of PostgreSQL puts the clause in its place. In a transaction that only
// reads it leaves the clause out.

/** At the end of a SELECT: nobody else may change the rows until the transaction ends. */
export const FOR_UPDATE = '/* FOR UPDATE */';

/** How a claim takes a task: of table `t`, and rows that another transaction has locked are left out or waited for. */
export const CLAIM_LOCKS = { skip: '/* FOR UPDATE OF t SKIP LOCKED */', wait: '/* FOR UPDATE OF t */' } as const;
export type ClaimLock = keyof typeof CLAIM_LOCKS;

/** A seam in a text, and the clause in it. */
export const SEAM = /^\/\* (FOR UPDATE[A-Za-z ]*) \*\/$/;
