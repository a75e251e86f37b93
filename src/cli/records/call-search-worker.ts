// The second thread of a search for calls: searches its ranges of records on its own database connection and reports what it found.
import { parentPort, workerData } from 'node:worker_threads';
import { STORE_LIMITS } from '../../store/limits.js';
import type { ReadTx, SqlValue } from '../../store/store.js';
import { openReader, type Value } from '../../verify/reading.js';
import { intentsIn, type Search } from './call-find.js';

export interface Part extends Pick<Search, 'stretches' | 'missing'> {
  readonly path: string;
}

const { path, ...search } = workerData as Part;
const reader = openReader({ path }, STORE_LIMITS.busyMs);
const tx: ReadTx = {
  get: async <T>(sql: string, ...params: SqlValue[]) =>
    reader.snapshot((now) => now.get<T>(sql, ...(params as Value[]))),
  all: async <T>(sql: string, ...params: SqlValue[]) =>
    reader.snapshot((now) => now.all<T>(sql, ...(params as Value[]))),
};

void intentsIn(tx, search).then((rows) => parentPort?.postMessage(rows.map(({ id }) => id)));
