// Checks the idempotency keys of task_update. Nobody can recompute the digest of the request, because the request is not stored.
import { taskId } from '../../domains/tasks/task.js';
import { subjectOf } from '../../ledger/evidence.js';
import type { StoreReading } from '../reading.js';
import type { Finding } from '../verdict/finding.js';
import { isTaskRow, type StoredRow } from './evidence-repository.js';
import { namedBy, recordOf, sayPointer, shown } from './pointer.js';
import type { Walked } from './walk.js';

const idOf = ({ task_n, idempotency_key }: StoredRow): string =>
  `${typeof task_n === 'number' ? taskId(task_n) : shown(task_n)}/${String(idempotency_key)}`;

const DIGEST = /^[0-9a-f]{64}$/;

const checkReplay = (tx: StoreReading, row: StoredRow): Finding[] => {
  const [id, where] = [idOf(row), { table: 'replays', id: shown(idOf(row)) }];
  const { idempotency_key, request_digest, call_no } = row;
  const columns = { idempotency_key, request_digest, call_no };
  const record = recordOf(tx, row);
  const findings = namedBy(record, subjectOf({ type: 'replay', id, rev: 1, salt: row.salt as string, columns }), where);
  if (typeof row.task_n !== 'number' || !isTaskRow(tx, row.task_n))
    findings.push(sayPointer('row', where, 'is about a task that is not there'));
  if (typeof request_digest !== 'string' || !DIGEST.test(request_digest))
    findings.push(sayPointer('row', where, 'request_digest is not a digest'));
  if (record !== undefined && record.body.sequence_no !== call_no)
    findings.push(sayPointer('row', where, `call_no is ${shown(call_no)}, but another call made it`));
  return findings;
};

export const REPLAYS: Walked = { table: 'replays', idOf, check: checkReplay };
