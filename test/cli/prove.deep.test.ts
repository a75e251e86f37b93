// colibri prove, and colibri verify on the file it writes.
import * as fs from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { colibri, dataOf, headFiles, json, keysDir, rows, usedStore, useMore } from '../support/command-line.js';
import { type Place, serve } from '../support/serve.js';

const change = (place: Place, sql: string): void => {
  const db = new Database(place.db);
  db.exec(sql);
  db.close();
};

test('a file that is there is not written over without --force', async () => {
  const { place, thought } = await usedStore();
  const out = join(place.dir, 'mine.txt');
  fs.writeFileSync(out, 'a year of work');
  expect(await colibri(place, ['prove', thought, '--out', out])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/already exists and was not changed\. .*--force/),
  });
  expect(fs.readFileSync(out, 'utf8')).toBe('a year of work');
  expect(await colibri(place, ['prove', thought, '--out', out, '--force'])).toMatchObject({ code: 0 });
  expect(fs.readFileSync(out, 'utf8')).toContain('c2sp.org/tlog-proof@v1');
});

test('what nothing signed covers yet is signed first', async () => {
  const { place, log } = await usedStore();
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  const session = dataOf(await peer.call('audit_session_start', { intent: 'x' })).session_id;
  const { thought_id } = dataOf(await peer.call('thought_record', { session_id: session, type: 'plan', content: 'y' }));
  expect(await colibri(place, ['prove', thought_id])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/is not sealed yet.*merkle_finalize/),
  });
  const ping = await peer.call('server_ping', {});
  const heads = headFiles(place, log).length;
  const { seq } = ping.result._meta['dev.colibri/receipt'];
  const made = json(await colibri(place, ['prove', `${seq}`, '--json']));
  expect(made.size).toBeGreaterThan(seq);
  expect(headFiles(place, log)).toHaveLength(heads + 1);
  await peer.call('merkle_finalize', { session_id: session });
  expect(json(await colibri(place, ['prove', thought_id, '--json']))).toMatchObject({ thought: thought_id, log });
  await peer.end();
  expect(await colibri(place, ['verify'])).toMatchObject({ code: 0 });
});

test('names that lead nowhere, or to several places', async () => {
  const { place, log, note } = await usedStore();
  const refusals: readonly (readonly [string, RegExp])[] = [
    ['banana', /does not name a record\. Give a thought id/],
    ['01990000-0000-7000-8000-000000000000', /no thought and no call/],
    ['99999', /No log has a record 99999/],
    [`${log}/99999`, /has no record 99999\. The size of the log is \d+/],
    ['dead0000/1', /has no log dead0000/],
    [note, /is not sealed yet/],
  ];
  for (const [name, told] of refusals) {
    const ran = await colibri(place, ['prove', name]);
    expect(ran, name).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(told) });
    expect(ran.stderr.trim().split('\n'), name).toHaveLength(1);
  }
  await colibri(place, ['checkpoint', '--rotate', '--yes']);
  expect(await colibri(place, ['prove', '0'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(new RegExp(`0 is ambiguous\\. Name the record with its log: ${log}/0 `)),
  });
});

test('the end of a log whose key was lost can never be proved', async () => {
  const { place, log } = await usedStore();
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  const ping = await peer.call('server_ping', {});
  fs.rmSync(join(keysDir(place), log));
  await peer.kill('SIGKILL');
  await useMore(place);
  expect(rows(place, 'SELECT 1 FROM logs')).toHaveLength(2);
  const { seq } = ping.result._meta['dev.colibri/receipt'];
  expect(await colibri(place, ['prove', `${log}/${seq}`])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/No signature covers.*no signature will ever/),
  });
  expect(await colibri(place, ['prove', `${log}/0`])).toMatchObject({ code: 0 });
});

test.each([
  [
    'another content',
    `UPDATE thoughts SET content = 'never said'`,
    /the content does not match the digest in the thought/,
  ],
  ['another type', `UPDATE thoughts SET type = 'plan'`, /the thought is not in the sealed session/],
  ['another leaf', `UPDATE actions SET leaf = '${'0'.repeat(64)}'`, /the record is not in the tree/],
  ['a note that steers', `UPDATE checkpoints SET note = char(27) || ']0;x' || char(10) || note`, /checkpoint: /],
  ['a key that is none', `UPDATE logs SET public_key = 'x'`, /does not hold/],
])('%s in the store: no proof of it is handed out', async (_, sql, told) => {
  const { place, thought } = await usedStore();
  change(place, sql);
  const out = join(place.dir, 'x.tlog-proof');
  const ran = await colibri(place, ['prove', thought, '--out', out]);
  expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(told) });
  expect(ran.stderr).toContain('colibri verify says where.');
  expect(ran.stderr).not.toContain('\u001b');
  expect(fs.existsSync(out)).toBe(false);
});

test('a call by its id or its place; the file goes to stdout', async () => {
  const { place, receipts, log } = await usedStore();
  const receipt = receipts[1];
  const byCall = await colibri(place, ['prove', receipt?.call ?? '']);
  expect(byCall).toMatchObject({ code: 0, stdout: expect.stringMatching(/^c2sp\.org\/tlog-proof@v1\n/) });
  expect(byCall.stderr).toContain(`record ${receipt?.seq} of log ${log}`);
  // A place names one record; a call is its outcome with its intent.
  const [byPlace, ...others] = await Promise.all(
    [`${log}/${receipt?.seq}`, `${log.slice(0, 6)}/${receipt?.seq}`, `${receipt?.seq}`].map(
      async (name) => (await colibri(place, ['prove', name])).stdout,
    ),
  );
  expect(others).toEqual([byPlace, byPlace]);
  expect(byPlace?.split('\n').slice(2)).toEqual(byCall.stdout.split('\n').slice(2));
  expect(await colibri(place, ['verify', '-'], { input: byCall.stdout })).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/call\.exit task_update ok/),
  });
});
