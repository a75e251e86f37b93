// Every column of every evidence row changed, by value and by type.
import { beforeAll, expect, test } from 'vitest';
import { TABLES, unseenChanges } from '../../../test/support/evidence-changes.js';
import { checkEvidence, evidenceStore, type Told } from '../../../test/support/evidence-store.js';

let told: Told;

beforeAll(async () => {
  told = await evidenceStore();
  return () => told.remove();
});

test.each(TABLES)('%s: no value of any row can become another', (table) => {
  const { missed, path } = unseenChanges(told.path, table, 1_000_000);
  expect(missed).toEqual([]);
  expect(checkEvidence(path)).toEqual([]);
});
