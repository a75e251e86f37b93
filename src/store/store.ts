// The store port: what the ledger and the domains may ask of a database. Asynchronous, so that SQLite and
// PostgreSQL both fit behind it. Rules of the common SQL: docs/adr/0006-store-port.md.

import type { ColibriError } from '../errors.js';

/** Values that may be bound. SQLite binds every number as REAL: never store a bound number as text. */
export type SqlValue = string | number | null;
export type Row = Record<string, SqlValue>;

/** Reads from one snapshot. Valid only inside the function that gets it. */
export interface ReadTx {
  get<T extends Row = Row>(sql: string, ...params: SqlValue[]): Promise<T | undefined>;
  all<T extends Row = Row>(sql: string, ...params: SqlValue[]): Promise<T[]>;
}

/** One transaction that holds the write lock. */
export interface Tx extends ReadTx {
  /** Returns the number of rows changed. */
  run(sql: string, ...params: SqlValue[]): Promise<number>;
  /** Runs the statement once for each row of parameters, in order. */
  runMany(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<void>;
}

export interface WriteOptions {
  /** May share one commit with other such writes; each still succeeds or fails by itself. */
  readonly group?: boolean;
  /** The commit is on disk before the promise resolves, whatever the store's durability is. */
  readonly sync?: boolean;
}

/** One migration of the schema. `sql` may hold several statements; its SHA-256 is the checksum in the ledger. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

export interface MigrationStep {
  readonly from: number;
  readonly to: number;
  readonly checksum: string;
}

/** Which of the processes that share the store are alive. */
export interface Instances {
  /** Holds this instance's lock until the store closes. */
  hold(instance: string): Promise<void>;
  isAlive(instance: string): Promise<boolean>;
  /** Removes the lock file of a dead instance. */
  forget(instance: string): Promise<void>;
}

export interface Store {
  /**
   * Runs `fn` on one consistent snapshot. Only calls of its `tx` may be awaited inside.
   */
  read<T>(fn: (tx: ReadTx) => Promise<T>): Promise<T>;
  /**
   * Runs `fn` in one transaction that took the write lock before anything was read, and resolves after COMMIT has returned. `fn` may run
   * again (busy file, failed group, serialization failure): it must have no effect outside `tx` and may await only calls of `tx`.
   */
  write<T>(fn: (tx: Tx) => Promise<T>, options?: WriteOptions): Promise<T>;
  /**
   * Brings the schema to the newest version in one transaction, after a backup. `record` runs in that
   * transaction once per step, so that a step and its record commit together.
   */
  migrate(record: (tx: Tx, step: MigrationStep) => Promise<void>): Promise<void>;
  /** Writes a verified copy beside the database and returns its path. */
  backup(): Promise<string>;
  /** The number of tables at open or after the last migration; 0 when closed. */
  readonly tableCount: number;
  readonly instances: Instances;
  /** Set once the store was taken away while it was open; from then on nothing is read or written. */
  readonly fault?: ColibriError | undefined;
  close(): Promise<void>;
}
