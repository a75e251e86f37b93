// Copies the rows of a store, table by table in the order of their keys, in small transactions. A run that was killed is continued after the
// last row that the target has.
import { type CopiedTable, insertRows, lastRow, readPart, tablesOfFile } from '../../store/postgres/copy.js';
import type { Store } from '../../store/store.js';
import { countRows, raiseNumbers } from './repository.js';

/** Tables that say something about running processes or this store alone: they begin empty in the target. */
const LEFT_OUT: ReadonlySet<string> = new Set(['identity', 'instances', 'server_states', 'server_eras']);

/** The tables that are moved, in an order in which no row refers to one that comes later. `file`: the store of the two that is a file. */
export const movedTables = async (file: Store): Promise<readonly CopiedTable[]> =>
  (await file.read(tablesOfFile)).filter(({ name }) => !LEFT_OUT.has(name));

export interface Copying {
  readonly source: Store;
  readonly target: Store;
  readonly tables: readonly CopiedTable[];
  readonly isOnServer: boolean;
  readonly onProgress: (done: number, total: number) => void;
}

const rowsIn = async (store: Store, tables: readonly CopiedTable[]): Promise<number> => {
  let rows = 0;
  for (const { name } of tables) rows += await store.read((tx) => countRows(tx, name));
  return rows;
};

/** Copies what the target does not have yet, and returns how many rows it has then. Rejects if that is not as many as the source has. */
export const copyStore = async ({ source, target, tables, isOnServer, onProgress }: Copying): Promise<number> => {
  const total = await rowsIn(source, tables);
  let done = await rowsIn(target, tables);
  for (const table of tables) {
    for (let last = await target.read((tx) => lastRow(tx, table)); ; ) {
      const rows = await source.read((tx) => readPart(tx, table, last));
      if (rows.length === 0) break;
      await target.write((tx) => insertRows(tx, table, rows));
      last = rows.at(-1);
      done += rows.length;
      onProgress(done, total);
    }
  }
  if (isOnServer) await target.write(raiseNumbers);
  return done;
};
