// Which records of each log a page shows.

import { findLease } from '../../domains/tasks/lease-repository.js';
import { findTask } from '../../domains/tasks/repository.js';
import { taskId, taskNumber } from '../../domains/tasks/task.js';
import { parseObject } from '../../proof/canonical-json.js';
import type { ReadTx } from '../../store/store.js';
import { CLI_LIMITS } from '../limits.js';
import { recordById, recordsBefore } from '../records/log-repository.js';
import { allLogs, type LogInfo } from '../records/record-repository.js';
import { wrong } from '../target.js';
import { historyOf } from '../tasks/history.js';
import { type PageStretch, sessionNamed, sessionsOn, thoughtPlacesOf } from './repository.js';

export interface PageQuestion {
  readonly task?: string | undefined;
  readonly session?: string | undefined;
  readonly since?: string | undefined;
}

/** A log and the stretches of its records that are shown, in order. */
export interface ShownLog {
  readonly info: LogInfo;
  readonly stretches: readonly PageStretch[];
}

const stretch = ({ log_id: log, base }: LogInfo, from: number, to: number): PageStretch => ({ log, base, from, to });

/** The newest records of each log, as many as the log's share of `most`. */
export const newestRecords = async (tx: ReadTx, since: string | undefined, most: number): Promise<ShownLog[]> => {
  const logs = await allLogs(tx);
  const parts: { info: LogInfo; from: number }[] = [];
  for (const info of logs) parts.push({ info, from: since === undefined ? 0 : await recordsBefore(tx, info, since) });
  const wanted = parts.reduce((sum, { info, from }) => sum + info.size - from, 0);
  const part = Math.min(1, most / Math.max(1, wanted));
  return parts.map(({ info, from }) => {
    const first = info.size - Math.floor((info.size - from) * part);
    return { info, stretches: first < info.size ? [stretch(info, first, info.size)] : [] };
  });
};

interface Place {
  readonly log_id: string;
  readonly seq: number;
}

/** The stretches of the records at these places, with the intent of each outcome. */
const stretchesOf = async (tx: ReadTx, places: readonly Place[]): Promise<ShownLog[]> => {
  const shown: ShownLog[] = [];
  for (const info of await allLogs(tx)) {
    const seqs = new Set<number>();
    for (const { seq } of places.filter(({ log_id }) => log_id === info.log_id)) {
      const { sequence_no: intent } = parseObject((await recordById(tx, info.base + seq))?.body ?? '');
      seqs.add(seq);
      if (typeof intent === 'number' && intent < seq) seqs.add(intent);
    }
    const stretches: PageStretch[] = [];
    for (const seq of [...seqs].sort((a, b) => a - b)) {
      const last = stretches.at(-1);
      if (last?.to === seq) stretches[stretches.length - 1] = { ...last, to: seq + 1 };
      else stretches.push(stretch(info, seq, seq + 1));
    }
    if (stretches.length > 0) shown.push({ info, stretches });
  }
  return shown;
};

const placesOfSession = async (tx: ReadTx, id: string): Promise<Place[]> => {
  const row = await sessionNamed(tx, id);
  return row === undefined ? [] : [row, ...(await thoughtPlacesOf(tx, id))];
};

const placesOfTask = async (tx: ReadTx, text: string): Promise<Place[]> => {
  const n = taskNumber(text);
  const task = n === undefined ? undefined : await findTask(tx, n);
  if (task === undefined)
    throw wrong(`The store has no task ${text}.`, '`colibri tasks --all` shows all tasks of the store.');
  const { entries } = await historyOf(tx, task, await findLease(tx, task.n));
  const places: Place[] = entries.map(({ log, seq }) => ({ log_id: log, seq }));
  for (const session of await sessionsOn(tx, taskId(task.n))) places.push(...(await placesOfSession(tx, session)));
  return places;
};

/** The records that a page shows: those of a task, of a session, or the newest. */
export const shownRecords = async (tx: ReadTx, { task, session, since }: PageQuestion): Promise<ShownLog[]> => {
  if (task !== undefined) return stretchesOf(tx, await placesOfTask(tx, task));
  if (session === undefined) return newestRecords(tx, since, CLI_LIMITS.pageRecords);
  const places = await placesOfSession(tx, session);
  if (places.length === 0)
    throw wrong(`The store has no session ${session}.`, '`colibri log --session <id>` finds sessions.');
  return stretchesOf(tx, places);
};
