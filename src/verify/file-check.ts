// Runs SQLite's own checks of the database file: pages, indexes, foreign keys.
import { VERIFY_LIMITS } from './limits.js';
import { foreignKeyFaults, integrityFaults } from './overview-repository.js';
import type { StoreReader } from './reading.js';
import { addFinding, type Found, guarded, nothingFound } from './verdict/finding-list.js';

export const checkFile = (reader: StoreReader): Found => {
  const found = nothingFound();
  guarded(found, 'file', {}, () => {
    for (const fault of reader.snapshot((tx) => integrityFaults(tx, VERIFY_LIMITS.verifyFindings))) {
      addFinding(found, 'file', {}, `SQLite reports: ${fault}.`);
    }
  });
  guarded(found, 'file', {}, () => {
    for (const { table, rowid, parent } of reader.snapshot(foreignKeyFaults)) {
      const where = { table: String(table), id: String(rowid) };
      addFinding(found, 'file', where, `The row refers to a row of ${parent} that does not exist.`);
    }
  });
  return found;
};
