import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { freshDatabase, noPostgres } from '../../../test/support/postgres.js';
import { storeContract } from '../../../test/support/store-contract.js';
import type { Store } from '../store.js';
import { openPostgresStore } from './open.js';

describe.skipIf(noPostgres())('PostgreSQL', () => {
  storeContract('PostgreSQL', async () => {
    const { url, drop } = await freshDatabase();
    const folder = mkdtempSync(join(tmpdir(), 'colibri-contract-'));
    const opened: Store[] = [];
    const open = async () => {
      const store = await openPostgresStore({ url, backups: join(folder, 'backups') });
      opened.push(store);
      return store;
    };
    return {
      store: await open(),
      another: open,
      remove: async () => {
        await Promise.all(opened.map((store) => store.close()));
        await drop();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  });
});
