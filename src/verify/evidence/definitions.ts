// Checks the stored definitions of other servers' tools: the text against its digest, which is also the row's id, and the row against its record.
import { hash } from 'node:crypto';
import { subjectOf } from '../../ledger/evidence.js';
import type { StoreReading } from '../reading.js';
import type { Finding } from '../verdict/finding.js';
import type { Erasures } from './erasures.js';
import type { StoredRow } from './evidence-repository.js';
import { namedBy, recordOf, sayPointer, shown } from './pointer.js';
import type { Walked } from './walk.js';

const checkDefinition =
  (erased: Erasures) =>
  (tx: StoreReading, row: StoredRow): Finding[] => {
    const { json } = row;
    const id = String(row.digest);
    const where = { table: 'definitions', id: shown(id) };
    const subject = subjectOf({ type: 'definition', id, rev: 1, salt: row.salt as string, columns: {} });
    const findings = namedBy(recordOf(tx, row), subject, where);
    if (json === null && !erased.has(tx, id))
      findings.push(sayPointer('row', where, 'is empty, and no record says why'));
    if (json !== null && (typeof json !== 'string' || hash('sha256', json) !== id))
      findings.push(sayPointer('row', where, 'its text is not that of its digest'));
    return findings;
  };

export const definitionRows = (erased: Erasures): Walked => ({
  table: 'definitions',
  idOf: ({ digest }) => digest,
  check: checkDefinition(erased),
});
