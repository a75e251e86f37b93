// Checks the schema of a SQLite store before anything else is read, and finds out whether this version can judge the store: its format
// may be older or newer.
import { APPLICATION_ID } from '../../store/sqlite/file.js';
import { MIGRATIONS } from '../../store/sqlite/migrations/index.js';
import { compareSchema, type SchemaFault, type SchemaRow, schemaOf } from '../../store/sqlite/schema.js';
import type { StoreReading } from '../reading.js';
import { addFinding, type Found, guarded, nothingFound } from '../verdict/finding-list.js';
import type { FirstLook } from './engine.js';
import { areReadable, newestFormat } from './ledger-tables-repository.js';
import { applicationId, encoding, schemaRows, userVersion } from './sqlite-repository.js';

/** The newest format that this version knows. */
const NEWEST = MIGRATIONS.at(-1)?.version ?? 0;

const SAID: Readonly<Record<SchemaFault['kind'], (fault: SchemaFault) => string>> = {
  foreign: ({ type }) => `There is a foreign ${type} in the schema.`,
  changed: ({ type }) => `The ${type} was redefined.`,
  missing: ({ type, name }) => `The schema has no ${type} ${name}.`,
};

const faultsIn = (present: readonly SchemaRow[], version: number): readonly SchemaFault[] =>
  compareSchema(present, schemaOf(MIGRATIONS, version));

const addFaults = (faults: readonly SchemaFault[], found: Found): void => {
  for (const fault of faults) {
    addFinding(found, 'schema', { table: fault.table, id: fault.name }, SAID[fault.kind](fault));
  }
};

/** Whether the file is not a Colibri store; an empty database is not one either. */
const isForeign = (tx: StoreReading, present: readonly SchemaRow[]): boolean =>
  applicationId(tx) !== APPLICATION_ID && !present.some(({ name }) => name === 'logs');

/** Why a store of an older version cannot be checked. The schema tells it from a store in which somebody edited the version. */
const olderVersion = (version: number, present: readonly SchemaRow[]): string | undefined =>
  version < 1 || version >= NEWEST || faultsIn(present, version).length > 0
    ? undefined
    : `The store has schema ${version}, this Colibri checks ${NEWEST}: start it once in FULL mode.`;

/** The tables of the ledger. Whatever a newer format has besides, these are plain tables: a view in place of one may never end. */
const READ = ['logs', 'actions', 'checkpoints', 'tiles'];

const arePlain = (present: readonly SchemaRow[]): boolean =>
  READ.every((name) =>
    present.some((row) => row.type === 'table' && row.name === name && /^CREATE TABLE\b/i.test(String(row.sql))),
  );

const newerLook = (tx: StoreReading, newer: number, present: readonly SchemaRow[]): FirstLook => {
  const planted = nothingFound();
  if (arePlain(present) && areReadable(tx)) return { newer, planted };
  return { unreadable: `The store has schema ${newer}, this Colibri knows ${NEWEST}: use the newer Colibri.`, planted };
};

/** The newest format that a log names; rows that cannot be read are reported later. */
const formatNamed = (tx: StoreReading): number => {
  let newest = 0;
  guarded(nothingFound(), 'log', {}, () => {
    newest = newestFormat(tx);
  });
  return newest;
};

export const sqliteFirstLook = (tx: StoreReading): FirstLook => {
  const planted = nothingFound();
  const present = schemaRows(tx);
  if (isForeign(tx, present)) return { unreadable: 'The file is not a Colibri store.', planted };
  const version = Number(userVersion(tx));
  if (version > NEWEST) return newerLook(tx, version, present);
  const unreadable = olderVersion(version, present);
  if (unreadable !== undefined) return { unreadable, planted };
  const faults = faultsIn(present, NEWEST);
  if (faults.some(({ kind }) => kind !== 'missing')) addFaults(faults, planted);
  if (faults.length > 0) return { planted };
  const newest = formatNamed(tx);
  return newest > NEWEST ? newerLook(tx, newest, present) : { planted };
};

/** Checks everything that the file says about its schema, in a store of a known format. */
export const checkSqliteSchema = (tx: StoreReading, found: Found): void => {
  addFaults(faultsIn(schemaRows(tx), NEWEST), found);
  const version = userVersion(tx);
  if (version !== NEWEST) addFinding(found, 'schema', {}, `user_version is ${String(version)}, not ${NEWEST}.`);
  if (applicationId(tx) !== APPLICATION_ID)
    addFinding(found, 'schema', {}, 'The file does not have the application id of Colibri.');
  if (encoding(tx) !== 'UTF-8')
    addFinding(found, 'schema', {}, `The texts of the file are in ${String(encoding(tx))}.`);
};
