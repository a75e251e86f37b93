// The state of each log for `colibri status`: its size, how much is signed, and whether it continues the newest head outside the store.

import { readHead } from '../../ledger/ledger.js';
import { coveringCheckpoint } from '../../ledger/prove.js';
import { lostHead } from '../../ledger/signer.js';
import { rootOf } from '../../ledger/tree.js';
import type { ReadTx } from '../../store/store.js';
import { CLI_LIMITS } from '../limits.js';
import type { StoreAt } from '../place.js';
import { allLogs, type LogPlace, recordsBefore, recordTime } from '../records/log-repository.js';
import { oneLine } from '../screen/print.js';
import { DAY_MS } from '../screen/time.js';

/** The newest known head against its log. `same`: equal size; `behind`: the log has grown since; `lost`: the log lacks what was signed. */
type HeadStanding = 'same' | 'behind' | 'lost' | 'none' | 'unreadable';

export interface LogStatus {
  readonly log: string;
  readonly node: string;
  /** Whether this user on this machine writes the log. */
  readonly own: boolean;
  readonly closed: boolean;
  readonly size: number;
  readonly root: string;
  /** How many records the log's newest signature covers; `signed_to` is the time of the last of them. */
  readonly signed_size: number;
  readonly signed_to: string | null;
  readonly known_head: { readonly size: number; readonly standing: HeadStanding; readonly problem: string | null };
}

export interface Growth {
  readonly records: number;
  readonly last_24_h: number;
  readonly last_7_d: number;
}

const DAYS_OF_A_WEEK = 7;

const knownHead = async (
  tx: ReadTx,
  { heads }: StoreAt,
  { log_id, size }: LogPlace,
): Promise<LogStatus['known_head']> => {
  try {
    const known = heads.largest(log_id);
    if (known === 0) return { size: 0, standing: 'none', problem: null };
    const lost = await lostHead(tx, heads, log_id);
    if (lost !== undefined) return { size: lost.size, standing: 'lost', problem: null };
    return { size: known, standing: known === size ? 'same' : 'behind', problem: null };
  } catch (thrown) {
    return { size: 0, standing: 'unreadable', problem: oneLine(thrown) };
  }
};

const logStatus = async (tx: ReadTx, at: StoreAt, log: LogPlace): Promise<LogStatus> => {
  const { log_id, node, size, closed_at, base } = log;
  const signed = (await coveringCheckpoint(tx, { log: log_id, seq: 0 }))?.size ?? 0;
  const { frontier } = await readHead(tx, log_id);
  return {
    log: log_id,
    node,
    own: node === at.node && closed_at === null,
    closed: closed_at !== null,
    size,
    root: rootOf(frontier),
    signed_size: signed,
    signed_to: signed === 0 ? null : ((await recordTime(tx, base + signed - 1)) ?? null),
    known_head: await knownHead(tx, at, log),
  };
};

export const ledgerStatus = async (tx: ReadTx, at: StoreAt): Promise<LogStatus[]> => {
  const open = (await allLogs(tx)).filter(({ closed_at }) => closed_at === null);
  const ordered = open.sort((a, b) => Number(b.node === at.node) - Number(a.node === at.node));
  const logs: LogStatus[] = [];
  for (const log of ordered.slice(0, CLI_LIMITS.statusLogs)) logs.push(await logStatus(tx, at, log));
  return logs;
};

export const growthOf = async (tx: ReadTx, logs: readonly LogPlace[], nowMs: number): Promise<Growth> => {
  const since = async (ms: number): Promise<number> => {
    const time = new Date(nowMs - ms).toISOString();
    let records = 0;
    for (const log of logs) records += log.size - (await recordsBefore(tx, log, time));
    return records;
  };
  return {
    records: logs.reduce((sum, { size }) => sum + size, 0),
    last_24_h: await since(DAY_MS),
    last_7_d: await since(DAYS_OF_A_WEEK * DAY_MS),
  };
};
