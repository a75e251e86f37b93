// A file that somebody damages is never only unreadable: whichever page is overwritten, and wherever the file is cut, verify says 20.
import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifyStore } from '../../src/verify/verify.js';
import { temporaryFolder } from '../support/stores.js';
import { serveOnce } from './signed-store.js';

const template = mkdtempSync(join(tmpdir(), 'colibri-damaged-'));
const path = join(template, 'colibri.db');
beforeAll(async () => {
  await serveOnce(template, '0192f0c1-0000-7000-8000-000000000001', true, ['c1', 'c2']);
  new Database(path).close();
});
afterAll(() => rmSync(template, { recursive: true, force: true }));

const verify = (file: string) =>
  verifyStore({ path: file, scope: { kind: 'store' }, headsDir: join(template, 'heads'), workers: 0 });

const pageSize = (): number => {
  const db = new Database(path, { readonly: true });
  const size = Number(db.pragma('page_size', { simple: true }));
  db.close();
  return size;
};

const copied = (): string => {
  const file = join(temporaryFolder(), 'colibri.db');
  cpSync(path, file);
  return file;
};

it.each([0xff, 0x00])('any page but the first filled with %i: 20', async (byte) => {
  const size = pageSize();
  const whole = readFileSync(path);
  const file = copied();
  const wrong: string[] = [];
  for (let page = 2; page <= whole.length / size; page++) {
    const bytes = Buffer.from(whole);
    if (bytes.subarray((page - 1) * size, page * size).every((one) => one === byte)) continue;
    bytes.fill(byte, (page - 1) * size, page * size);
    writeFileSync(file, bytes);
    const { exit } = await verify(file);
    if (exit !== 20) wrong.push(`page ${page}: ${exit}`);
  }
  expect(wrong).toEqual([]);
});

it('cut anywhere after its first page: 20', async () => {
  const size = pageSize();
  const whole = readFileSync(path).length;
  for (const left of [whole - size, whole - 1, Math.floor(whole / 2), 2 * size]) {
    const file = copied();
    truncateSync(file, left);
    expect((await verify(file)).exit, `${left} of ${whole}`).toBe(20);
  }
});

it('a first page of which the tree is damaged: 20', async () => {
  const bytes = readFileSync(path);
  bytes.fill(0xff, 100, 104);
  const file = copied();
  writeFileSync(file, bytes);
  expect((await verify(file)).exit).toBe(20);
});

/** Writes the whole store into a new file whose texts are in UTF-16. */
const recode = (file: string): void => {
  const [from, to] = [new Database(path, { readonly: true }), new Database(file)];
  to.pragma("encoding = 'UTF-16le'");
  to.pragma('foreign_keys = OFF');
  for (const name of ['application_id', 'user_version']) to.pragma(`${name} = ${from.pragma(name, { simple: true })}`);
  const objects = from.prepare('SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type DESC');
  for (const { type, name, sql } of objects.all() as Record<'type' | 'name' | 'sql', string>[]) {
    if (!name.startsWith('sqlite_')) to.exec(sql);
    const rows = type === 'table' ? (from.prepare(`SELECT * FROM ${name}`).raw().all() as unknown[][]) : [];
    for (const row of rows) to.prepare(`INSERT INTO ${name} VALUES (${row.map(() => '?')})`).run(...row);
  }
  for (const db of [from, to]) db.close();
};

it('the same rows in another encoding: 20, and nothing else is wrong with them', async () => {
  const file = join(temporaryFolder(), 'utf16.db');
  recode(file);
  const { exit, findings } = await verify(file);
  expect(findings.map(({ message }) => message)).toContain('The texts of the file are in UTF-16le.');
  expect(exit).toBe(20);
});
