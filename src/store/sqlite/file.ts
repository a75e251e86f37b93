// Finds out whether a database file is Colibri's before any setting of it is changed: switching somebody else's database to WAL mode would
// already change it. No other file of the store reads the database through node:fs, and this one only while this process has no connection
// to it, because closing any descriptor of a file drops all of SQLite's locks on it.

import * as fs from 'node:fs';
import { dirname } from 'node:path';
import type Database from 'better-sqlite3';
import { ColibriError } from '../../errors.js';
import { STORE_LIMITS } from '../limits.js';
import type { Migration } from '../store.js';
import { fromFileSystem } from './errors.js';
import { compareSchema, SCHEMA_ROWS, type SchemaRow, schemaError, schemaOf, worstOf } from './schema.js';

/** 'Coli' as SQLite's application_id, which marks a database as Colibri's. The first migration sets it in its transaction. */
export const APPLICATION_ID = 0x436f6c69;

/** Creates a missing database file and its folder with access for this user only, and throws if this user may not write the file. */
export const prepareFile = (path: string): void => {
  try {
    makeFolder(dirname(path));
    createFile(path);
    // SQLite would silently open a file without write permission read-only. access() opens nothing.
    fs.accessSync(path, fs.constants.R_OK | fs.constants.W_OK);
  } catch (thrown) {
    throw fromFileSystem(thrown, path);
  }
};

/** Creates a folder and its missing parents. Without mkdir's `recursive` option: below /proc, Node 20 retries that for ever. */
const makeFolder = (folder: string): void => {
  if (fs.existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
  } catch (thrown) {
    if (!fs.existsSync(folder)) throw thrown; // otherwise another process has created the folder meanwhile
  }
};

/** Creates the database file exclusively: an existing file, which some connection may have open, is never opened here. */
const createFile = (path: string): void => {
  try {
    fs.closeSync(fs.openSync(path, 'wx', 0o600));
  } catch (thrown) {
    if (!fs.existsSync(path)) throw thrown;
  }
};

const HEADER_BYTES = 100;

/** Whether the file has Colibri's header, is in WAL mode and has no write-ahead log beside it (sqlite.org/fileformat2). */
export const isSettled = (path: string): boolean => {
  if (fs.existsSync(`${path}-wal`)) return false;
  const header = Buffer.alloc(HEADER_BYTES);
  const descriptor = fs.openSync(path, 'r');
  try {
    fs.readSync(descriptor, header, 0, HEADER_BYTES, 0);
  } finally {
    fs.closeSync(descriptor);
  }
  return header.readInt32BE(68) === APPLICATION_ID && header[18] === 2 && header[19] === 2;
};

export interface Schema {
  readonly version: number;
  readonly tables: number;
}

export const schemaVersion = (db: Database.Database): number => db.pragma('user_version', { simple: true }) as number;

export const newestOf = (migrations: readonly Migration[]): number => migrations.at(-1)?.version ?? 0;

export const countTables = (db: Database.Database): number =>
  db
    .prepare<[], number>(
      `SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
    )
    .pluck()
    .get() ?? 0;

/** The names of a foreign database's tables, which say most about its owner; if there are no tables, the names of everything else in its schema. */
const namesOf = (present: readonly SchemaRow[]): readonly string[] => {
  const tables = present.filter(({ type }) => type === 'table');
  return (tables.length > 0 ? tables : present).map(({ name }) => String(name));
};

/** An application_id as text, since many programs use four letters: 0x47504b47 → "GPKG". */
const signature = (id: number): string => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(id);
  const text = bytes.toString('latin1');
  return /^[ -~]{4}$/.test(text) ? `"${text}"` : `0x${bytes.toString('hex')}`;
};

const foreignError = (id: number, names: readonly string[]): ColibriError => {
  const owner = id === 0 ? 'a program that does not sign its files' : `the program that signs as ${signature(id)}`;
  const shown = names.slice(0, STORE_LIMITS.foreignTables).join(', ');
  return new ColibriError('STORE_UNAVAILABLE', `the database belongs to ${owner}; it has the tables ${shown}`, {
    remedy: 'Point COLIBRI_DB_PATH at another file; Colibri does not touch this one.',
  });
};

export const upgradedError = (version: number, newest: number): ColibriError =>
  new ColibriError('STORE_UPGRADED', `the store has schema ${version}, this Colibri knows ${newest}`, {
    remedy: 'Restart this client so that it runs the newer Colibri, or install that version.',
    details: { version, newest },
  });

export const walError = (path: string): ColibriError =>
  new ColibriError('STORE_UNAVAILABLE', `${path} is on a file system that cannot share a write-ahead log`, {
    remedy: 'Put the database on a local disk, not on a network share.',
  });

/**
 * Checks whose database it is and returns its schema, all in one snapshot: otherwise a migration that another process commits meanwhile
 * could show its tables without its application_id. Only the schema is read before the database is known to be Colibri's.
 */
export const inspect = (db: Database.Database, migrations: readonly Migration[]): Schema =>
  db.transaction(() => {
    const id = db.pragma('application_id', { simple: true }) as number;
    const present = db.prepare<[], SchemaRow>(SCHEMA_ROWS).all();
    if (id !== APPLICATION_ID && present.length > 0) throw foreignError(id, namesOf(present));
    const version = schemaVersion(db);
    const newest = newestOf(migrations);
    if (version > newest) throw upgradedError(version, newest);
    const fault = worstOf(compareSchema(present, schemaOf(migrations, version)));
    if (fault !== undefined) throw schemaError(fault);
    return { version, tables: countTables(db) };
  })();
