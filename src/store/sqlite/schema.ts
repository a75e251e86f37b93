// Checks that a database has exactly the schema that Colibri's migrations create. A foreign trigger, view or redefined table is somebody
// else's program and would run with the next statement, so the schema is checked before that.

import { ColibriError } from '../../errors.js';
import type { Migration } from '../store.js';
import { openDatabase } from './tx.js';

export interface SchemaRow {
  readonly type: unknown;
  readonly name: unknown;
  readonly tbl_name: unknown;
  readonly sql: unknown;
}

export interface SchemaFault {
  readonly kind: 'foreign' | 'changed' | 'missing';
  readonly type: string;
  readonly name: string;
  readonly table: string;
}

export const SCHEMA_ROWS = 'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name';

/** Tables that SQLite creates for itself (AUTOINCREMENT, ANALYZE), with their exact definitions. */
const ENGINE_TABLES: Readonly<Record<string, string>> = {
  sqlite_sequence: 'CREATE TABLE sqlite_sequence(name,seq)',
  sqlite_stat1: 'CREATE TABLE sqlite_stat1(tbl,idx,stat)',
  sqlite_stat4: 'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)',
};

const isEngineTable = ({ type, name, tbl_name, sql }: SchemaRow): boolean =>
  type === 'table' && name === tbl_name && typeof name === 'string' && ENGINE_TABLES[name] === sql;

const keyOf = ({ type, name }: SchemaRow): string => JSON.stringify([type, name]);
const textOf = ({ type, name, tbl_name, sql }: SchemaRow): string => JSON.stringify([type, name, tbl_name, sql]);

const faultOf = (kind: SchemaFault['kind'], { type, name, tbl_name }: SchemaRow): SchemaFault => ({
  kind,
  type: String(type),
  name: String(name),
  table: String(tbl_name),
});

/** The differences between two schemas: extra, changed and missing tables and indexes. `wanted` includes SQLite's automatic indexes. */
export const compareSchema = (present: readonly SchemaRow[], wanted: readonly SchemaRow[]): readonly SchemaFault[] => {
  const left = new Map(wanted.map((row) => [keyOf(row), row]));
  const faults: SchemaFault[] = [];
  for (const row of present) {
    const own = left.get(keyOf(row));
    left.delete(keyOf(row));
    if (own === undefined && !isEngineTable(row)) faults.push(faultOf('foreign', row));
    else if (own !== undefined && textOf(own) !== textOf(row)) faults.push(faultOf('changed', row));
  }
  return [...faults, ...[...left.values()].map((row) => faultOf('missing', row))];
};

/** The schema that the migrations up to `version` create, found by running them in memory. */
export const schemaOf = (migrations: readonly Migration[], version: number): readonly SchemaRow[] => {
  const db = openDatabase(':memory:');
  try {
    for (const step of migrations) if (step.version <= version) db.exec(step.sql);
    return db.prepare<[], SchemaRow>(SCHEMA_ROWS).all();
  } finally {
    db.close();
  }
};

const MESSAGES: Readonly<Record<SchemaFault['kind'], (what: string) => string>> = {
  foreign: (what) => `the store holds the ${what}, which Colibri did not make`,
  changed: (what) => `the ${what} of the store was redefined`,
  missing: (what) => `the store has no ${what}`,
};

const REMEDY =
  'Somebody changed the file. `colibri verify` lists the changes; put back a copy from the .backups folder beside it.';

/** The fault that tells a person most: a fault of a table if there is one, since faults of indexes may only result from it. */
export const worstOf = (faults: readonly SchemaFault[]): SchemaFault | undefined =>
  faults.find(({ type }) => type !== 'index') ?? faults[0];

export const schemaError = ({ kind, type, name, table }: SchemaFault): ColibriError => {
  const what = `${type} ${JSON.stringify(name)}${table === name ? '' : ` on ${JSON.stringify(table)}`}`;
  return new ColibriError('STORE_CORRUPT', MESSAGES[kind](what), { remedy: REMEDY, details: { type, name, table } });
};
