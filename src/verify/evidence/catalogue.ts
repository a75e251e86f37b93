// Checks the stored lists of other servers' tools (catalogues): the text against its digest, the row against its record.
import { hash } from 'node:crypto';
import { subjectOf } from '../../ledger/evidence.js';
import { catalogueId } from '../../switchboard/records/catalogue-key.js';
import type { StoreReading } from '../reading.js';
import type { Finding } from '../verdict/finding.js';
import type { StoredRow } from './evidence-repository.js';
import { namedBy, recordOf, sayPointer } from './pointer.js';
import type { Walked } from './walk.js';

const COLUMNS = ['server', 'connection', 'client', 'digest', 'read_at'] as const;

const idOf = ({ server, connection, client }: StoredRow): string =>
  catalogueId({ server: String(server), connection: String(connection), client: String(client) });

const checkCatalogue = (tx: StoreReading, row: StoredRow): Finding[] => {
  const id = idOf(row);
  const where = { table: 'catalogue', id };
  const columns = Object.fromEntries(COLUMNS.map((column) => [column, row[column]]));
  const subject = subjectOf({ type: 'catalogue', id, rev: row.rev as number, salt: row.salt as string, columns });
  const record = recordOf(tx, row);
  const isDigested = typeof row.tools === 'string' && hash('sha256', row.tools) === row.digest;
  const isRecorded = record === undefined || (record.body.digest === row.digest && record.body.at === row.read_at);
  return [
    ...namedBy(record, subject, where),
    ...(isDigested ? [] : [sayPointer('row', where, 'tools do not match its digest')]),
    ...(isRecorded ? [] : [sayPointer('row', where, 'its record names another list')]),
  ];
};

export const CATALOGUE: Walked = { table: 'catalogue', idOf, check: checkCatalogue };
