// Brings the database schema to the newest version, in a transaction that already holds the write lock and that the caller commits. So a
// crash or an error leaves the old version, and if two processes migrate at once, the second finds nothing to do.

import { createHash } from 'node:crypto';
import type { Migration, MigrationStep, RecordSteps } from '../store.js';
import { APPLICATION_ID, newestOf, schemaVersion, upgradedError } from './file.js';
import { type SqliteConnection, useTx } from './tx.js';

export interface MigrationPlan {
  readonly migrations: readonly Migration[];
  readonly record: RecordSteps;
  /** Makes a backup of the database before the migration; the write lock keeps other processes from adding to it meanwhile. */
  readonly backup: () => Promise<unknown>;
  readonly checkAwaits: boolean;
}

export const checksumOf = ({ sql }: Migration): string => createHash('sha256').update(sql).digest('hex');

export const migrateInside = async (connection: SqliteConnection, plan: MigrationPlan): Promise<void> => {
  // The version is read again under the lock: another process may have migrated since the store was opened.
  const from = schemaVersion(connection.db);
  const newest = newestOf(plan.migrations);
  if (from > newest) throw upgradedError(from, newest);
  const missing = plan.migrations.filter(({ version }) => version > from);
  if (missing.length === 0) return;
  if (from > 0) await plan.backup();
  connection.db.pragma(`application_id = ${APPLICATION_ID}`);
  const steps: MigrationStep[] = [];
  for (const migration of missing) {
    steps.push({ from: steps.at(-1)?.to ?? from, to: migration.version, checksum: checksumOf(migration) });
    applyStep(connection, migration);
  }
  await useTx(connection, (tx) => plan.record(tx, steps), plan);
};

const applyStep = (connection: SqliteConnection, { sql, version }: Migration): void => {
  connection.db.exec(sql);
  connection.db.pragma(`user_version = ${version}`);
  raiseFormat(connection, version);
};

/**
 * Raises `logs.format`, which every write reads together with the log's head and which stops older processes that do not know the version.
 * Done here, so that no migration can forget it.
 */
const raiseFormat = ({ db }: SqliteConnection, version: number): void => {
  const hasLogs = db.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'logs'`).get();
  if (hasLogs !== undefined) db.prepare('UPDATE logs SET format = ?').run(version);
};
