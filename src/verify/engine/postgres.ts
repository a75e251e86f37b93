// The answers of PostgreSQL to the questions of a verification.

import { heldQuery, isInstanceId } from '../../store/postgres/instance-lock.js';
import type { StoreReader } from '../reading.js';
import { addFinding, guarded, nothingFound } from '../verdict/finding-list.js';
import type { FileReport, VerifyEngine } from './engine.js';
import * as sql from './postgres-repository.js';
import { checkPostgresSchema, postgresFirstLook } from './postgres-schema.js';

const REFERENCES: readonly sql.Reference[] = [
  { table: 'task_dependencies', column: 'task_n', parent: 'tasks', key: 'n' },
  { table: 'task_dependencies', column: 'depends_on_n', parent: 'tasks', key: 'n' },
  { table: 'leases', column: 'task_n', parent: 'tasks', key: 'n' },
  { table: 'thoughts', column: 'session_id', parent: 'sessions', key: 'session_id' },
];

/** The files and their pages are the server's; what its rules should have kept is checked as far as SQL shows it. */
const checkServer = (reader: StoreReader): FileReport => {
  const found = nothingFound();
  guarded(found, 'file', { table: 'actions' }, () => {
    const { rows, said } = reader.snapshot(sql.recordCounts);
    if (rows !== said)
      addFinding(found, 'file', { table: 'actions' }, `The table has ${rows} rows; the logs have ${said} records.`);
  });
  for (const reference of REFERENCES) {
    const { table, parent } = reference;
    guarded(found, 'file', { table }, () => {
      for (const id of reader.snapshot((tx) => sql.danglingRows(tx, reference)))
        addFinding(
          found,
          'file',
          { table, id: String(id) },
          `The row refers to a row of ${parent} that does not exist.`,
        );
    });
  }
  return { found, covered: 'server' };
};

const textBytes = (value: unknown): unknown => (typeof value === 'string' ? Buffer.from(value) : value);

export const postgresEngine: VerifyEngine = {
  ...sql.postgresQueries,
  name: 'postgres',
  idRange: ['-9223372036854775808', '9223372036854775807'],
  numbersTable: 'tasks_n_seq',
  firstLook: postgresFirstLook,
  checkSchema: checkPostgresSchema,
  checkFile: checkServer,
  // The server refuses texts that are not UTF-8, so the bytes of a text are those of what was read.
  bodyBytes: (tx, id) => textBytes(sql.storedBody(tx, id)),
  payloadBytes: (tx, log, seq) => textBytes(sql.storedPayload(tx, log, seq)),
  bytesOf: (_tx, _table, column, row) => textBytes(row[column]),
  // The server keeps its indexes; a query that needs one finds what is in the table.
  isIndexedAcceptance: () => true,
  contains: (column, text) => `position('${text}' in ${column}) > 0`,
  countOutside: () => 0,
  isAlive: async (reader, _path, instance) =>
    isInstanceId(instance) && reader.snapshot((tx) => tx.get(...heldQuery(instance))) !== undefined,
};
