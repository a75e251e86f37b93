// Inspects the demo's store from outside the server: with `colibri verify`, and with plain SQL.
import { writeFileSync } from 'node:fs';
import * as z from 'zod';
import { openSqliteStore } from '../../store/sqlite/open.js';
import type { ReadTx } from '../../store/store.js';
import type { KeptReceipt } from '../verify/receipts-file.js';
import type { Scratch } from './scratch.js';

const verdict = z.looseObject({
  exit: z.int(),
  valid: z.boolean(),
  record_count: z.int(),
  findings: z.array(
    z.looseObject({ where: z.looseObject({ table: z.string(), id: z.string() }).partial(), message: z.string() }),
  ),
});
export type StoreVerdict = z.infer<typeof verdict> & { readonly code: number };

/** The verdict of `colibri verify --json`, and its exit code. */
export const verify = async (scratch: Scratch, options: readonly string[]): Promise<StoreVerdict> => {
  const { code, stdout } = await scratch.colibri(['verify', ...options, '--json']);
  return { code, ...verdict.parse(JSON.parse(stdout || '{}')) };
};

/** Verifies the store against the receipts that the client kept. */
export const verifyReceipts = (scratch: Scratch, receipts: readonly KeptReceipt[]): Promise<StoreVerdict> => {
  const file = scratch.in('receipts.jsonl');
  writeFileSync(file, receipts.map((receipt) => `${JSON.stringify(receipt)}\n`).join(''));
  return verify(scratch, ['--receipts', file]);
};

/** Reads a store that no `colibri serve` has open. */
export const lookIntoDemo = async <T>(path: string, look: (tx: ReadTx) => Promise<T>): Promise<T> => {
  const store = await openSqliteStore({ path, readOnly: true, logger: { warn: () => {} } });
  try {
    return await store.read(look);
  } finally {
    await store.close();
  }
};
