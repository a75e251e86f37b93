import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/stores.js';
import { headsIn } from './heads.js';
import { LEDGER_LIMITS } from './limits.js';

const LOG = 'a'.repeat(32);
const HOME = { storeId: '0'.repeat(32), path: '/somewhere/colibri.db', host: 'here' };

it('keeps to which store a log belongs, and writes it again only if it is another', async () => {
  const dir = temporaryFolder();
  const heads = headsIn(dir);
  expect(headsIn(join(dir, 'none')).homes()).toEqual([]);
  heads.bind(LOG, HOME);
  expect(heads.homes()).toEqual([{ log: LOG, ...HOME }]);
  const file = join(dir, LOG, 'store');
  const text = readFileSync(file, 'utf8');
  expect(JSON.parse(text)).toEqual({ store_id: HOME.storeId, path: HOME.path, host: HOME.host });
  heads.bind(LOG, { ...HOME, path: '/elsewhere/colibri.db' });
  expect(heads.homes()).toMatchObject([{ path: '/elsewhere/colibri.db' }]);
  expect(heads.largest(LOG)).toBe(0);
  await heads.thin(LOG);
  expect(readdirSync(join(dir, LOG))).toEqual(['store']);
});

it.each<[string, (file: string) => void]>([
  ['half a file', (file) => writeFileSync(file, '{"store_id":')],
  ['an empty file', (file) => writeFileSync(file, '')],
  ['another form', (file) => writeFileSync(file, '["store"]')],
  ['an id that is none', (file) => writeFileSync(file, JSON.stringify({ store_id: 'x', path: '/', host: 'h' }))],
  ['no path', (file) => writeFileSync(file, JSON.stringify({ store_id: HOME.storeId, host: 'h' }))],
  ['a huge file', (file) => writeFileSync(file, ' '.repeat(LEDGER_LIMITS.homeBytes + 1))],
  ['a folder', (file) => mkdirSync(file)],
  ['a pipe', (file) => execFileSync('mkfifo', [file])],
])('%s says nothing', (_, spoil) => {
  const dir = temporaryFolder();
  mkdirSync(join(dir, LOG));
  spoil(join(dir, LOG, 'store'));
  expect(headsIn(dir).homes()).toEqual([]);
});
