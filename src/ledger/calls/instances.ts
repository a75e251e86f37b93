// Records the start and end of each instance (Colibri process) that writes a log, and closes the open calls of instances that died.

import type { BootRecord, ShutdownRecord } from '../../proof/records.js';
import type { ReadTx, Store, Tx } from '../../store/store.js';
import { recordBeside } from '../beside.js';
import { readHead } from '../head.js';
import { append } from '../ledger.js';
import { LEDGER_LIMITS } from '../limits.js';
import { findOutcome, outcomeIdOf } from '../outcomes.js';
import type { OwnLog } from '../own-log.js';
import type { CallLedger } from './call-ledger.js';

export interface InstancePlace {
  readonly store: Store;
  readonly log: OwnLog;
  readonly now: () => string;
}

/** Appends the first record of a process, in a transaction of `openLog`. The process already holds its lock, so others can see that it is alive. */
export const recordBoot = async (tx: Tx, log: OwnLog, at: string, boot: BootRecord): Promise<void> => {
  const [appended] = await append(tx, log, [{ at, record: boot }]);
  await tx.run(
    'INSERT INTO instances (instance, log_id, boot_seq, pid, started_at) VALUES (?, ?, ?, ?, ?)',
    boot.instance,
    log.id,
    appended?.seq ?? 0,
    boot.pid,
    at,
  );
};

/** Appends the last record of an instance. The instance's row is deleted unless calls without an outcome remain, which the next process to start closes. */
export const endInstance = async (
  { store, log, now }: InstancePlace,
  record: Omit<ShutdownRecord, 'kind'>,
  leavesCalls: boolean,
): Promise<void> => {
  await store.write(
    async (tx) => {
      const at = now();
      await recordBeside(tx, { log, instance: record.instance, at });
      await append(tx, log, [{ at, record: { kind: 'shutdown', ...record } }]);
      if (!leavesCalls) await tx.run('DELETE FROM instances WHERE instance = ?', record.instance);
    },
    { log: log.id },
  );
};

interface OpenCall {
  readonly sequenceNo: number;
  readonly call: string;
  readonly tool: string;
}

/** Ids of records: from `from`, inclusive, to `to`, exclusive. */
interface IdRange {
  readonly from: number;
  readonly to: number;
}

/** The calls of one instance without an outcome, among these records of a log. */
const openCalls = async (tx: ReadTx, log: string, instance: string, { from, to }: IdRange): Promise<OpenCall[]> => {
  const rows = await tx.all<{ seq: number; body: string }>(
    `SELECT e.seq, e.body FROM actions e
     WHERE e.log_id = ? AND e.id >= ? AND e.id < ? AND e.kind = 'call.enter' AND ${outcomeIdOf('e')} IS NULL ORDER BY e.id`,
    log,
    from,
    to,
  );
  return rows
    .map((row) => ({ seq: row.seq, ...(JSON.parse(row.body) as { instance: string; call: string; tool: string }) }))
    .filter((row) => row.instance === instance)
    .map(({ seq, call, tool }) => ({ sequenceNo: seq, call, tool }));
};

interface Closing extends InstancePlace {
  readonly ledger: CallLedger;
}

/** Appends the outcome `interrupted` for each call. Another process may do the same, so calls that have an outcome by now are skipped. */
const interruptIn = async (tx: Tx, { log, now, ledger }: Closing, calls: readonly OpenCall[]): Promise<void> => {
  for (const { sequenceNo, call, tool } of calls) {
    if ((await findOutcome(tx, log.id, sequenceNo)) === undefined)
      await ledger.close(tx, sequenceNo, { kind: 'call.exit', at: now(), call, tool, outcome: 'interrupted' });
  }
};

/** Closes the open calls of an instance among the records that its log has now. Returns their number, and the position that was reached. */
const closeInParts = async (closing: Closing, instance: string, begin: number) => {
  const { store, log } = closing;
  const { base, size } = await store.read((tx) => readHead(tx, log.id));
  let closed = 0;
  for (let from = begin; from < size; from += LEDGER_LIMITS.sweepRecords) {
    const range = { from: base + from, to: base + Math.min(size, from + LEDGER_LIMITS.sweepRecords) };
    const calls = await store.read((tx) => openCalls(tx, log.id, instance, range));
    if (calls.length > 0) await store.write((tx) => interruptIn(tx, closing, calls), { log: log.id });
    closed += calls.length;
  }
  return { closed, reached: Math.max(begin, size) };
};

/**
 * Closes what the instance appended since, and deletes its row. Both happen in one transaction, under the lock of the log: should the instance live
 * after all, because only its connection to the server was cut, it finds its row gone before it appends anything more.
 */
const endOthers = ({ store, log, ...closing }: Closing, instance: string, reached: number): Promise<number> =>
  store.write(
    async (tx) => {
      const { base, size } = await readHead(tx, log.id);
      const calls = await openCalls(tx, log.id, instance, { from: base + reached, to: base + size });
      await interruptIn(tx, { store, log, ...closing }, calls);
      await tx.run('DELETE FROM instances WHERE instance = ?', instance);
      return calls.length;
    },
    { log: log.id },
  );

const forgetInstance = async (closing: Closing, instance: string, reached: number): Promise<number> => {
  const closed = await endOthers(closing, instance, reached);
  await closing.store.instances.forget(instance);
  return closed;
};

/**
 * Ends an instance that may still run, before its journal is read: else it could append a call whose intent was just recovered from there. Its lock
 * file stays until its journal is gone.
 */
export const endBeforeRecovery = async (place: InstancePlace, ledger: CallLedger, instance: string): Promise<void> => {
  const { store, log } = place;
  if (store.instances.mayRunOn !== true) return;
  const closing = { ...place, ledger };
  const row = await store.read((tx) =>
    tx.get<{ boot_seq: number }>('SELECT boot_seq FROM instances WHERE instance = ? AND log_id = ?', instance, log.id),
  );
  if (row === undefined) return;
  const { reached } = await closeInParts(closing, instance, row.boot_seq);
  await endOthers(closing, instance, reached);
};

/**
 * Closes the open calls of dead instances as `interrupted` and returns the number of these calls. Only an instance's lock decides whether
 * it is dead: a stopped process is alive. An instance that `isNeeded` keeps its lock file: it may have died after its journal was looked for.
 */
export const closeInterrupted = async (
  place: InstancePlace,
  ledger: CallLedger,
  isNeeded: (instance: string) => boolean = () => false,
): Promise<number> => {
  const { store, log } = place;
  const closing = { ...place, ledger };
  const known = await store.read((tx) =>
    tx.all<{ instance: string; boot_seq: number }>('SELECT instance, boot_seq FROM instances WHERE log_id = ?', log.id),
  );
  let total = 0;
  for (const { instance, boot_seq } of known) {
    if (await store.instances.isAlive(instance)) continue;
    const { closed, reached } = await closeInParts(closing, instance, boot_seq);
    total += closed;
    if (!isNeeded(instance)) total += await forgetInstance(closing, instance, reached);
  }
  return total;
};
