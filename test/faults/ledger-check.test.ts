// The checker itself: it must pass what is sound and go red on every kind of tampering.
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { canonical, inspectLedger, rootOf, sha256 } from '../support/ledger-check.js';
import { freshPlace, session } from '../support/serve.js';

/** Where the first call of the log stands: behind what the schema and the start left there. */
const FIRST_CALL = "(SELECT min(seq) FROM actions WHERE kind = 'call.enter')";

const LEAF = (body: string): string => sha256(Buffer.from([0]), body);

/** What the schema would refuse must be seen where somebody removed it too. */
const dropIndexes = (db: Database.Database): void => {
  const names = db
    .prepare<[], string>(
      `SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'actions' AND sql IS NOT NULL`,
    )
    .pluck()
    .all();
  for (const name of names) db.exec(`DROP INDEX ${name}`);
};

/** Each changes a copy of a sound ledger; the checker must say something that fits. */
const TAMPERINGS: Readonly<Record<string, readonly [change: (db: Database.Database) => void, says: RegExp]>> = {
  'a body edited': [
    (db) => db.exec(`UPDATE actions SET body = replace(body, 'server_ping', 'server_pong') WHERE seq = ${FIRST_CALL}`),
    /leaf is not/,
  ],
  'a body and its leaf edited': [
    (db) => {
      const { body } = db.prepare<[], { body: string }>(`SELECT body FROM actions WHERE seq = ${FIRST_CALL}`).get() ?? {
        body: '',
      };
      const edited = body.replace('server_ping', 'server_pong');
      db.prepare(`UPDATE actions SET body = ?, leaf = ? WHERE seq = ${FIRST_CALL}`).run(edited, LEAF(edited));
    },
    /another root/,
  ],
  'a body with a space': [
    (db) => {
      const { body } = db.prepare<[], { body: string }>(`SELECT body FROM actions WHERE seq = ${FIRST_CALL}`).get() ?? {
        body: '',
      };
      const edited = `${body.slice(0, -1)} }`;
      db.prepare(`UPDATE actions SET body = ?, leaf = ? WHERE seq = ${FIRST_CALL}`).run(edited, LEAF(edited));
    },
    /not canonical/,
  ],
  'the last record gone': [
    (db) => db.exec('DELETE FROM actions WHERE seq = (SELECT max(seq) FROM actions)'),
    /size is/,
  ],
  'the last record gone, size too': [
    (db) => db.exec('DELETE FROM actions WHERE seq = (SELECT max(seq) FROM actions); UPDATE logs SET size = size - 1'),
    /another root/,
  ],
  'a record in the middle gone': [(db) => db.exec('DELETE FROM actions WHERE seq = 10'), /seq 10 expected/],
  'two records swapped': [
    (db) =>
      db.exec(
        'UPDATE actions SET seq = -1 WHERE seq = 6; UPDATE actions SET seq = 6 WHERE seq = 8; UPDATE actions SET seq = 8 WHERE seq = -1',
      ),
    /columns differ/,
  ],
  'a tool column edited': [(db) => db.exec(`UPDATE actions SET tool = 'x' WHERE seq = 4`), /columns differ/],
  'a time column edited': [
    (db) => db.exec(`UPDATE actions SET at = '2020-01-01T00:00:00.000Z' WHERE seq = 4`),
    /columns differ/,
  ],
  'a number column edited': [(db) => db.exec('UPDATE actions SET sequence_no = 400 WHERE seq = 4'), /columns differ/],
  'a leaf edited': [(db) => db.exec(`UPDATE actions SET leaf = '${'0'.repeat(64)}' WHERE seq = 4`), /leaf is not/],
  'a frontier edited': [
    (db) => db.exec(`UPDATE logs SET frontier = '${'0'.repeat(64)}' || substr(frontier, 65)`),
    /another root/,
  ],
  'a tile edited': [(db) => db.exec(`UPDATE tiles SET hash = '${'0'.repeat(64)}'`), /tile 8\/0 is wrong/],
  'a tile gone': [(db) => db.exec('DELETE FROM tiles'), /tile 8\/0 is missing/],
  'a tile too many': [(db) => db.exec(`INSERT INTO tiles SELECT log_id, 9, 7, 'x' FROM logs`), /complete nodes/],
  'a payload edited': [
    (db) => db.exec(`UPDATE payloads SET json = '{"n":7000}' WHERE json = '{"n":7}'`),
    /args_digest|args_bytes/,
  ],
  'a payload gone': [(db) => db.exec(`DELETE FROM payloads WHERE json = '{"n":7}'`), /payload missing/],
  'a payload of nobody': [
    (db) => db.exec(`INSERT INTO payloads SELECT log_id, 9999, '', '' FROM logs`),
    /of no record/,
  ],
  'a payload of a record without one': [
    (db) => db.exec(`INSERT INTO payloads SELECT log_id, 0, '', '' FROM logs`),
    /without a reason/,
  ],
  'a salt edited': [
    (db) => db.exec(`UPDATE payloads SET salt = '${'0'.repeat(32)}' WHERE json = '{"n":7}'`),
    /args_digest/,
  ],
  'another key': [(db) => db.exec(`UPDATE logs SET public_key = '${'0'.repeat(64)}'`), /not its key/],
};

test('a sound ledger passes; every kind of tampering is seen', async () => {
  const place = freshPlace();
  await session(place, (peer) => Promise.all(Array.from({ length: 130 }, (_, n) => peer.call('server_ping', { n }))));
  const sound = inspectLedger(place.db);
  expect(sound.problems).toEqual([]);
  expect(sound.records.length).toBeGreaterThan(256);
  for (const [name, [change, says]] of Object.entries(TAMPERINGS)) {
    const copy = join(dirname(place.db), `${name}.db`);
    fs.copyFileSync(place.db, copy);
    const db = new Database(copy);
    db.pragma('foreign_keys = OFF');
    change(db);
    db.close();
    expect(inspectLedger(copy).problems.join('\n'), name).toMatch(says);
  }
});

test('an outcome twice, without its intent or of another call is seen', async () => {
  const place = freshPlace();
  await session(place, (peer) => peer.call('server_ping', { n: 1 }));
  const { records, logs } = inspectLedger(place.db);
  const exit = records.find(({ kind }) => kind === 'call.exit');
  const append = (change: Record<string, unknown>): string => {
    const copy = join(dirname(place.db), `copy-${Math.random()}.db`);
    fs.copyFileSync(place.db, copy);
    const db = new Database(copy);
    dropIndexes(db);
    const seq = records.length;
    const body = canonical({ ...exit?.body, seq, ...change });
    const leaves = [...records.map(({ leaf }) => leaf), LEAF(body)];
    const { sequence_no, kind, tool, at } = JSON.parse(body);
    const insert =
      'INSERT INTO actions (id, log_id, seq, sequence_no, kind, tool, at, body, leaf) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)';
    db.prepare(insert).run(2 ** 32 + seq, logs[0]?.log_id, seq, sequence_no, kind, tool, at, body, LEAF(body));
    db.prepare('UPDATE logs SET size = ?, frontier = ?').run(leaves.length, rootOf(leaves));
    db.close();
    return inspectLedger(copy).problems.join('\n');
  };
  expect(append({})).toBe(`${logs[0]?.log_id} ${records.length}: a second outcome of call ${exit?.body.sequence_no}`);
  expect(append({ sequence_no: 999 })).toMatch(/an outcome before its intent/);
});

test('known roots of RFC 6962', () => {
  // The test vectors of certificate-transparency-go.
  const leaves = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
  const hashes = leaves.map((hex) => sha256(Buffer.from(`00${hex}`, 'hex')));
  expect(rootOf([])).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  expect(rootOf(hashes.slice(0, 1))).toBe('6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d');
  expect(rootOf(hashes.slice(0, 2))).toBe('fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125');
  expect(rootOf(hashes.slice(0, 3))).toBe('aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77');
  expect(rootOf(hashes)).toBe('5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328');
});
