// A lease and the two questions about it that need no database. Pure.

export type Lease = {
  readonly task_n: number;
  readonly token: number;
  readonly holder: string;
  readonly until: string;
  readonly minutes: number;
  /** 1 once it was given back. */
  readonly released: number;
  readonly rev: number;
};

/** ISO 8601 UTC texts of one length sort as times do. */
export const isLive = (lease: Lease | undefined, now: string): lease is Lease =>
  lease !== undefined && lease.released === 0 && lease.until > now;

export const minutesAfter = (now: string, minutes: number): string =>
  new Date(Date.parse(now) + minutes * 60_000).toISOString();

const LEASES_PER_TASK = 1_000_000;

/** The next token of a task. It only grows, and no other task has it: a token with the wrong task id opens nothing. */
export const nextToken = (n: number, last: number | undefined): number => (last ?? n * LEASES_PER_TASK) + 1;
