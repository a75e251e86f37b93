// Checks one session completely: its row, its thoughts and its seal; also returns the places of the records that the rows point to.
import type { EvidencePlace } from '../../ledger/evidence.js';
import { VERIFY_LIMITS } from '../limits.js';
import type { StoreReading } from '../reading.js';
import type { Finding } from '../verdict/finding.js';
import { erasures } from './erasures.js';
import { type StoredRow, sessionsAbout } from './evidence-repository.js';
import { SESSIONS } from './sessions.js';
import { thoughts } from './thoughts.js';
import { checkRow } from './walk.js';

export interface SessionReport {
  readonly findings: Finding[];
  readonly thoughts: number;
  /** The records that the session's rows point to, each once, in the order of the rows. */
  readonly places: readonly EvidencePlace[];
}

/** The record that a row points to; empty if the pointer is invalid. */
export const placeOf = ({ log_id: log, seq }: StoredRow): EvidencePlace[] =>
  typeof log === 'string' && typeof seq === 'number' ? [{ log, seq }] : [];

/** Checks one session; undefined if there is no such session. */
export const checkSession = (tx: StoreReading, sessionId: string): SessionReport | undefined => {
  const session = tx.engine.sessionRow(tx, sessionId);
  if (session === undefined) return undefined;
  const walked = thoughts(erasures('thought'));
  const findings = checkRow(tx, SESSIONS, session);
  const places = new Map<string, EvidencePlace>();
  const note = (row: StoredRow): void => {
    for (const place of placeOf(row)) places.set(`${place.log} ${place.seq}`, place);
  };
  let count = 0;
  for (;;) {
    const rows = tx.engine.thoughtsOf(tx, sessionId, { offset: count, limit: VERIFY_LIMITS.sessionThoughts });
    for (const row of rows) {
      findings.push(...checkRow(tx, walked, row));
      note(row);
    }
    count += rows.length;
    if (rows.length < VERIFY_LIMITS.sessionThoughts) break;
  }
  note(session);
  return { findings, thoughts: count, places: [...places.values()] };
};

/** The ids of the sessions that are about a task or hold a thought about the task. */
export const sessionsOfTask = (tx: StoreReading, taskId: string): string[] => sessionsAbout(tx, taskId);
