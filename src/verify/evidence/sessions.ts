// Checks the rows of sessions: the record that opened a session, and the record that sealed it (number and root of its thoughts).
import { genesisHash, type SessionStart } from '../../domains/trail/thought.js';
import { subjectOf } from '../../ledger/evidence.js';
import { grow, rootOf } from '../../ledger/tree.js';
import type { Frontier } from '../../proof/merkle.js';
import { VERIFY_LIMITS } from '../limits.js';
import type { StoreReading } from '../reading.js';
import type { Finding, Where } from '../verdict/finding.js';
import { countSessionThoughts, evidenceLogs, type StoredRow, storedHashesFrom } from './evidence-repository.js';
import { namedBy, type ReadRecord, recordOf, sayPointer, shown } from './pointer.js';
import type { Walked } from './walk.js';

const COLUMNS = [
  'intent',
  'task_id',
  'agent_id',
  'opened_by',
  'started_at',
  'genesis_hash',
  'finalized_at',
  'root',
  'record_count',
] as const;

const OPEN = 1;
const SEALED = 2;

/** The RFC 6962 root over a session's thoughts and their number, counted from the first thought up to the first gap. */
const rootOfThoughts = (tx: StoreReading, sessionId: string): { root: string; count: number } => {
  let frontier: Frontier = [];
  let count = 0;
  for (;;) {
    const hashes = storedHashesFrom(tx, sessionId, count, VERIFY_LIMITS.sessionHashes);
    for (const { hash } of hashes) {
      frontier = grow(frontier, count, String(hash)).frontier;
      count += 1;
    }
    if (hashes.length < VERIFY_LIMITS.sessionHashes) return { root: rootOf(frontier), count };
  }
};

/**
 * Checks the hash of a session's beginning, which covers the log in which the session was opened. A sealed session's row names the log of
 * the seal, so then any log may be the right one.
 */
const genesisFindings = (tx: StoreReading, row: StoredRow, where: Where): Finding[] => {
  const logs = row.rev === OPEN ? [row.log_id] : [row.log_id, ...evidenceLogs(tx).map(({ log_id }) => log_id)];
  const { session_id, intent, task_id, agent_id, started_at } = row;
  const start = { session_id, intent, task_id, agent_id, started_at };
  const isBegun = logs.some((log) => genesisHash({ log, ...start } as unknown as SessionStart) === row.genesis_hash);
  return isBegun ? [] : [sayPointer('chain', where, 'genesis_hash does not match how it began')];
};

const openFindings = (row: StoredRow, where: Where): Finding[] =>
  row.finalized_at === null && row.root === null && row.record_count === null
    ? []
    : [sayPointer('chain', where, 'is open but has an end')];

const sealFindings = (tx: StoreReading, row: StoredRow, record: ReadRecord | undefined, where: Where): Finding[] => {
  const body = record?.body ?? {};
  if (body.kind !== 'seal' || body.session_id !== row.session_id)
    return [sayPointer('chain', where, 'is closed, but not by a seal of its own')];
  const findings = (['genesis_hash', 'root', 'record_count'] as const)
    .filter((column) => body[column] !== row[column])
    .map((column) =>
      sayPointer('chain', where, `${column} is ${shown(row[column])}, the seal says ${shown(body[column])}`),
    );
  if (body.at !== row.finalized_at)
    findings.push(sayPointer('chain', where, 'finalized_at is not the time of its seal'));
  const sessionId = String(row.session_id);
  const { root, count } = rootOfThoughts(tx, sessionId);
  if (count !== row.record_count || countSessionThoughts(tx, sessionId) !== count)
    findings.push(
      sayPointer('chain', where, `was sealed with ${shown(row.record_count)} thoughts, ${count} are there`),
    );
  if (root !== row.root) findings.push(sayPointer('chain', where, 'root does not match its thoughts'));
  return findings;
};

const stateFindings = (tx: StoreReading, row: StoredRow, record: ReadRecord | undefined, where: Where): Finding[] => {
  if (row.rev === OPEN) return openFindings(row, where);
  if (row.rev === SEALED) return sealFindings(tx, row, record, where);
  return [sayPointer('chain', where, `a session has no revision ${shown(row.rev)}`)];
};

const checkSessionRow = (tx: StoreReading, row: StoredRow): Finding[] => {
  const id = String(row.session_id);
  const where = { table: 'sessions', id };
  const record = recordOf(tx, row);
  const columns = Object.fromEntries(COLUMNS.map((column) => [column, row[column]]));
  const subject = subjectOf({ type: 'session', id, rev: row.rev as number, salt: row.salt as string, columns });
  return [
    ...namedBy(record, subject, where),
    ...(typeof row.session_id === 'string' ? [] : [sayPointer('row', where, 'session_id is not text')]),
    ...genesisFindings(tx, row, where),
    ...stateFindings(tx, row, record, where),
  ];
};

export const SESSIONS: Walked = { table: 'sessions', idOf: ({ session_id }) => session_id, check: checkSessionRow };
