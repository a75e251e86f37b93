// The answers of SQLite to the questions of a verification.
import { InstanceLocks } from '../../store/sqlite/instances.js';
import type { VerifyEngine } from './engine.js';
import { checkSqliteFile } from './sqlite-file.js';
import * as sql from './sqlite-repository.js';
import { checkSqliteSchema, sqliteFirstLook } from './sqlite-schema.js';

export const sqliteEngine: VerifyEngine = {
  ...sql.sqliteQueries,
  name: 'sqlite',
  idRange: [-(2 ** 63), 2 ** 63],
  numbersTable: 'sqlite_sequence',
  firstLook: sqliteFirstLook,
  checkSchema: checkSqliteSchema,
  checkFile: checkSqliteFile,
  contains: (column, text) => `instr(${column}, '${text}') > 0`,
  evidencePage: (tx, table, after, limit) =>
    sql.pageByRowid(tx, table, after === null ? sql.FIRST_ROWID : Number(after[0]), limit),
  keyOf: (_, { at_rowid }) => [at_rowid as number],
  bytesOf: (tx, table, column, { at_rowid }) => sql.bytesByRowid(tx, table, column, at_rowid as number),
  isAlive: (_, path, instance) => new InstanceLocks(path, async (attempt) => attempt()).isAlive(instance),
};
