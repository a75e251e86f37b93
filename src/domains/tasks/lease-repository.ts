// The SQL that reads and writes leases of tasks. A lease is a row of its own with its own revision, so extending it does not change the task's
// version. Lease tokens only grow, so a worker that lost its lease can be told from the worker that holds it now (fencing).
import type { EvidenceWork, Writing } from '../../call/define-tool.js';
import { rowSalt, subjectOf } from '../../ledger/evidence.js';
import type { ExpiredLease } from '../../proof/records.js';
import type { ReadTx, Tx } from '../../store/store.js';
import { type Lease, minutesAfter, nextToken, taskId } from './task.js';

type LeaseWork = Pick<Writing, 'tx' | 'evidence' | 'now'>;

const COLUMNS = 'task_n, token, holder, until, minutes, released, rev';

export const findLease = (tx: ReadTx, n: number): Promise<Lease | undefined> =>
  tx.get<Lease>(`SELECT ${COLUMNS} FROM leases WHERE task_n = ?`, n);

/** Writes a lease. The derived columns `leases.flagged` and `tasks.leased` both say whether the queue skips the task. */
const store = async ({ tx, evidence }: EvidenceWork, lease: Lease): Promise<Lease> => {
  const { log, seq } = await evidence.place();
  const salt = rowSalt();
  const { task_n, token, holder, until, minutes, released, rev } = lease;
  const flagged = released === 0 ? 1 : 0;
  await tx.run(
    `INSERT INTO leases (${COLUMNS}, salt, log_id, seq, flagged) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (task_n) DO UPDATE SET token = excluded.token, holder = excluded.holder, until = excluded.until,
       minutes = excluded.minutes, released = excluded.released, rev = excluded.rev, salt = excluded.salt,
       log_id = excluded.log_id, seq = excluded.seq, flagged = excluded.flagged`,
    ...[task_n, token, holder, until, minutes, released, rev, salt, log, seq, flagged],
  );
  await tx.run('UPDATE tasks SET leased = ? WHERE n = ?', flagged, task_n);
  const columns = { token, holder, until, minutes, released };
  evidence.add(subjectOf({ type: 'lease', id: taskId(task_n), rev, salt, columns }));
  return lease;
};

/** Grants a new lease on a task. It replaces the task's earlier lease, if there was one. */
export const grantLease = async (work: LeaseWork, n: number, holder: string, minutes: number): Promise<Lease> => {
  const before = await findLease(work.tx, n);
  const fresh = { token: nextToken(n, before?.token), rev: (before?.rev ?? 0) + 1 };
  return store(work, { task_n: n, holder, minutes, until: minutesAfter(work.now, minutes), released: 0, ...fresh });
};

/** Extends a lease, because its holder is active: the lease runs for its full time again, from now on. */
export const extendLease = (work: LeaseWork, lease: Lease): Promise<Lease> =>
  store(work, { ...lease, until: minutesAfter(work.now, lease.minutes), rev: lease.rev + 1 });

export const releaseLease = (work: EvidenceWork, lease: Lease): Promise<Lease> =>
  store(work, { ...lease, released: 1, rev: lease.rev + 1 });

/**
 * Clears the flags of an expired lease, so that the queue offers its task. The flags are derived, so the lease's revision stays; the
 * caller's record must name the lease, because nobody can tell later from the store alone that its time was over.
 */
export const unflag = async (tx: Tx, n: number): Promise<ExpiredLease> => {
  await tx.run('UPDATE leases SET flagged = 0 WHERE task_n = ?', n);
  await tx.run('UPDATE tasks SET leased = 0 WHERE n = ?', n);
  return { task_id: taskId(n), rev: (await findLease(tx, n))?.rev ?? 0 };
};

/** Clears the flags of at most `limit` expired leases, the longest expired first. */
export const unflagExpired = async (tx: Tx, now: string, limit: number): Promise<ExpiredLease[]> => {
  const rows = await tx.all<{ task_n: number }>(
    'SELECT task_n FROM leases WHERE flagged = 1 AND until <= ? ORDER BY until LIMIT ?',
    now,
    limit,
  );
  const expired: ExpiredLease[] = [];
  for (const { task_n } of rows) expired.push(await unflag(tx, task_n));
  return expired;
};
