// Every writing tool, called twice with the same arguments: the second call changes no evidence but the end of a lease.
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkSubjects } from '../support/evidence-check.js';
import { freshPlace, type Message, session } from '../support/serve.js';

const TABLES = ['tasks', 'task_dependencies', 'sessions', 'thoughts', 'replays'];

const contents = (path: string): unknown => {
  const db = new Database(path, { readonly: true });
  const rows = TABLES.map((table) => db.prepare(`SELECT * FROM ${table} ORDER BY rowid`).all());
  const tokens = db.prepare('SELECT task_n, token, holder, released FROM leases ORDER BY task_n').all();
  db.close();
  return [...rows, tokens];
};

const WAY = ['GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'DONE'] as const;
const number = fc.integer({ min: 1, max: 4 });
const text = fc.constantFrom('one', 'two', 'drei „drei“');
const to =
  (tool: string) =>
  (args: Message): [string, Message] => [tool, args];
const name = fc.constantFrom('s0', 's1');

const calls: fc.Arbitrary<[string, Message]> = fc.oneof(
  fc.record({ title: text, claim_by: fc.constantFrom('ada', 'bob') }).map(to('task_create')),
  fc.record({ tasks: fc.array(fc.record({ title: text }), { minLength: 1, maxLength: 3 }) }).map(to('task_create')),
  fc
    .record({ n: number, from: fc.nat({ max: 5 }), count: fc.integer({ min: 1, max: 6 }), note: text })
    .map(({ n, from, count, note }) => ({
      task_id: `T-${n}`,
      steps: WAY.slice(from, from + count).map((status) => ({ status, note })),
    }))
    .map(to('task_update')),
  fc.record({ task_id: number.map(String), title: text }).map(to('task_update')),
  fc.record({ task_id: number.map(String), type: fc.constant('plan'), content: text }).map(to('thought_record')),
  fc.record({ type: fc.constant('decision'), content: text }).map(to('thought_record')),
  fc.record({ session_id: name, intent: text }).map(to('audit_session_start')),
  fc.record({ session_id: name, type: fc.constant('plan'), content: text }).map(to('thought_record')),
  fc.record({ session_id: name }).map(to('merkle_finalize')),
);

const KEYED = ['task_create', 'task_update', 'thought_record'];

test('a call that is made again changes nothing twice, whatever happened in between', async () => {
  const place = freshPlace();
  await session(place, async (peer) => {
    const made: [string, Message][] = [];
    for (const [i, [tool, given]] of fc.sample(calls, { numRuns: 60, seed: 5 }).entries()) {
      const args = KEYED.includes(tool) ? { ...given, idempotency_key: `k${i}` } : given;
      const { result } = await peer.call(tool, args);
      const { ok, data } = result.structuredContent;
      if (ok === true && data.ok !== false) made.push([tool, args]);
      // This call again, and one of those before it.
      for (const [again, same] of [[tool, args] as const, ...made.slice(-7, -6)]) {
        const before = contents(place.db);
        await peer.call(again, same);
        expect(contents(place.db), `${again} ${JSON.stringify(same)}`).toEqual(before);
      }
    }
    expect(made.length).toBeGreaterThan(20);
    expect(new Set(made.map(([tool]) => tool)).size).toBe(5);
  });
  expect(checkSubjects(place.db)).toEqual([]);
}, 480_000);
