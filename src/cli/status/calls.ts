// Counts today's calls by outcome for `colibri status`. At most CLI_LIMITS.lookRecords of the newest records are read.
import type { ReadTx } from '../../store/store.js';
import { CLI_LIMITS } from '../limits.js';
import { callView } from '../records/call-view.js';
import { countEnded, isOpen, isTrouble, recordsBefore, recordsBetween, recordTime } from '../records/log-repository.js';
import type { LogInfo } from '../records/record-repository.js';
import { midnight } from '../screen/time.js';

/** The ranges of a log's records that are read: `today`, and `near`, in which calls without an outcome are searched. */
const rangesOf = async (tx: ReadTx, log: LogInfo, nowMs: number, most: number) => {
  const { base, size } = log;
  const first = await recordsBefore(tx, log, new Date(midnight(nowMs)).toISOString());
  const near = Math.max(0, size - most);
  return {
    today: { from: base + Math.max(first, near), to: base + size },
    near: { from: base + near, to: base + size },
    cutAt: near > first ? ((await recordTime(tx, base + near)) ?? null) : null,
  };
};

/** Counts today's calls in all logs; each log may use an equal part of the most records that are read. */
export const callsToday = async (tx: ReadTx, logs: readonly LogInfo[], alive: ReadonlySet<string>, nowMs: number) => {
  const most = Math.floor(CLI_LIMITS.lookRecords / Math.max(1, logs.length));
  /** How many calls ended with each outcome other than ok. */
  const outcomes: Record<string, number> = {};
  let [ended, running, unknown] = [0, 0, 0];
  let cut: string | null = null;
  for (const log of logs) {
    const { today, near, cutAt } = await rangesOf(tx, log, nowMs, most);
    ended += await countEnded(tx, today);
    for (const row of await recordsBetween(tx, today, [isTrouble])) {
      const call = callView(row, alive);
      outcomes[call.outcome] = (outcomes[call.outcome] ?? 0) + 1;
      if (call.unknown) unknown += 1;
    }
    for (const row of await recordsBetween(tx, near, [isOpen])) {
      const call = callView(row, alive);
      if (call.outcome === 'running') running += 1;
      else if (call.unknown) unknown += 1;
    }
    if (cutAt !== null && (cut === null || cutAt > cut)) cut = cutAt;
  }
  return {
    ended,
    outcomes,
    running,
    /** How many calls may or may not have had their effect: today's, and those that dead processes left without an outcome. */
    unknown,
    /** The time from which calls are counted, if today has more records than are read; else null. */
    counted_since: cut as string | null,
  };
};
