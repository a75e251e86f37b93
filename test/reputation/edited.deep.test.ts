// Derived tables of reputation that somebody edited: verify finds each edit.
import * as fs from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { colibri, json } from '../support/command-line.js';
import { connect, freshPlace } from '../support/serve.js';
import { fakeServer, writeBoard } from '../support/switchboard-file.js';
import { SETS, work } from './shared.js';

it('every edit of a derived table is found', { timeout: 120_000 }, async () => {
  const place = freshPlace();
  writeBoard(place, { plain: fakeServer('plain') });
  const client = await connect(place, 'v2 modern', SETS);
  await work(client);
  await client.callTool('plain__echo', { a: 1 });
  await client.close();
  expect(json(await colibri(place, ['verify', '--json']))).toMatchObject({ exit: 0 });
  for (const edit of [
    "UPDATE reputation_days SET successes = successes + 1 WHERE node_id = 'bob'",
    "DELETE FROM reputation_days WHERE node_id = 'bob'",
    "INSERT INTO reputation_days VALUES ('eve', 'execution', 20000, 9, 0)",
    "UPDATE reputation_events SET good = 1, why = 'done' WHERE why = 'reopened'",
    "UPDATE reputation_events SET node_id = 'eve' WHERE node_id = 'bob'",
    "DELETE FROM reputation_events WHERE why = 'reopened'",
    'INSERT INTO reputation_events SELECT node_id, domain, at, record, place + 1, good, why FROM reputation_events LIMIT 1',
    "INSERT INTO reputation_events SELECT 'eve', domain, at, record + 4294967296, place, good, why FROM reputation_events LIMIT 1",
    // Values of another type that read alike.
    "UPDATE reputation_events SET place = x'' WHERE place = 0",
    'UPDATE reputation_days SET successes = CAST(successes AS BLOB)',
    'UPDATE reputation_days SET failures = CAST(failures AS BLOB), day = CAST(day AS BLOB)',
    'UPDATE reputation_events SET node_id = CAST(node_id AS BLOB)',
    'UPDATE reputation_events SET good = CAST(good AS BLOB)',
  ]) {
    const copy = join(place.dir, 'copy.db');
    fs.copyFileSync(place.db, copy); // the process has ended: everything is in the one file
    const db = new Database(copy);
    db.exec(edit);
    db.close();
    const verdict = await colibri(place, ['verify', '--db', copy, '--copy', '--json']);
    expect([edit, verdict.code, /reputation_/.test(verdict.stdout)]).toEqual([edit, 20, true]);
    for (const file of [copy, `${copy}-wal`, `${copy}-shm`]) fs.rmSync(file, { force: true });
  }
});
