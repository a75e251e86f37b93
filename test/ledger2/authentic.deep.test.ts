// What somebody can do who can write the store's file and does not have the log's key, and what a holder of the key then sees.

import { renameSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { colibri, json, keysDir, rows, usedStore } from '../support/command-line.js';
import { forgeTail } from '../support/forged-tail.js';
import { receiptOf } from '../support/ledger-check.js';
import { type Place, serve } from '../support/serve.js';

const run = (place: Place, sql: string, ...values: unknown[]): void => {
  const db = new Database(place.db);
  db.prepare(sql).run(...values);
  db.close();
};

const verify = async (place: Place) => json(await colibri(place, ['verify', '--json']));

const kindsOf = (list: readonly { kind: string }[]): string[] => [...new Set(list.map(({ kind }) => kind))];

describe('a tail that was appended without the key', () => {
  it('is doubted by somebody without the key, and counted', async () => {
    const { place, thought } = await usedStore();
    const targets = [{ type: 'thought', id: thought }];
    forgeTail(place.db, () => [{ kind: 'erase', targets, reason: 'r', by: 'b' }]);
    renameSync(keysDir(place), join(place.dir, 'elsewhere'));
    const verdict = await verify(place);
    expect(kindsOf(verdict.missing)).toContain('unsigned');
    expect(verdict.unsigned).toMatchObject([{ records: 1, authentic: null }]);
    expect(verdict.remarks.join('\n')).toMatch(/1 record after the newest signature.*erased or pruned: \d+/);
  });
});

describe('a healthy tail', () => {
  it('of a process that was killed verifies with the key, and without it is 10 with its cause', async () => {
    const { place } = await usedStore();
    const peer = serve(place);
    await peer.initialize('t');
    await peer.phase2();
    await peer.call('task_create', { title: 'one' });
    const live = await verify(place);
    expect(live).toMatchObject({ exit: 0, unsigned: [{ authentic: true }] });
    expect(live.unsigned[0].records).toBeGreaterThan(0);
    renameSync(keysDir(place), join(place.dir, 'elsewhere'));
    expect(await verify(place)).toMatchObject({ exit: 0, unsigned: [{ authentic: null }] });
    renameSync(join(place.dir, 'elsewhere'), keysDir(place));
    process.kill(peer.pid, 'SIGKILL');
    await peer.ended;
    expect(await verify(place)).toMatchObject({ exit: 0, unsigned: [{ authentic: true }] });
    renameSync(keysDir(place), join(place.dir, 'elsewhere'));
    const verdict = await verify(place);
    expect(verdict).toMatchObject({ exit: 10, findings: [] });
    expect(kindsOf(verdict.missing)).toEqual(['unsigned']);
    renameSync(join(place.dir, 'elsewhere'), keysDir(place));
    const next = serve(place);
    await next.initialize('t');
    await next.phase2();
    await next.end();
    expect(await verify(place)).toMatchObject({ exit: 0, unsigned: [{ records: 0 }] });
  });

  it('a MAC that was taken away or replaced is found although nothing was appended', async () => {
    const { place } = await usedStore();
    for (const mac of ['NULL', `'${'0'.repeat(64)}'`, "'x'", "''"]) {
      run(place, `UPDATE logs SET head_mac = ${mac}`);
      expect(await verify(place)).toMatchObject({ exit: 20, findings: [{ kind: 'authentic' }] });
    }
  });
});

it('a process whose log is set back under it says so', async () => {
  const { place } = await usedStore();
  const peer = serve(place);
  await peer.initialize('t');
  await peer.phase2();
  await peer.call('task_list', {});
  const [head] = rows<Record<string, unknown>>(place, 'SELECT size, frontier, head_mac FROM logs');
  await peer.call('task_list', {});
  run(place, 'DELETE FROM actions WHERE seq >= ?', head?.size);
  run(place, 'DELETE FROM payloads WHERE seq >= ?', head?.size);
  run(place, 'UPDATE logs SET size = ?, frontier = ?, head_mac = ?', head?.size, head?.frontier, head?.head_mac);
  // The commit after the first read finds it out; the read itself changed nothing.
  expect(receiptOf(await peer.call('task_list', {}))).toBeUndefined();
  for (const tool of ['task_list', 'task_list'])
    expect(JSON.stringify(await peer.call(tool, {}))).toContain('STORE_ROLLED_BACK');
  await peer.end();
});

it('a process that cannot sign takes no new calls until it can', async () => {
  const { place, log } = await usedStore();
  const peer = serve(place);
  await peer.initialize('t');
  await peer.phase2();
  const file = join(keysDir(place), log);
  renameSync(file, `${file}.away`);
  const { task_id } = (await peer.call('task_create', { title: 't' })).result.structuredContent.data;
  await peer.call('task_update', {
    task_id,
    status: 'CANCELLED',
    note: 'its session is sealed, which wants a signature',
  });
  let last = '';
  for (let tries = 0; tries < 40 && !last.includes('cannot be signed'); tries++) {
    await new Promise((done) => setTimeout(done, 250));
    last = JSON.stringify(await peer.call('task_list', {}));
  }
  expect(last).toMatch(/STORE_UNAVAILABLE.*cannot be signed/s);
  renameSync(`${file}.away`, file);
  for (let tries = 0; tries < 40 && last.includes('cannot be signed'); tries++) {
    await new Promise((done) => setTimeout(done, 250));
    last = JSON.stringify(await peer.call('task_list', {}));
  }
  expect(last).toContain('"ok":true');
  await peer.end();
  expect(await verify(place)).toMatchObject({ exit: 0, unsigned: [{ records: 0 }] });
});
