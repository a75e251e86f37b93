// The SQL of leases. A lease is a row of its own with its own revision: extending it never changes the task's version.
// The token only grows, so a worker that lost its lease can be told from the one that holds it now.
import { type Evidence, rowSalt, subjectOf } from '../../ledger/evidence.js';
import type { ReadTx, Tx } from '../../store/store.js';
import { type Lease, minutesAfter, nextToken, taskId } from './task.js';

const COLUMNS = 'task_n, token, holder, until, minutes, released, rev';

export const findLease = (tx: ReadTx, n: number): Promise<Lease | undefined> =>
  tx.get<Lease>(`SELECT ${COLUMNS} FROM leases WHERE task_n = ?`, n);

/** `flagged` here and `leased` on the task are one derived fact: the queue must look past this task. */
const store = async (tx: Tx, evidence: Evidence, lease: Lease): Promise<Lease> => {
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

export interface NewLease {
  readonly holder: string;
  readonly minutes: number;
  readonly now: string;
}

/** A new lease after whatever there was before. */
export const grantLease = async (tx: Tx, evidence: Evidence, n: number, wanted: NewLease): Promise<Lease> => {
  const before = await findLease(tx, n);
  const { holder, minutes, now } = wanted;
  const until = minutesAfter(now, minutes);
  const fresh = { token: nextToken(n, before?.token), rev: (before?.rev ?? 0) + 1 };
  return store(tx, evidence, { task_n: n, holder, minutes, until, released: 0, ...fresh });
};

/** The holder works: the lease runs its full time again from now. */
export const extendLease = (tx: Tx, evidence: Evidence, lease: Lease, now: string): Promise<Lease> =>
  store(tx, evidence, { ...lease, until: minutesAfter(now, lease.minutes), rev: lease.rev + 1 });

export const releaseLease = (tx: Tx, evidence: Evidence, lease: Lease): Promise<Lease> =>
  store(tx, evidence, { ...lease, released: 1, rev: lease.rev + 1 });

/** Takes the flag off a lease that has run out. The lease itself says enough: no revision. */
export const unflag = async (tx: Tx, n: number): Promise<void> => {
  await tx.run('UPDATE leases SET flagged = 0 WHERE task_n = ?', n);
  await tx.run('UPDATE tasks SET leased = 0 WHERE n = ?', n);
};

/** The same for the leases that ran out longest ago. */
export const unflagExpired = async (tx: Tx, now: string, limit: number): Promise<void> => {
  const expired = await tx.all<{ task_n: number }>(
    'SELECT task_n FROM leases WHERE flagged = 1 AND until <= ? ORDER BY until LIMIT ?',
    now,
    limit,
  );
  for (const { task_n } of expired) await unflag(tx, task_n);
};
