// Checks one session, or one task with its sessions, and the single records that their rows point to.
import { taskId, taskNumber } from '../domains/tasks/task.js';
import { checkSession, checkTaskRows, sessionsOfTask } from './evidence/index.js';
import { actionAt, isTask, tileAt } from './log/ledger-repository.js';
import { checkRecord, type RecordSpot } from './log/record.js';
import type { StoreReader, StoreSnapshot } from './reading.js';
import { addFinding, addFound, type Found, foundOf, guarded } from './verdict/finding-list.js';

const checkPlace = (tx: StoreSnapshot, { log, seq }: RecordSpot, found: Found): void => {
  const where = { log, seq };
  const row = actionAt(tx, log, seq);
  const fault = row === undefined ? 'The record is missing.' : checkRecord(row, where).fault;
  if (fault !== undefined) addFinding(found, 'record', where, fault);
};

export interface SessionsReport {
  readonly found: Found;
  readonly sessions: number;
  readonly thoughts: number;
  readonly records: number;
}

/** Checks one session and the records that it points to; undefined if there is no such session. */
export const checkOneSession = (reader: StoreReader, id: string): SessionsReport | undefined =>
  reader.snapshot((tx) => {
    const report = checkSession(tx, id);
    if (report === undefined) return undefined;
    const found = foundOf(report.findings);
    for (const place of report.places) guarded(found, 'record', place, () => checkPlace(tx, place, found));
    return { found, sessions: 1, thoughts: report.thoughts, records: report.places.length };
  });

const checkTaskRow = (reader: StoreReader, n: number): { readonly found: Found; readonly records: number } =>
  reader.snapshot((tx) => {
    const { findings, places } = checkTaskRows(tx, n);
    const found = foundOf(findings);
    for (const place of places) guarded(found, 'record', place, () => checkPlace(tx, place, found));
    return { found, records: places.length };
  });

/** Checks a task, its lease, its sessions and the records that they point to; undefined if there is no such task. */
export const checkTaskSessions = (reader: StoreReader, id: string): SessionsReport | undefined => {
  const n = taskNumber(id);
  const ids = reader.snapshot((tx) => {
    if (n === undefined || taskId(n) !== id || !isTask(tx, n)) return undefined;
    return sessionsOfTask(tx, id);
  });
  if (ids === undefined || n === undefined) return undefined;
  const { found, records } = checkTaskRow(reader, n);
  const sums = { sessions: 0, thoughts: 0, records };
  for (const session of ids) {
    const report = checkOneSession(reader, session);
    if (report === undefined) continue;
    addFound(found, report.found);
    sums.sessions += 1;
    sums.thoughts += report.thoughts;
    sums.records += report.records;
  }
  return { found, ...sums };
};

/**
 * The stored Merkle roots of complete ranges of records, used instead of hashing the records if a head that the user trusts covers them.
 */
export const storedRoots = (reader: StoreReader, log: string, level: number, count: number): unknown[] =>
  reader.snapshot((tx) => Array.from({ length: count }, (_, idx) => tileAt(tx, log, level, idx)));
