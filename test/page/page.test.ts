// The page without a browser: what the command writes, what `verify` says of it, what its form refuses, and how large it is. In a browser: page.deep.test.ts.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { pageParts } from '../../src/cli/page/parts.js';
import { hashes } from '../../src/ledger/hashes.js';
import { readPage, writePage } from '../../src/page/html.js';
import { modelOf } from '../../src/page/model/model.js';
import { colibri, json, SECRET, usedStore } from '../support/command-line.js';
import { savedPage } from './page.shared.js';

it('is written, verified with the right key, and refused with another or after a change', {
  timeout: 60_000,
}, async () => {
  const { place, log } = await usedStore();
  const { file, said, vkeys } = await savedPage(place);
  expect(json(said)).toMatchObject({ verdict: 'verified', logs: [{ log, unsigned: 0 }] });
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  const fine = await colibri(place, ['verify', file, '--key', vkeys[0] ?? '', '--json']);
  expect(json(fine)).toMatchObject({ exit: 0, valid: true, logs: [{ log }] });
  const again = await colibri(place, ['page', '--out', file]);
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('already exists') });

  const text = fs.readFileSync(file, 'utf8');
  const data = readPage(text);
  if (data === undefined) throw new Error('no page');
  expect(text).toContain(SECRET);
  const { calls, tasks, thoughts } = modelOf(data);
  expect(calls.map(({ tool, outcome }) => `${tool} ${outcome}`)).toEqual([
    'thought_record ok',
    'task_update ok',
    'task_create ok',
  ]);
  expect(tasks).toMatchObject([
    { id: 'T-0001', status: 'GATHER', history: [{}, { thoughts: [{ content: 'looked at the logs' }] }] },
  ]);
  expect(thoughts).toHaveLength(2);

  const changed = join(place.dir, 'changed.html');
  fs.writeFileSync(changed, text.replace('looked at the logs', 'looked at the moon'));
  const refused = await colibri(place, ['verify', changed, '--key', vkeys[0] ?? '']);
  expect(refused).toMatchObject({ code: 20, stdout: expect.stringContaining('is not the one that was digested') });
});

it('leaves texts out if it is told to, and shows one task alone', { timeout: 60_000 }, async () => {
  const { place } = await usedStore();
  const bare = await savedPage(place, '--no-payloads');
  expect(fs.readFileSync(bare.file, 'utf8')).not.toContain(SECRET);
  const one = await savedPage(place, '--task', 't-0001');
  const data = readPage(fs.readFileSync(one.file, 'utf8'));
  expect(json(one.said).logs[0].shown).toBeLessThan(json(one.said).logs[0].size);
  expect(modelOf(data ?? { logs: [] }).calls.map(({ tool }) => tool)).toEqual(['task_update', 'task_create']);
  expect((await colibri(place, ['page', '--task', 'T-7', '--out', join(place.dir, 'x.html')])).stderr).toContain(
    'no task T-7',
  );
});

it('has a script and a style of at most 80 KB together, after gzip -9, in ASCII on one line each', () => {
  const { script, style } = pageParts();
  expect(gzipSync(script, { level: 9 }).length + gzipSync(style, { level: 9 }).length).toBeLessThanOrEqual(80 * 1024);
  expect([script, style].filter((part) => !/^[ -~]+$/.test(part))).toEqual([]);
});

it('refuses data with a member too many, too few, or in another order', async () => {
  const data = {
    format: 'colibri.dev/page@v1',
    version: '0',
    made_at: '',
    project: '</script><b>',
    payloads: 'shown',
    logs: [],
    unproved: {},
    scope: { task: null, session: null, since: null },
  } as const;
  const text = writePage(data, pageParts(), hashes);
  expect(readPage(text)).toEqual(data);
  expect(text).not.toContain('</script><b>');
  expect(readPage(text.replace('"logs":[],', ''))).toBeUndefined();
  expect(readPage(text.replace('"logs":[],', '"logs":[],"more":1,'))).toBeUndefined();
  expect(readPage(text.replace('"logs":[]', '"logs": []'))).toBeUndefined();
  expect(readPage(text.replace('page@v1', 'page@v2'))).toBeUndefined();
});
