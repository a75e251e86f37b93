import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openLedger, temporaryFolder } from '../../../test/support/stores.js';
import { surroundingsOf } from './other-store.js';

it('finds the id of a store in another file, and in no file that is the same or is none', async () => {
  const dir = temporaryFolder();
  const { store } = await openLedger(dir);
  const id = await store.read((tx) => tx.get<{ store_id: string }>('SELECT store_id FROM identity'));
  await store.close();
  const path = join(dir, 'colibri.db');
  const at = (name: string): string => join(dir, name);
  copyFileSync(path, at('copy.db'));
  symlinkSync(path, at('link.db'));
  symlinkSync(at('copy.db'), at('link-to-copy.db'));
  writeFileSync(at('text.db'), 'no database');
  writeFileSync(at('empty.db'), '');
  mkdirSync(at('folder.db'));
  execFileSync('mkfifo', [at('pipe.db')]);
  const { storeIdAt, backups } = surroundingsOf(path);
  for (const name of ['copy.db', 'link-to-copy.db']) expect(storeIdAt(at(name))).toBe(id?.store_id);
  for (const name of ['colibri.db', 'link.db', 'none.db', 'text.db', 'empty.db', 'folder.db', 'pipe.db']) {
    expect([name, storeIdAt(at(name))]).toEqual([name, undefined]);
  }
  expect(readdirSync(dir).filter((name) => name.startsWith('copy.db'))).toEqual(['copy.db']);
  expect(backups()).toEqual([]);
  mkdirSync(`${path}.backups`, { mode: 0o700 });
  for (const name of ['20261115T183000123Z-v4.db', '20261116T183000123Z-v5.db', 'mine.db'])
    writeFileSync(join(`${path}.backups`, name), '');
  expect(backups().map((file) => file.slice(path.length))).toEqual([
    '.backups/20261116T183000123Z-v5.db',
    '.backups/20261115T183000123Z-v4.db',
  ]);
});
