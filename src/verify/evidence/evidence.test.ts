// Every column of every evidence row changed, by value and by type; rows added, taken away, put back. A store that
// nobody touched has nothing to say.
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Change, changedCopy, type Row, TABLES, unseenChanges } from '../../../test/support/evidence-changes.js';
import { checkEvidence, evidenceStore, type Told } from '../../../test/support/evidence-store.js';
import { openReader } from '../reading.js';
import type { Finding } from '../verdict/finding.js';
import { checkSession, sessionsOfTask } from './index.js';

let told: Told;

beforeAll(async () => {
  told = await evidenceStore();
  return () => told.remove();
});

const changed = (change: Change, from = told.path): string => changedCopy(from, change);

const findingsAfter = (change: Change, from?: string): Finding[] => checkEvidence(changed(change, from));

const lines = (findings: readonly Finding[]): string[] =>
  findings.map(({ kind, where, message }) => `${kind} ${where.table} ${where.id}: ${message}`);

const revOf = (row: Row | undefined): unknown => row?.rev ?? row?.version;

const insert = (db: Database.Database, table: string, row: Row): void => {
  const columns = Object.keys(row);
  db.prepare(`INSERT INTO ${table} (${columns}) VALUES (${columns.map((column) => `@${column}`)})`).run(row);
};

test('an untouched store has no findings, whatever the size of a batch', () => {
  expect(checkEvidence(told.path)).toEqual([]);
  expect(checkEvidence(told.path, 1)).toEqual([]);
});

describe.each(TABLES)('%s', (table) => {
  // evidence.deep.test.ts changes every row of every table.
  test('no value of a row can become another', () => {
    const { missed, path } = unseenChanges(told.path, table, 1);
    expect(missed).toEqual([]);
    expect(checkEvidence(path)).toEqual([]);
  });

  test('no row can go', () => {
    const rows = new Database(told.path, { readonly: true }).prepare<[], Row>(`SELECT rowid AS at FROM ${table}`).all();
    for (const { at } of rows) {
      expect(findingsAfter((db) => void db.prepare(`DELETE FROM ${table} WHERE rowid = ?`).run(at))).not.toEqual([]);
    }
  });

  test('a number that no number of ours holds ends no walk', () => {
    const findings = findingsAfter((db) => {
      db.exec(`UPDATE ${table} SET rowid = 9007199254740993 WHERE rowid = (SELECT MIN(rowid) FROM ${table})`);
    });
    expect(lines(findings).join('\n')).toMatch(/have a rowid that Colibri never uses/);
  });
});

describe('rows that no record made', () => {
  test.each([
    ['tasks', { n: 90, idempotency_key: null }],
    ['leases', { task_n: 4 }],
    ['sessions', { session_id: 'mine' }],
    ['thoughts', { thought_id: 'mine', place: 77, idempotency_key: null }],
    ['task_dependencies', { depends_on_n: 4 }],
    ['catalogue', { server: 'mine' }],
  ] as const)('%s', (table, other) => {
    const findings = findingsAfter((db) => {
      const row = db.prepare<[], Row>(`SELECT * FROM ${table} ORDER BY rowid LIMIT 1`).get() ?? {};
      insert(db, table, { ...row, ...other });
    });
    expect(findings.some(({ kind }) => kind === 'row')).toBe(true);
  });
});

describe('rows put back', () => {
  test.each(['tasks', 'leases', 'sessions', 'catalogue'] as const)('%s as they were before', (table) => {
    const old = new Database(told.earlier, { readonly: true });
    const rows = old.prepare<[], Row>(`SELECT rowid AS at, * FROM ${table}`).all();
    old.close();
    const now = new Database(told.path, { readonly: true });
    const today = new Map(
      now
        .prepare<[], Row>(`SELECT rowid AS at, * FROM ${table}`)
        .all()
        .map((row) => [row.at, row]),
    );
    now.close();
    const older = rows.filter((row) => JSON.stringify(row) !== JSON.stringify(today.get(row.at ?? 0)));
    expect(older.length).toBeGreaterThan(0);
    for (const { at, ...row } of older) {
      const findings = findingsAfter((db) => {
        db.prepare(`DELETE FROM ${table} WHERE rowid = ?`).run(at);
        insert(db, table, row);
      });
      // Where only what is derived has changed since, no revision went back.
      expect(lines(findings).join('\n')).toMatch(
        revOf(row) === revOf(today.get(at ?? 0)) ? /^derived /m : /^subject /m,
      );
    }
  });
});

describe('contents', () => {
  test('a thought is empty only if a record says so', () => {
    const empty = "UPDATE thoughts SET content = NULL, content_salt = NULL WHERE thought_id = '%'";
    const by = (id: string) => lines(findingsAfter((db) => void db.exec(empty.replace('%', id))));
    expect(by(told.erasable)).toEqual([]);
    expect(by(told.thought)).toEqual([`row thoughts ${told.thought}: was erased, but no record says so`]);
  });

  test('what was taken out does not come back', () => {
    const thought = `UPDATE thoughts SET content = 'x', content_salt = '${'0'.repeat(32)}' WHERE thought_id = '${told.erasable}'`;
    const payload = `INSERT INTO payloads (log_id, seq, salt, json) VALUES ('${'0'.repeat(32)}', 7, '00', '{}')`;
    const said = (sql: string) => lines(findingsAfter((db) => void db.exec(sql))).join('\n');
    expect(said(thought)).toMatch(/was erased but is not empty/);
    expect(said(payload)).toMatch(/was erased but is there/);
  });

  test('bytes that are no text do not pass as U+FFFD', () => {
    const same = "UPDATE tasks SET title = CAST(x'F0908020' AS TEXT) WHERE title = '\ufffd '";
    expect(lines(findingsAfter((db) => void db.exec(same))).join('\n')).toMatch(/title is not well-formed text/);
  });
});

test('whoever claims takes the flag off a lease that has run out by its clock, whatever ours says', () => {
  const claimed = (sql: string) => lines(findingsAfter((db) => void db.exec(sql)));
  const [flag, leased] = ['UPDATE leases SET flagged = 0 WHERE task_n = 2', 'UPDATE tasks SET leased = 0 WHERE n = 2'];
  expect(claimed(`${flag}; ${leased}`)).toEqual([]);
  expect(claimed(flag)).toEqual(['derived tasks T-0002: leased is 1, not 0']);
  expect(claimed(leased)).toEqual(['derived tasks T-0002: leased is 0, not 1']);
});

describe('one session', () => {
  const sessionAfter = (change: Change, id: string) => {
    const reader = openReader({ path: changed(change) });
    onTestFinished(() => reader.close());
    return reader.snapshot((tx) => checkSession(tx, id));
  };

  test('is whole, with the records it rests on', () => {
    const sealed = sessionAfter(() => {}, told.sealed);
    expect(sealed?.findings).toEqual([]);
    expect(sealed?.thoughts).toBe(told.sealedThoughts);
    expect(sealed?.places.length).toBeGreaterThan(told.sealedThoughts);
    expect(sessionAfter(() => {}, 'nobody')).toBeUndefined();
  });

  test('misses a thought, a seal, another root', () => {
    const where = `session_id = '${told.sealed}'`;
    const broken = (sql: string) => sessionAfter((db) => void db.exec(sql), told.sealed)?.findings ?? [];
    expect(broken(`DELETE FROM thoughts WHERE place = 1 AND ${where}`)).not.toEqual([]);
    expect(broken(`DELETE FROM thoughts WHERE place = ${told.sealedThoughts - 1} AND ${where}`)).not.toEqual([]);
    expect(broken(`UPDATE sessions SET root = genesis_hash WHERE ${where}`)).not.toEqual([]);
    expect(broken(`UPDATE sessions SET finalized_at = NULL, rev = 1 WHERE ${where}`)).not.toEqual([]);
  });

  test('of a task', () => {
    const reader = openReader(told);
    onTestFinished(() => reader.close());
    expect(reader.snapshot((tx) => sessionsOfTask(tx, told.task))).toContain(told.sealed);
    expect(reader.snapshot((tx) => sessionsOfTask(tx, 'T-9999'))).toEqual([]);
  });
});
