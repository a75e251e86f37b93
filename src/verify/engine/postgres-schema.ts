// Checks the schema of a PostgreSQL store against the one that Colibri's migrations make, as the server describes both: a trigger, rule or
// view that Colibri did not make is somebody else's program, and would run with the next statement.
import { MIGRATIONS_OF_POSTGRES } from '../../store/postgres/migrations/index.js';
import type { StoreReading } from '../reading.js';
import { addFinding, type Found, nothingFound } from '../verdict/finding-list.js';
import type { FirstLook } from './engine.js';
import { areReadable, newestFormat } from './ledger-tables-repository.js';
import { POSTGRES_CATALOGUE } from './postgres-catalogue.js';
import { type CatalogueRow, catalogueOf, databaseEncoding, hasLogs } from './postgres-repository.js';

const NEWEST = MIGRATIONS_OF_POSTGRES.at(-1)?.version ?? 0;

interface CatalogueFault extends CatalogueRow {
  readonly kind: 'foreign' | 'changed' | 'missing';
}

/** A row of the catalogue as one line of text, for comparing and for the file with the right ones. */
export const lineOf = ({ type, name, on_table, definition }: CatalogueRow): string =>
  [type, name, on_table, definition].join(' | ');

const rowOf = (line: string): CatalogueRow => {
  const [type = '', name = '', on_table = '', definition = ''] = line.split(' | ');
  return { type, name, on_table, definition };
};

const keyOf = ({ type, name, on_table }: CatalogueRow): string => JSON.stringify([type, name, on_table]);

/** The differences between the objects that are there and those that Colibri makes. */
export const catalogueFaults = (present: readonly CatalogueRow[]): readonly CatalogueFault[] => {
  const left = new Map(POSTGRES_CATALOGUE.map((line) => [keyOf(rowOf(line)), rowOf(line)]));
  const faults: CatalogueFault[] = [];
  for (const row of present) {
    const own = left.get(keyOf(row));
    left.delete(keyOf(row));
    if (own === undefined) faults.push({ ...row, kind: 'foreign' });
    else if (lineOf(own) !== lineOf(row)) faults.push({ ...row, kind: 'changed' });
  }
  return [...faults, ...[...left.values()].map((row) => ({ ...row, kind: 'missing' as const }))];
};

const SAID: Readonly<Record<CatalogueFault['kind'], (fault: CatalogueFault) => string>> = {
  foreign: ({ type }) => `There is a foreign ${type} in the schema.`,
  changed: ({ type }) => `The ${type} was redefined.`,
  missing: ({ type, name }) => `The schema has no ${type} ${name}.`,
};

const addFaults = (faults: readonly CatalogueFault[], found: Found): void => {
  for (const fault of faults)
    addFinding(found, 'schema', { table: fault.on_table, id: fault.name }, SAID[fault.kind](fault));
};

const READ = ['logs', 'actions', 'checkpoints', 'tiles'];

const newerLook = (tx: StoreReading, newer: number, present: readonly CatalogueRow[]): FirstLook => {
  const planted = nothingFound();
  const arePlain = READ.every((name) => present.some((row) => row.type === 'table' && row.name === name));
  if (arePlain && areReadable(tx)) return { newer, planted };
  return { unreadable: `The store has schema ${newer}, this Colibri knows ${NEWEST}: use the newer Colibri.`, planted };
};

export const postgresFirstLook = (tx: StoreReading): FirstLook => {
  const planted = nothingFound();
  if (!hasLogs(tx)) return { unreadable: 'The database is not a Colibri store.', planted };
  const present = catalogueOf(tx);
  const faults = catalogueFaults(present);
  // A view in place of a table would run with the next statement, so the number is read only from a table.
  const isTable = present.some(({ type, name }) => type === 'table' && name === 'logs');
  const newest = isTable ? newestFormat(tx) : 0;
  if (newest > NEWEST) return newerLook(tx, newest, present);
  if (faults.some(({ kind }) => kind !== 'missing')) addFaults(faults, planted);
  return { planted };
};

export const checkPostgresSchema = (tx: StoreReading, found: Found): void => {
  addFaults(catalogueFaults(catalogueOf(tx)), found);
  const encoding = databaseEncoding(tx);
  if (encoding !== 'UTF8') addFinding(found, 'schema', {}, `The texts of the database are in ${String(encoding)}.`);
};
