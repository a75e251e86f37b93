// Somebody with a second connection: every row that is edited, added, taken away or put back to what it once was is
// named, and so is every derived value that is not what one derives.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { checkSubjects } from '../support/evidence-check.js';
import { freshPlace, type Place, session } from '../support/serve.js';
import { temporaryFolder } from '../support/stores.js';
import type { Answer } from './task-tools.js';

type Row = Record<string, string | number | null>;
type Table = 'tasks' | 'leases' | 'sessions' | 'thoughts' | 'task_dependencies';

/** T-0001 waits for T-0002 and T-0003, is claimed and has three thoughts; T-0003 is DONE. */
const work = async (call: (tool: string, args: Answer) => Promise<Answer>): Promise<number> => {
  const update = async (args: Answer) => {
    const { data } = (await call('task_update', args)).result.structuredContent;
    if (data.ok === false) throw new Error(JSON.stringify(data));
  };
  for (const title of ['first', 'second', 'third']) {
    await call('task_create', { title, description: `what to do ${title}`, idempotency_key: title });
  }
  for (const status of ['GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'GATHER']) {
    await update({ task_id: 'T-0003', status, note: `into ${status}` });
  }
  for (const status of ['ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'DONE']) {
    await update({ task_id: 'T-0003', status, note: `again ${status}` });
  }
  await update({ task_id: 'T-0001', priority: 'urgent' });
  const claimed = await call('task_next_actions', { claim_by: 'worker', lease_minutes: 1440 });
  const { lease_token } = claimed.result.structuredContent.data.actions[0];
  await update({ task_id: 'T-0001', lease_token, status: 'GATHER', note: 'one' });
  await update({ task_id: 'T-0001', lease_token, status: 'ANALYZE', note: 'two' });
  await update({ task_id: 'T-0001', lease_token, depends_on: ['T-0002', 'T-0003'] });
  await update({ task_id: 'T-0001', lease_token, note: 'three' });
  return lease_token;
};

let healthy: string;
let ended: (() => Promise<void>) | undefined;

beforeAll(async () => {
  const place: Place = freshPlace((clean) => {
    ended = clean;
  });
  await session(place, (peer) => work((tool, args) => peer.call(tool, args)));
  healthy = place.db;
  return () => ended?.();
}, 30_000);

/** A copy of its own, and what the checker says after `change`. */
const findingsAfter = (change: (db: Database.Database) => void): string[] => {
  const path = join(temporaryFolder(), 'copy.db');
  copyFileSync(healthy, path);
  const db = new Database(path);
  onTestFinished(() => void db.close());
  db.pragma('foreign_keys = OFF');
  change(db);
  return checkSubjects(path);
};

const rowOf = (db: Database.Database, sql: string): Row => {
  const row = db.prepare<[], Row>(sql).get();
  if (row === undefined) throw new Error(sql);
  return row;
};

const insert = (db: Database.Database, table: Table, row: Row): void => {
  const columns = Object.keys(row);
  const marks = columns.map((column) => `@${column}`);
  db.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks.join(', ')})`).run(row);
};

test('a store that nobody touched has no findings', () => {
  expect(checkSubjects(healthy)).toEqual([]);
});

describe('edited', () => {
  const columns: readonly [Table, string, string, string][] = [
    ...[
      ...['title', 'description', 'project', 'status', 'priority', 'assignee', 'attempt', 'version', 'created_at'],
      ...['updated_at', 'idempotency_key', 'request_digest', 'call_no', 'salt', 'log_id', 'seq'],
      ...['open_deps', 'leased', 'terminal', 'priority_rank', 'stage', 'search_text'],
    ].map((column): [Table, string, string, string] => ['tasks', column, 'n = 1', 'task T-0001']),
    ...['token', 'holder', 'until', 'minutes', 'released', 'rev', 'salt', 'log_id', 'seq', 'flagged'].map(
      (column): [Table, string, string, string] => ['leases', column, 'task_n = 1', 'T-0001'],
    ),
    ...[
      ...['intent', 'task_id', 'agent_id', 'opened_by', 'started_at', 'genesis_hash', 'finalized_at', 'root'],
      ...['record_count', 'rev', 'salt', 'log_id', 'seq'],
    ].map((column): [Table, string, string, string] => ['sessions', column, "task_id = 'T-0001'", 'session ']),
    ...[
      ...['place', 'type', 'task_id', 'agent_id', 'skill_name', 'content_digest', 'timestamp', 'prev_hash', 'hash'],
      ...['content', 'content_salt', 'log_id', 'seq', 'attempt'],
    ].map((column): [Table, string, string, string] => ['thoughts', column, "content = 'two'", 'thought ']),
  ];

  test.each(columns)('%s.%s', (table, column, where, named) => {
    const findings = findingsAfter((db) => {
      const before = rowOf(db, `SELECT ${column} AS value FROM ${table} WHERE ${where}`).value;
      const other = typeof before === 'number' ? before + 7 : `${before ?? ''}7`;
      db.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${where}`).run(other);
    });
    expect(findings.join('\n')).toContain(named);
  });

  test('another dependency', () => {
    const findings = findingsAfter((db) => {
      db.prepare('UPDATE task_dependencies SET depends_on_n = 1 WHERE task_n = 1 AND depends_on_n = 3').run();
    });
    expect(findings).toContain('task T-0001: not as its newest record says');
  });
});

describe('added', () => {
  test.each([
    ['tasks', 'SELECT * FROM tasks WHERE n = 2', { n: 9, idempotency_key: null }, 'task T-0009: no record knows it'],
    ['leases', 'SELECT * FROM leases', { task_n: 2 }, 'lease T-0002: no record knows it'],
    ['sessions', 'SELECT * FROM sessions', { session_id: 'mine' }, 'session mine: no record knows it'],
    ['thoughts', 'SELECT * FROM thoughts', { thought_id: 'mine', place: 77 }, 'thought mine: no record knows it'],
  ] as const)('%s', (table, sql, other, finding) => {
    expect(findingsAfter((db) => insert(db, table, { ...rowOf(db, sql), ...other }))).toContain(finding);
  });

  test('task_dependencies', () => {
    const findings = findingsAfter((db) => insert(db, 'task_dependencies', { task_n: 2, depends_on_n: 3 }));
    expect(findings).toContain('task T-0002: not as its newest record says');
  });
});

describe('taken away', () => {
  test.each([
    ['tasks', 'n = 2', 'task T-0002: it is gone'],
    ['leases', 'task_n = 1', 'lease T-0001: it is gone'],
    ['task_dependencies', 'depends_on_n = 3', 'task T-0001: not as its newest record says'],
  ] as const)('%s', (table, where, finding) => {
    expect(findingsAfter((db) => void db.prepare(`DELETE FROM ${table} WHERE ${where}`).run())).toContain(finding);
  });

  test.each(['sessions', 'thoughts'] as const)('%s', (table) => {
    const key = table === 'sessions' ? 'session_id' : 'thought_id';
    let id = '';
    const findings = findingsAfter((db) => {
      // The last thought of a session: the chain alone would not miss it.
      id = String(rowOf(db, `SELECT ${key} AS id FROM ${table} ORDER BY rowid DESC LIMIT 1`).id);
      db.prepare(`DELETE FROM ${table} WHERE ${key} = ?`).run(id);
    });
    expect(findings).toContain(`${key.split('_')[0]} ${id}: it is gone`);
  });
});

describe('put back', () => {
  /** Rows as they were before the last change, with the record they pointed to then, in the place of the new ones. */
  const findingsAfterPutBack = async (table: Table, where: string): Promise<string[]> => {
    const place = freshPlace();
    const { value: rows } = await session(place, async (peer) => {
      const lease_token = await work((tool, args) => peer.call(tool, args));
      const db = new Database(place.db, { readonly: true });
      const old = db.prepare<[], Row>(`SELECT * FROM ${table} WHERE ${where}`).all();
      db.close();
      const change = { title: 'changed', depends_on: ['T-0002'], lease_token };
      await peer.call('task_update', { task_id: 'T-0001', ...change });
      return old;
    });
    expect(checkSubjects(place.db)).toEqual([]);
    const db = new Database(place.db);
    db.pragma('foreign_keys = OFF');
    db.prepare(`DELETE FROM ${table} WHERE ${where}`).run();
    for (const row of rows) insert(db, table, row);
    db.close();
    return checkSubjects(place.db);
  };

  test.each([
    ['tasks', 'n = 1', 'task T-0001: not as its newest record says'],
    ['leases', 'task_n = 1', 'lease T-0001: not as its newest record says'],
    ['task_dependencies', 'task_n = 1', 'task T-0001: not as its newest record says'],
  ] as const)('%s', async (table, where, finding) => {
    expect(await findingsAfterPutBack(table, where)).toContain(finding);
  });

  test('a thought that was replaced by its neighbour’s row', () => {
    const findings = findingsAfter((db) => {
      const one = rowOf(db, "SELECT * FROM thoughts WHERE content = 'one'");
      db.prepare("UPDATE thoughts SET content = ?, content_salt = ?, content_digest = ? WHERE content = 'two'").run(
        one.content,
        one.content_salt,
        one.content_digest,
      );
    });
    expect(findings.join('\n')).toMatch(/thought \S+: not as its newest record says/);
  });
});
