// Runs SQLite's own checks of the database file: pages, indexes, foreign keys. In a large store the table of records is by far the
// largest part; there, only what the walk through the logs does not see by itself is checked of it.
import { VERIFY_LIMITS } from '../limits.js';
import type { StoreReader, StoreReading } from '../reading.js';
import { addFinding, type Found, guarded, nothingFound } from '../verdict/finding-list.js';
import type { FileJob, FileReport } from './engine.js';
import {
  countRecordRows,
  foreignKeyFaults,
  integrityFaults,
  readRecordIndexes,
  recordsSaid,
  tablesOf,
} from './sqlite-repository.js';

/** The table whose rows, and what its indexes find, are checked record by record. */
const WALKED = 'actions';

/**
 * Compares the number of rows in the table of records with the sizes of the logs. The walk finds each record by its id, so if there are no
 * more rows than that, it has seen all of them. Also reads the table's indexes; what they must find, the walk looks up.
 */
const checkRecordTable = (tx: StoreReading, found: Found): void => {
  readRecordIndexes(tx);
  const [rows, said] = [countRecordRows(tx), recordsSaid(tx)];
  if (rows !== said)
    addFinding(found, 'file', { table: WALKED }, `The table has ${rows} rows; the logs have ${said} records.`);
};

const partsOf = (tx: StoreReading, isWhole: boolean): readonly (number | string)[] =>
  isWhole ? [VERIFY_LIMITS.verifyFindings] : tablesOf(tx).filter((table) => table !== WALKED);

const isSmall = (reader: StoreReader, most: number): boolean => {
  let size = 0; // of a store that cannot be read: then SQLite says why
  guarded(nothingFound(), 'file', {}, () => {
    size = reader.snapshot(recordsSaid);
  });
  return size <= most;
};

export const checkSqliteFile = (reader: StoreReader, { mostRecords }: FileJob): FileReport => {
  const found = nothingFound();
  const isWhole = isSmall(reader, mostRecords);
  guarded(found, 'file', {}, () => {
    for (const part of reader.snapshot((tx) => partsOf(tx, isWhole))) {
      for (const fault of reader.snapshot((tx) => integrityFaults(tx, part)))
        addFinding(found, 'file', {}, `SQLite reports: ${fault}.`);
    }
  });
  if (!isWhole) guarded(found, 'file', { table: WALKED }, () => reader.snapshot((tx) => checkRecordTable(tx, found)));
  guarded(found, 'file', {}, () => {
    for (const { table, rowid, parent } of reader.snapshot(foreignKeyFaults)) {
      const where = { table: String(table), id: String(rowid) };
      addFinding(found, 'file', where, `The row refers to a row of ${parent} that does not exist.`);
    }
  });
  return { found, covered: isWhole ? 'whole' : 'without records' };
};
