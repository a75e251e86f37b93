// The state of each log for `colibri status`: its size, how much is signed, and whether it continues the newest head outside the store.
import { count } from '../../core/figures.js';
import { acceptedIn, bindingOf, copyText, earlierStoreText } from '../../ledger/binding.js';
import { readHead } from '../../ledger/head.js';
import { lostHead } from '../../ledger/heads.js';
import { coveringCheckpoint } from '../../ledger/prove.js';
import { rootOf } from '../../ledger/tree.js';
import type { ReadTx, Store } from '../../store/store.js';
import { CLI_LIMITS } from '../limits.js';
import type { StoreAt } from '../place.js';
import { recordsBefore, recordTime } from '../records/log-repository.js';
import { allLogs, type LogInfo } from '../records/record-repository.js';
import { oneLine } from '../screen/print.js';
import { DAY_MS } from '../screen/time.js';

/**
 * How the newest known head compares with its log. `same`: equal size; `behind`: the log has grown since; `lost`: the log lacks what was
 * signed.
 */
export type HeadStanding = 'same' | 'behind' | 'lost' | 'none' | 'unreadable';

const headStatus = (size: number, standing: HeadStanding, problem: string | null = null) => ({
  size,
  standing,
  problem,
});

const knownHead = async (tx: ReadTx, { heads }: StoreAt, { log_id, size }: LogInfo) => {
  try {
    const known = heads.largest(log_id);
    // A log that came with another store is continued there, if anywhere: its newest head says nothing about this store.
    if (known === 0 || (await acceptedIn(tx, heads)).copy.has(log_id)) return headStatus(0, 'none');
    const lost = await lostHead(tx, heads, log_id);
    return lost === undefined ? headStatus(known, known === size ? 'same' : 'behind') : headStatus(lost.size, 'lost');
  } catch (thrown) {
    return headStatus(0, 'unreadable', oneLine(thrown));
  }
};

const logStatus = async (tx: ReadTx, at: StoreAt, log: LogInfo) => {
  const { log_id, node, size, closed_at, base } = log;
  const signed = (await coveringCheckpoint(tx, { log: log_id, seq: 0 }))?.size ?? 0;
  const { frontier } = await readHead(tx, log_id);
  return {
    log: log_id,
    node,
    /** Whether this user on this machine writes the log. */
    own: node === at.node && closed_at === null,
    closed: closed_at !== null,
    size,
    root: rootOf(frontier),
    /** How many records the log's newest signature covers; `signed_to` is the time of the last of them. */
    signed_size: signed,
    signed_to: signed === 0 ? null : ((await recordTime(tx, base + signed - 1)) ?? null),
    known_head: await knownHead(tx, at, log),
  };
};

export type LogStatus = Awaited<ReturnType<typeof logStatus>>;

export const ledgerStatus = async (tx: ReadTx, at: StoreAt): Promise<LogStatus[]> => {
  const open = (await allLogs(tx)).filter(({ closed_at }) => closed_at === null);
  const ordered = open.sort((a, b) => Number(b.node === at.node) - Number(a.node === at.node));
  const logs: LogStatus[] = [];
  for (const log of ordered.slice(0, CLI_LIMITS.statusLogs)) logs.push(await logStatus(tx, at, log));
  return logs;
};

/**
 * Sentences about what the signed heads show and the store alone does not: it is a copy, it lacks a log, or another store was at its path
 * before.
 */
export const contradictionsOf = async (at: StoreAt, store: Store): Promise<string[]> => {
  try {
    const binding = await store.read((tx) => bindingOf(tx, at.heads, at.site));
    const { copyOf, missing } = binding;
    const earlier = earlierStoreText(binding);
    return [
      ...(copyOf === undefined ? [] : [copyText(copyOf)]),
      ...missing.map(({ log, size }) => `LOG ${log} IS GONE: ${count(size, 'record')} of it were signed.`),
      ...(earlier === undefined ? [] : [earlier]),
    ];
  } catch (thrown) {
    return [oneLine(thrown)];
  }
};

export const growthOf = async (tx: ReadTx, logs: readonly LogInfo[], nowMs: number) => {
  const since = async (ms: number): Promise<number> => {
    const time = new Date(nowMs - ms).toISOString();
    let records = 0;
    for (const log of logs) records += log.size - (await recordsBefore(tx, log, time));
    return records;
  };
  return {
    records: logs.reduce((sum, { size }) => sum + size, 0),
    last_24_h: await since(DAY_MS),
    last_7_d: await since(7 * DAY_MS),
  };
};
