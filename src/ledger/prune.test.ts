import { expect, it } from 'vitest';
import { now, openLedger, recordsOf } from '../../test/support/stores.js';
import type { Store } from '../store/store.js';
import { LEDGER_LIMITS } from './limits.js';
import { oldPayloads, prunePayloads } from './prune.js';

const BEFORE = '2026-11-15T18:30:00.124Z'; // every record of `now()` is older

/** Appends calls whose arguments have so many characters. */
const setUp = async (...chars: number[]) => {
  const { store, ledger } = await openLedger();
  const own = ledger.log;
  const seqs: number[] = [];
  for (const many of chars) {
    const args = { text: 'x'.repeat(many) };
    const pair = await ledger.enter({ at: now(), call: crypto.randomUUID(), tool: 't', client: null, args });
    seqs.push(pair.seq ?? -1);
  }
  return { store, own, log: own.id, seqs };
};

const pageOf = (store: Store, log: string, after = -1, before = BEFORE) =>
  store.read((tx) => oldPayloads(tx, log, before, after));

it('a page has so many rows and so many bytes, and always one', async () => {
  const whole = LEDGER_LIMITS.pruneBytes - '{"text":""}'.length;
  const { store, log, seqs } = await setUp(whole, 1, whole + 1, 1, 1);
  const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0] = seqs;
  const pages: unknown[] = [];
  for (let after: number | undefined = -1; after !== undefined; ) {
    const { runs, last } = await pageOf(store, log, after);
    pages.push(runs.map(({ from, to, rows }) => [from, to, rows]));
    after = last;
  }
  expect(pages).toEqual([
    [[first, first, 1]],
    [[first + 1, second, 1]],
    [[second + 1, third, 1]],
    [[third + 1, fifth, 2]],
    [],
  ]);
  expect(fourth).toBeLessThan(fifth);
});

it('as many rows as one transaction takes', async () => {
  const { store, log } = await setUp(...Array.from({ length: LEDGER_LIMITS.pruneRows + 1 }, () => 1));
  const { runs, last } = await pageOf(store, log);
  expect(runs.map(({ rows }) => rows)).toEqual([LEDGER_LIMITS.pruneRows]);
  expect((await pageOf(store, log, last)).runs.map(({ rows }) => rows)).toEqual([1]);
});

it('rows that no record speaks of stay, and so does what is as old as the date itself', async () => {
  const { store, log, seqs } = await setUp(1, 1);
  expect((await pageOf(store, log, -1, now())).runs).toEqual([]);
  const stray = 'INSERT INTO payloads (log_id, seq, salt, json) VALUES (?, ?, ?, ?)';
  await store.write(async (tx) => {
    await tx.run(stray, log, 1, 'ab', '{}'); // beside a record that is no call
    await tx.run(stray, log, 999, 'ab', '{}'); // beside none
  });
  const { runs, last } = await pageOf(store, log);
  expect(runs).toMatchObject([{ from: 2, to: seqs[1], rows: 2 }]);
  expect(last).toBe(999);
});

it('says what it took out, and nothing where there was nothing left', async () => {
  const { store, log, own, seqs } = await setUp(1, 1);
  const [from = 0, to = 0] = seqs;
  const prune = () =>
    store.write((tx) =>
      prunePayloads(tx, { log: own, at: now(), before: BEFORE, of: log }, [{ from, to, rows: 2, bytes: 2 }]),
    );
  expect(await prune()).toEqual({ rows: 2, records: 1 });
  expect((await recordsOf(store)).at(-1)).toMatchObject({
    kind: 'prune',
    before: BEFORE,
    from_seq: from,
    to_seq: to,
    count: 2,
  });
  const size = (await recordsOf(store)).length;
  expect(await prune()).toEqual({ rows: 0, records: 0 });
  expect(await recordsOf(store)).toHaveLength(size);
});
