import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/stores.js';
import { openBytes, openDatabase } from './tx.js';

it('every connection distrusts the schema, checks pages and cannot rewrite the schema', () => {
  const path = join(temporaryFolder(), 'a.db');
  const file = openDatabase(path);
  file.exec('CREATE TABLE t (x)');
  const bytes = file.serialize();
  for (const db of [file, openDatabase(':memory:'), openBytes(bytes)]) {
    expect(db.pragma('trusted_schema', { simple: true })).toBe(0);
    expect(db.pragma('cell_size_check', { simple: true })).toBe(1);
    db.pragma('writable_schema = ON');
    expect(() => db.prepare(`UPDATE sqlite_schema SET sql = ''`)).toThrow(/may not be modified/);
    db.close();
  }
});

it('a pipe is refused at once, also behind a link', () => {
  const dir = temporaryFolder();
  const [pipe, link] = [join(dir, 'pipe'), join(dir, 'link')];
  execFileSync('mkfifo', [pipe]);
  fs.symlinkSync(pipe, link);
  for (const path of [pipe, link]) {
    expect(() => openDatabase(path, { readonly: true })).toThrow(/is a pipe, not a file/);
  }
});
