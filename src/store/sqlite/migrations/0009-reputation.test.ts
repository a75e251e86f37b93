import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { MIGRATIONS } from './index.js';

it('derives the events of servers, and their days, from the records that are there', () => {
  const db = new Database(':memory:');
  const migrate = (from: number, to: number): void => {
    for (const { version, sql } of MIGRATIONS) if (version > from && version <= to) db.exec(sql);
  };
  migrate(0, 8);
  const how = [
    'result',
    'is_error',
    'error',
    'timeout',
    'lost',
    'server_error',
    'refused',
    'cut',
    'cancelled',
    'input',
  ];
  const attempts = how.map((end) => ({ server: 'plain', tool: 't', how: end, sent: true, duration_ms: 1 }));
  const insert = db.prepare(
    `INSERT INTO actions (id, log_id, seq, sequence_no, kind, tool, at, body, leaf) VALUES (?, 'l', ?, ?, ?, 't', ?, ?, '')`,
  );
  db.exec(
    `INSERT INTO logs (log_id, node, public_key, format, size, frontier, opened_at) VALUES ('l', 'n', '', 8, 0, '', '')`,
  );
  insert.run(7, 7, 7, 'call.exit', '2026-11-17T23:59:59.999Z', JSON.stringify({ route: { attempts } }));
  insert.run(8, 8, 8, 'call.exit', '2026-11-18T00:00:00.000Z', JSON.stringify({ route: { attempts: [attempts[3]] } }));
  insert.run(9, 9, 9, 'call.exit', '2026-11-18T00:00:00.000Z', JSON.stringify({ outcome: 'ok' }));
  insert.run(10, 10, 10, 'health', '2026-11-18T00:00:00.000Z', JSON.stringify({ route: { attempts } }));
  migrate(8, 9);
  expect(db.prepare('SELECT node_id, record, place, good, why FROM reputation_events').raw().all()).toEqual([
    ...how.slice(0, 6).map((why, place) => ['server:plain', 7, place, place < 3 ? 1 : 0, why]),
    ['server:plain', 8, 0, 0, 'timeout'],
  ]);
  expect(db.prepare('SELECT * FROM reputation_days ORDER BY day').raw().all()).toEqual([
    ['server:plain', 'execution', 20_774, 3, 3],
    ['server:plain', 'execution', 20_775, 0, 1],
  ]);
  db.close();
});
