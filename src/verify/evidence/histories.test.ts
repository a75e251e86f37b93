// Histories of rows from traces alone: every rule about revisions, states and order, also between logs.
import { describe, expect, it } from 'vitest';
import type { StoreReading } from '../reading.js';
import { groupsIn } from '../scratch.js';
import { checkHistory, expiredIn, expiredKey } from './histories.js';
import { orderOf } from './order.js';
import { type FollowedType, readTrace, rowOf, type Trace, TraceList } from './trace.js';

const LOG = 2 ** 32;
/** The id of a record of the second or third log. */
const [A, B] = [(seq: number) => LOG * 2 + seq, (seq: number) => LOG * 3 + seq];

interface Told {
  readonly traces: readonly Trace[];
  readonly type?: FollowedType;
  readonly id?: string | number;
  readonly partial?: boolean;
  readonly sightings?: readonly number[];
  readonly row?: Readonly<Record<string, unknown>>;
  readonly later?: boolean;
}

const tell = ({
  traces,
  type = 'task',
  id = 7,
  partial = false,
  sightings = [],
  row,
  later = false,
}: Told): string[] => {
  const list = new TraceList();
  for (const trace of traces) list.add(type, id, trace);
  const found = (sql: string): unknown => {
    if (!sql.includes('FROM tasks') && sql.includes('FROM actions'))
      return { log_id: 'a', seq: 0, body: JSON.stringify({ subjects: [{ type, id }] }) };
    return row;
  };
  const tx = { get: found, all: () => [] } as unknown as StoreReading;
  const facts = {
    tx,
    mayMissAfter: () => partial,
    precedes: orderOf(Float64Array.from(sightings)),
    expiredLater: () => later,
  };
  return [...groupsIn(Buffer.from(list.entries))].flatMap(({ key, values }) =>
    checkHistory(facts, key, values).map(({ where, message }) => `${where.id} ${message}`),
  );
};

const made = (rev: number, record: number, move?: Trace['move']): Trace => ({ kind: 'made', rev, record, move });
const done = (rev: number, record: number): Trace => ({ kind: 'done', rev, record });
const expired = (rev: number, record: number): Trace => ({ kind: 'expired', rev, record });
const to = (from: string, target: string, attempt = 1, retries = 0): Trace['move'] =>
  ({ from, to: target, attempt, retries }) as Trace['move'];

const ALL_STATES = ['INIT', 'GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'DONE'];
/** The revisions of a task from INIT to DONE, in one log. */
const WHOLE = ALL_STATES.map((state, i) =>
  made(i + 1, A(i * 10), i === 0 ? undefined : to(ALL_STATES[i - 1] ?? '', state)),
);

describe('traces', () => {
  it.each([
    ['task', 7, made(1, A(0))],
    ['task', 999_999_999_999_999, made(2 ** 32 - 1, 2 ** 53 - 1, to('VERIFY', 'GATHER', 65_535, 119))],
    ['lease', 1, expired(3, B(2 ** 32 - 1))],
    ['session', 'a session of any name', made(2, A(5))],
    ['catalogue', 'a/b/c', done(1, 0)],
  ] as const)('of %s %s come back as they were', (type, id, trace) => {
    const list = new TraceList();
    for (let i = 0; i < 300; i++) list.add(type, id, trace);
    const [group, ...others] = groupsIn(Buffer.from(list.entries));
    expect(others).toEqual([]);
    expect(group?.values).toHaveLength(300);
    const row = rowOf(group?.key ?? Buffer.alloc(16));
    expect(row).toMatchObject({ type, n: typeof id === 'number' ? id : 0 });
    if (typeof id === 'string') {
      expect(row.isOf(type, id)).toBe(true);
      expect(row.isOf(type, `${id}x`)).toBe(false);
      expect(row.isOf('thought', id)).toBe(false);
    }
    expect(readTrace(group?.values[299] ?? Buffer.alloc(16))).toEqual({ move: undefined, ...trace });
  });
});

describe('revisions', () => {
  it('are dense, unique, and in the order of their log', () => {
    expect(tell({ traces: WHOLE })).toEqual([]);
    expect(tell({ traces: WHOLE.toReversed() })).toEqual([]);
    expect(tell({ traces: [made(1, A(0)), made(2, B(0)), made(3, A(1))] })).toEqual([]);
    expect(tell({ traces: [made(2, A(0))] })).toEqual(['T-0007 is revision 2, but no record made revision 1']);
    expect(tell({ traces: [made(1, A(0)), made(5, A(1))] })).toEqual([
      'T-0007 is revision 5, but no record made revisions 2 to 4',
    ]);
    expect(tell({ traces: [made(1, A(0)), made(1, B(0))] })[0]).toMatch(/^T-0007 is revision 1 already by record 0/);
    expect(tell({ traces: [made(1, A(9)), made(2, A(8))] })[0]).toMatch(/^T-0007 is revision 2 before record 0/);
    expect(tell({ traces: [made(1, A(9)), made(2, A(9))] })[0]).toMatch(/^T-0007 is revision 2 before record 0/);
  });

  it('of sessions and catalogues are named as the record names them', () => {
    const traces = [made(1, A(0)), made(3, A(1))];
    for (const type of ['session', 'catalogue'] as const)
      expect(tell({ traces, type, id: 'mine' })).toEqual(['mine is revision 3, but no record made revision 2']);
  });

  it('may be missing where records were taken on trust, but none is made twice', () => {
    expect(tell({ traces: [made(3, A(0)), made(6, A(1))], partial: true })).toEqual([]);
    expect(tell({ traces: [made(3, A(0)), made(3, B(1))], partial: true })).toHaveLength(1);
  });

  it('have an order between logs only where a record says how long the other log was', () => {
    const traces = [made(1, A(9)), made(2, B(3))];
    const late = /^T-0007 is revision 2 before/;
    // A(8) was written when B had four records, so B(3) came before A(9).
    expect(tell({ traces, sightings: [A(8), B(4)] })[0]).toMatch(late);
    expect(tell({ traces, sightings: [A(0), B(1), A(8), B(4), A(30), B(90)] })[0]).toMatch(late);
    for (const sightings of [[], [A(8), B(3)], [A(10), B(4)], [B(1), A(9)], [B(3), A(10)], [A(8), LOG * 4 + 9]])
      expect(tell({ traces, sightings }), String(sightings)).toEqual([]);
  });
});

describe('states', () => {
  it('begin where the last change ended', () => {
    const wrong = [made(1, A(0)), made(2, A(1), to('GATHER', 'ANALYZE'))];
    expect(tell({ traces: wrong })).toEqual(['T-0007 leaves GATHER with revision 2, but it was in INIT']);
    expect(tell({ traces: [made(1, A(0), to('INIT', 'GATHER'))] })).toEqual([]);
    // Edits in between change no state.
    const edits = [made(1, A(0)), made(2, B(0)), made(3, A(1), to('INIT', 'GATHER')), made(4, B(1))];
    expect(tell({ traces: [...edits, made(5, A(2), to('GATHER', 'ANALYZE'))] })).toEqual([]);
    expect(tell({ traces: [...edits, made(5, A(2), to('INIT', 'CANCELLED'))] })).toHaveLength(1);
  });

  it('count their attempts', () => {
    const retry = (attempt: number, retries: number) =>
      tell({ traces: [...WHOLE.slice(0, 6), made(7, A(90), to('VERIFY', 'GATHER', attempt, retries))] });
    expect(retry(2, 1)).toEqual([]);
    for (const [attempt, retries] of [
      [1, 1],
      [3, 1],
      [2, 0],
    ] as const)
      expect(retry(attempt, retries), `${attempt} ${retries}`).toHaveLength(1);
  });

  it('are not guessed behind a hole, but followed again after the next change', () => {
    const after = [made(3, A(5), to('PLAN', 'APPLY')), made(4, A(6), to('VERIFY', 'DONE'))];
    expect(tell({ traces: [made(1, A(0)), ...after] })).toEqual([
      'T-0007 is revision 3, but no record made revision 2',
      'T-0007 leaves VERIFY with revision 4, but it was in APPLY',
    ]);
    expect(tell({ traces: after, partial: true })).toHaveLength(1);
  });

  it('are those of the row, unless the row has changed since', () => {
    const row = (status: string, version: number, attempt = 1) =>
      tell({ traces: WHOLE, row: { status, version, attempt } });
    expect(row('DONE', 7)).toEqual([]);
    expect(row('VERIFY', 7)).toEqual(['T-0007 is in VERIFY, attempt 1; its records lead to DONE, attempt 1']);
    expect(row('DONE', 7, 2)).toHaveLength(1);
    expect(row('VERIFY', 8)).toEqual([]);
  });
});

describe('DONE', () => {
  it.each([
    ['found when it was so', done(7, A(61)), 0],
    ['found in the same record', done(7, A(60)), 0],
    ['found in another log', done(7, B(0)), 0],
    ['found before it was so', done(7, A(59)), 1],
    ['at a revision before it', done(6, A(55)), 1],
    ['at a revision that was not made', done(8, A(99)), 1],
    ['at an old revision', done(6, A(61)), 2],
  ])('%s', (_, claim, findings) => {
    expect(tell({ traces: [...WHOLE, claim] })).toHaveLength(findings);
  });

  it('of a task without records is not DONE, unless records were taken on trust', () => {
    expect(tell({ traces: [done(3, A(0))] })).toEqual(['T-0007 is named as DONE at revision 3, which no record made']);
    expect(tell({ traces: [done(3, A(0))], partial: true })).toEqual([]);
  });

  it('before it was so in another log shows where the order is known', () => {
    const traces = [...WHOLE, done(7, B(5))];
    expect(tell({ traces, sightings: [A(59), B(6)] })).toEqual([
      'T-0007 is named as DONE at revision 7 before that revision was made',
    ]);
    expect(tell({ traces, sightings: [A(61), B(6)] })).toEqual([]);
  });
});

describe('flags of leases', () => {
  const flag = (flagged: number, rest: Partial<Told> = {}, released = 0, rev = 2) =>
    tell({ traces: [made(1, A(0)), made(2, A(5))], type: 'lease', row: { rev, released, flagged }, ...rest });
  const over = [made(1, A(0)), made(2, A(5)), expired(2, B(9))];

  it('are 0 only for leases that were given back or found run out', () => {
    expect(flag(1)).toEqual([]);
    expect(flag(0)).toEqual(['T-0007 flagged is 0, but it was neither given back nor found run out']);
    expect(flag(0, {}, 1)).toEqual([]);
    expect(flag(1, {}, 1)).toHaveLength(1);
    expect(flag(0, { traces: over })).toEqual([]);
    expect(flag(1, { traces: over })).toEqual(['T-0007 flagged is 1, but it is over']);
    expect(flag(0, { traces: [made(1, A(0)), expired(1, A(1)), made(2, A(5))] })).toHaveLength(1);
  });

  it('are not judged by what this verification has not read', () => {
    expect(flag(0, { later: true })).toEqual([]);
    expect(flag(0, { partial: true })).toEqual([]);
    expect(flag(0, {}, 0, 3)).toEqual([]);
  });

  it('are found in later records by task and revision', () => {
    const bodies = [
      '{"expired":[{"rev":3,"task_id":"T-0007"}]}',
      'no JSON',
      '{"expired":7}',
      null,
      '{"expired":[null]}',
    ];
    const later = expiredIn(bodies);
    expect([later.has(expiredKey(7, 3)), later.has(expiredKey(7, 2)), later.size]).toEqual([true, false, 1]);
  });
});
