// Ends the PostgreSQL server that the tests of a run shared. The first test that needs the server starts it, so other runs do without.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installedPostgres, keptServer, RUN_FOLDER, stopCluster } from './postgres.js';

export const setup = (): void => {
  if (process.env.COLIBRI_TEST_POSTGRES_URL) return;
  if (installedPostgres() !== undefined) process.env[RUN_FOLDER] = mkdtempSync(join(tmpdir(), 'colibri-pg-run-'));
  else
    process.stderr.write(
      '\nNO POSTGRESQL: tests of the store on it are skipped (Debian: apt-get install postgresql)\n\n',
    );
};

export const teardown = (): void => {
  const folder = process.env[RUN_FOLDER];
  if (folder === undefined) return;
  const kept = keptServer(folder);
  if (kept !== undefined) stopCluster(kept);
  rmSync(folder, { recursive: true, force: true });
};
