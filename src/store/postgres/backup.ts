// Copies the database into a SQLite file: one file that needs no server, and that every reading command of Colibri understands.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { stampOf } from '../sqlite/chores.js';
import { openSqliteStore } from '../sqlite/open.js';
import type { ReadTx } from '../store.js';
import { insertRows, readTable, tablesOfFile } from './copy.js';

/** Writes the rows that `tx` sees into a new file in the folder, and returns its path. */
export const copyToFile = async (tx: ReadTx, folder: string, nowMs: number): Promise<string> => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${stampOf(nowMs)}.db`);
  const file = await openSqliteStore({ path });
  try {
    await file.migrate(async () => {});
    for (const table of await file.read(tablesOfFile))
      await readTable(tx, table, (rows) => file.write((to) => insertRows(to, table, rows)));
    return path;
  } finally {
    await file.close();
  }
};
