// Counts today's calls by outcome for `colibri status`. At most CLI_LIMITS.lookRecords of the newest records are read.

import { parseObject } from '../../proof/json-object.js';
import type { ReadTx } from '../../store/store.js';
import { CLI_LIMITS } from '../limits.js';
import { type CallView, callView } from '../records/call-view.js';
import { type LogPlace, recordsBefore, recordTime, type Stretch } from '../records/log-repository.js';
import { midnight } from '../screen/time.js';
import { countOutcomes, openIntents, troubles } from './repository.js';

export interface CallsToday {
  readonly ended: number;
  /** How many calls ended with each outcome other than ok. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly running: number;
  /** How many calls may or may not have had their effect: today's, and those that dead processes left without an outcome. */
  readonly unknown: number;
  /** The time from which calls are counted, if today has more records than are read; else null. */
  readonly counted_since: string | null;
}

/** Reads a call from its records; only the fields that are counted here are valid. */
const viewOf = (body: string, intent: string | null, isEnded: boolean, alive: ReadonlySet<string>): CallView =>
  callView(
    {
      id: 0,
      log_id: '',
      seq: 0,
      kind: isEnded ? 'call.exit' : 'call.enter',
      at: '',
      body,
      leaf: '',
      intent,
      began: null,
      texts: null,
    },
    alive,
  );

interface Part {
  readonly today: Stretch;
  /** The range of records in which calls without an outcome are searched. */
  readonly near: Stretch;
  readonly cutAt: string | null;
}

const partOf = async (tx: ReadTx, log: LogPlace, nowMs: number, most: number): Promise<Part> => {
  const { base, size } = log;
  const first = await recordsBefore(tx, log, new Date(midnight(nowMs)).toISOString());
  const near = Math.max(0, size - most);
  const isCut = near > first;
  return {
    today: { from: base + Math.max(first, near), to: base + size },
    near: { from: base + near, to: base + size },
    cutAt: isCut ? ((await recordTime(tx, base + near)) ?? null) : null,
  };
};

/** Counts today's calls in all logs; each log may use an equal part of the most records that are read. */
export const callsToday = async (
  tx: ReadTx,
  logs: readonly LogPlace[],
  alive: ReadonlySet<string>,
  nowMs: number,
): Promise<CallsToday> => {
  const most = Math.floor(CLI_LIMITS.lookRecords / Math.max(1, logs.length));
  const outcomes: Record<string, number> = {};
  let [ended, running, unknown] = [0, 0, 0];
  let cut: string | null = null;
  for (const log of logs) {
    const { today, near, cutAt } = await partOf(tx, log, nowMs, most);
    ended += await countOutcomes(tx, today);
    for (const { body, intent } of await troubles(tx, today)) {
      const call = viewOf(body, intent, true, alive);
      outcomes[call.outcome] = (outcomes[call.outcome] ?? 0) + 1;
      if (call.unknown) unknown += 1;
    }
    for (const { body } of await openIntents(tx, near)) {
      const call = viewOf(body, null, false, alive);
      if (call.outcome === 'running') running += 1;
      else if (call.unknown) unknown += 1;
    }
    if (cutAt !== null && (cut === null || cutAt > cut)) cut = cutAt;
  }
  return { ended, outcomes, running, unknown, counted_since: cut };
};

/** Reads the mode and version from the boot record of a Colibri process. */
export const bootWords = (body: string | undefined): { readonly mode: string; readonly version: string } | null => {
  if (body === undefined) return null;
  const { mode, version } = parseObject(body);
  return { mode: String(mode), version: String(version) };
};
