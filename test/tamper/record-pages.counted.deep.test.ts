// In a large store SQLite's own check leaves out the table of records, because verification reads every record of it. Whatever is changed in
// the pages of that table and of its indexes, verification says so, if it changes what the store says.
import { closeSync, copyFileSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { verifyStore } from '../../src/verify/verify.js';
import { counted } from '../support/counted.js';
import { type Random, randomFrom } from '../support/random.js';
import { lookAt } from './dump.js';
import { type MadeStore, makeStore } from './store-life.js';

const CHANGES = counted('changes of record pages', 10_000);

interface Pages {
  readonly size: number;
  readonly numbers: readonly number[];
}

const recordPages = (path: string): Pages => {
  const db = new Database(path, { readonly: true });
  const numbers = db
    .prepare<[], number>("SELECT pageno FROM dbstat WHERE name = 'actions' OR name LIKE 'actions\\_%' ESCAPE '\\'")
    .pluck()
    .all();
  const size = db.pragma('page_size', { simple: true }) as number;
  db.close();
  return { size, numbers };
};

/** Changes some bytes of one page; half of the time in its header or its list of cells, where the tree is. */
const changePage = (path: string, { size, numbers }: Pages, random: Random): string => {
  const page = random.pick(numbers);
  const within = random.int(random.pick([12, 32, size]));
  const length = Math.min(size - within, random.pick([1, 1, 2, 8, 200]));
  const at = (page - 1) * size + within;
  const file = openSync(path, 'r+');
  const bytes = Buffer.alloc(length);
  readSync(file, bytes, 0, length, at);
  const other = random.bytes(length);
  const changed = random.pick([other, bytes.map((byte) => byte ^ (1 << random.int(8)))]);
  writeSync(file, changed, 0, length, at);
  closeSync(file);
  return `${length} bytes at ${within} of page ${page}`;
};

const exitOf = async (path: string, { headsDir, keysDir }: MadeStore): Promise<number> => {
  const keys = { dir: keysDir };
  return (await verifyStore({ path, scope: { kind: 'store' }, headsDir, keys, workers: 0, fileRecords: 0 })).exit;
};

test(`${CHANGES.count} changes of record pages, each one detected`, {
  timeout: 60_000 + CHANGES.count * 2_000,
}, async () => {
  const store = await makeStore(CHANGES.seed, [
    { processes: 2, calls: 120 },
    'the key is lost',
    { processes: 2, calls: 60 },
  ]);
  const dir = mkdtempSync(join(tmpdir(), 'colibri-pages-'));
  const path = join(dir, 'changed.db');
  try {
    const [before, pages] = [lookAt(store.path).dump, recordPages(store.path)];
    expect(pages.numbers.length).toBeGreaterThan(20);
    expect([0, 10]).toContain(await exitOf(store.path, store));
    const undetected: string[] = [];
    let counts = 0;
    for (let seed = CHANGES.seed; seed < CHANGES.seed + CHANGES.count; seed++) {
      for (const end of ['-wal', '-shm', '-journal']) rmSync(`${path}${end}`, { force: true });
      copyFileSync(store.path, path);
      const what = changePage(path, pages, randomFrom(seed));
      CHANGES.progress(seed - CHANGES.seed + 1);
      if (lookAt(path).dump === before) continue; // free space, or what only SQLite itself uses
      counts += 1;
      if (![20, 30].includes(await exitOf(path, store))) undetected.push(`seed ${seed}: ${what}`);
    }
    expect(undetected).toEqual([]);
    expect(counts).toBeGreaterThan(CHANGES.count / 4);
  } finally {
    rmSync(dir, { recursive: true, force: true });
    await store.remove();
  }
});
