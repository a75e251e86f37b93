// Brings the schema to the newest version, in a transaction that holds the lock of the whole store and that the caller commits. PostgreSQL
// undoes changes of the schema with their transaction, so a crash or an error leaves the old version.

import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { Migration, MigrationStep, RecordSteps, Tx } from '../store.js';
import { fromServer } from './errors.js';
import { inspectServer, versionComment } from './schema.js';

export interface ServerMigration {
  readonly migrations: readonly Migration[];
  readonly record: RecordSteps;
  /** Makes a copy of the database before the migration. */
  readonly backup: () => Promise<unknown>;
}

export const migrateServer = async (tx: Tx, client: pg.ClientBase, plan: ServerMigration): Promise<void> => {
  // The version is read again under the lock: another process may have migrated since the store was opened.
  const { version: from } = await inspectServer(tx, plan.migrations);
  const missing = plan.migrations.filter(({ version }) => version > from);
  if (missing.length === 0) return;
  if (from > 0) await plan.backup();
  const steps: MigrationStep[] = [];
  for (const { sql, version } of missing) {
    const checksum = createHash('sha256').update(sql).digest('hex');
    steps.push({ from: steps.at(-1)?.to ?? from, to: version, checksum });
    await fromServer(client.query(sql));
    await fromServer(client.query(versionComment(version)));
    await fromServer(client.query(`UPDATE logs SET format = ${version}`));
  }
  await plan.record(tx, steps);
};
