// The SQL that reads and writes leases of tasks. A lease is a row of its own with its own revision, so extending it does not change the task's
// version. Lease tokens only grow, so a worker that lost its lease can be told from the worker that holds it now (fencing).
import type { EvidenceWork, Writing } from '../../call/define-tool.js';
import { rowSalt, subjectOf } from '../../ledger/evidence.js';
import type { ExpiredLease } from '../../proof/records.js';
import { CLAIM_LOCKS } from '../../store/dialect.js';
import type { ReadTx, Tx } from '../../store/store.js';
import { DOMAIN_LIMITS } from '../limits.js';
import {
  digestedLease,
  isLive,
  LEASE_VALUES,
  type Lease,
  minutesAfter,
  nextToken,
  type TaskRow,
  taskId,
} from './task.js';

type LeaseWork = Pick<Writing, 'tx' | 'evidence' | 'now'>;

const COLUMNS = ['task_n', 'rev', ...LEASE_VALUES] as const;
const STORED = [...COLUMNS, 'salt', 'log_id', 'seq', 'flagged'];
const STORE_LEASE = `INSERT INTO leases (${STORED.join(', ')}) VALUES (${STORED.map(() => '?').join(', ')})
  ON CONFLICT (task_n) DO UPDATE SET ${STORED.slice(1)
    .map((column) => `${column} = excluded.${column}`)
    .join(', ')}`;

export const findLease = (tx: ReadTx, n: number): Promise<Lease | undefined> =>
  tx.get<Lease>(`SELECT ${COLUMNS.join(', ')} FROM leases WHERE task_n = ?`, n);

/** Writes a lease. The derived columns `leases.flagged` and `tasks.leased` both say whether the queue skips the task. */
const store = async ({ tx, evidence }: EvidenceWork, lease: Lease): Promise<Lease> => {
  const { log, seq } = await evidence.place();
  const salt = rowSalt();
  const flagged = lease.released === 0 ? 1 : 0;
  await tx.run(STORE_LEASE, ...COLUMNS.map((column) => lease[column]), salt, log, seq, flagged);
  await tx.run('UPDATE tasks SET leased = ? WHERE n = ?', flagged, lease.task_n);
  const columns = digestedLease(lease);
  evidence.add(subjectOf({ type: 'lease', id: taskId(lease.task_n), rev: lease.rev, salt, columns }));
  return lease;
};

/** Who gets a lease, and for how long. `random32`: 32 random bits for its token. */
export interface Grant {
  readonly holder: string;
  readonly minutes: number;
  readonly random32: number;
}

/**
 * Grants a lease on a task to `holder`, for calls of this process. It replaces the task's earlier lease, if there was one, and its token is
 * the only valid one from now on. The caller has checked that the task is free, or that `holder` has it already.
 */
export const grantLease = async (
  work: LeaseWork & Pick<Writing, 'instance'>,
  task: Pick<TaskRow, 'n' | 'version'>,
  { holder, minutes, random32 }: Grant,
): Promise<Lease> => {
  const { tx, now, instance } = work;
  const before = await findLease(tx, task.n);
  // Only its holder gets a lease again that is still live; who had the task before that stays known.
  const isHeld: boolean = isLive(before, now);
  const previous = (isHeld ? before?.previous : before?.holder) ?? null;
  const givenBack = before?.noted === 1 ? before.holder : null;
  const handed = (isHeld ? before?.handed : givenBack) ?? null;
  return store(work, {
    ...{ task_n: task.n, holder, minutes, instance, previous, handed, noted: null, released: 0 },
    token: nextToken(before?.token, random32),
    until: minutesAfter(now, minutes),
    task_version: task.version,
    rev: (before?.rev ?? 0) + 1,
  });
};

/**
 * Extends a lease, because its holder is active: the lease runs for its full time again, from now on. `version`: the task's version after
 * this call, if the call gave the lease's token.
 */
export const extendLease = (work: LeaseWork, lease: Lease, version?: number): Promise<Lease> =>
  store(work, {
    ...lease,
    until: minutesAfter(work.now, lease.minutes),
    task_version: version ?? lease.task_version,
    rev: lease.rev + 1,
  });

/** Gives a lease back: it ends now. `isNoted`: whether the call that gives it back has a note. */
export const releaseLease = (work: LeaseWork, lease: Lease, isNoted: boolean): Promise<Lease> =>
  store(work, { ...lease, released: 1, noted: isNoted ? 1 : null, until: work.now, rev: lease.rev + 1 });

/** The live leases of `holder` on tasks of one project or of all, in the order of the queue. Of very many, those that end last. */
export const heldLeases = (tx: ReadTx, holder: string, owner: string | undefined, now: string): Promise<Lease[]> =>
  tx.all<Lease>(
    `SELECT ${COLUMNS.join(', ')} FROM (
       SELECT ${COLUMNS.map((column) => `l.${column}`).join(', ')}, t.priority_rank, t.stage FROM leases l CROSS JOIN tasks t
       WHERE l.holder = ? AND l.until > ? AND l.released = 0 AND t.n = l.task_n${owner === undefined ? '' : ' AND t.owner = ?'}
       ORDER BY l.until DESC LIMIT ?) AS held
     ORDER BY priority_rank, stage, task_n`,
    ...[holder, now, ...(owner === undefined ? [] : [owner]), DOMAIN_LIMITS.heldLeases],
  );

/** Whether somebody held a lease at a time after `since`. */
export const hasWorkedSince = async (tx: ReadTx, holder: string, since: string): Promise<boolean> => {
  const row = await tx.get(
    `SELECT 1 AS found WHERE EXISTS (SELECT 1 FROM leases WHERE released = 0 AND holder = ? AND until > ?)
       OR EXISTS (SELECT 1 FROM leases WHERE released = 1 AND holder = ? AND until > ?)`,
    ...[holder, since, holder, since],
  );
  return row !== undefined;
};

/** A lease that was found to have run out, and who held it. */
export interface RunOutLease extends ExpiredLease {
  readonly holder: string;
}

/**
 * Clears the flags of an expired lease, so that the queue offers its task. The flags are derived, so the lease's revision stays; the
 * caller's record must name the lease, because nobody can tell later from the store alone that its time was over.
 */
export const unflag = async (tx: Tx, n: number): Promise<RunOutLease> => {
  await tx.run('UPDATE leases SET flagged = 0 WHERE task_n = ?', n);
  await tx.run('UPDATE tasks SET leased = 0 WHERE n = ?', n);
  const { rev = 0, holder = '' } = (await findLease(tx, n)) ?? {};
  return { task_id: taskId(n), rev, holder };
};

/** Clears the flag of the lease of one task, if it has run out and is still flagged. */
export const unflagIfExpired = async (tx: Tx, n: number, now: string): Promise<RunOutLease | undefined> => {
  const row = await tx.get('SELECT task_n FROM leases WHERE task_n = ? AND flagged = 1 AND until <= ?', n, now);
  return row === undefined ? undefined : unflag(tx, n);
};

/** Locks the task of an expired lease, and looks again whether it is one. False if another transaction has the task. */
const mayUnflag = async (tx: Tx, n: number, now: string): Promise<boolean> => {
  if (tx.lock === undefined) return true;
  const task = await tx.get(`SELECT t.n FROM tasks t WHERE t.n = ? ${CLAIM_LOCKS.skip}`, n);
  const flagged = 'SELECT 1 AS found FROM leases WHERE task_n = ? AND flagged = 1 AND until <= ?';
  return task !== undefined && (await tx.get(flagged, n, now)) !== undefined;
};

/** Clears the flags of at most `limit` expired leases, the longest expired first. */
export const unflagExpired = async (tx: Tx, now: string, limit: number): Promise<RunOutLease[]> => {
  const rows = await tx.all<{ task_n: number }>(
    'SELECT task_n FROM leases WHERE flagged = 1 AND until <= ? ORDER BY until LIMIT ?',
    now,
    limit,
  );
  const expired: RunOutLease[] = [];
  for (const { task_n } of rows) if (await mayUnflag(tx, task_n, now)) expired.push(await unflag(tx, task_n));
  return expired;
};
