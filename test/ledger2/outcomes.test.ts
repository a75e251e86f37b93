// A call has one outcome. It mostly follows the call's intent; only outcomes that stand elsewhere are in an index. The writer refuses a
// second one, verification finds one that was forged, and nothing that looks for an outcome reads the whole table.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportedOutcome } from '../../src/cli/export/repository.js';
import { openCallsOf } from '../../src/cli/instances-repository.js';
import { isCall, isOpen, outcomeOf, recordsBetween } from '../../src/cli/records/log-repository.js';
import { closeInterrupted } from '../../src/ledger/calls/instances.js';
import type { Pair } from '../../src/ledger/calls/pair.js';
import { append } from '../../src/ledger/ledger.js';
import { findOutcome } from '../../src/ledger/outcomes.js';
import type { OwnLog } from '../../src/ledger/own-log.js';
import type { JsonObject } from '../../src/proof/canonical-json.js';
import type { ReadTx, SqlValue, Store } from '../../src/store/store.js';
import { CHUNK } from '../../src/verify/log/chunk.js';
import { indexedOutcome, isEndedNext } from '../../src/verify/log/ledger-repository.js';
import { openReader, type StoreReading } from '../../src/verify/reading.js';
import { verifyStore } from '../../src/verify/verify.js';
import { type Forgery, forgeTail, macAgain } from '../support/forged-tail.js';
import { now, openLedger, temporaryFolder } from '../support/stores.js';
import { serveOnce } from './signed-store.js';

const BASE = 2 ** 32;
const INSTANCE = '0192f0c1-0000-7000-8000-000000000001';

const enter = (seq: number, call = 'new'): JsonObject => ({
  ...{ kind: 'call.enter', sequence_no: seq, instance: INSTANCE, call, tool: 't', client: null, args: 'empty' },
});
const exit = (sequence_no: number, call = 'new'): JsonObject => ({
  ...{ kind: 'call.exit', sequence_no, call, tool: 't', outcome: 'ok' },
});
/** Calls that fill more than one range of records. */
const fillers = (from: number): JsonObject[] =>
  Array.from({ length: CHUNK / 2 }, (_, i) => [enter(from + 2 * i, `f${i}`), exit(from + 2 * i, `f${i}`)]).flat();

/** Changes what the schema says of the index, and nothing in the index. */
const redefine = (path: string, from: string, to: string, more = ''): void => {
  const db = new Database(path);
  db.unsafeMode(true);
  db.exec(`PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET sql = replace(sql, '${from}', '${to}') WHERE name = 'actions_outcome';
    PRAGMA writable_schema = RESET; ${more}`);
  db.close();
};

/** Lets the index take two outcomes of one call; what its definition says is put back, so that the schema looks right. */
const withoutUniqueness = (path: string, act: () => void): void => {
  redefine(path, 'CREATE UNIQUE INDEX', 'CREATE INDEX');
  act();
  redefine(path, 'CREATE INDEX', 'CREATE UNIQUE INDEX');
};

describe('a forged second outcome is found', () => {
  const template = mkdtempSync(join(tmpdir(), 'colibri-outcomes-'));
  beforeAll(() => serveOnce(template, INSTANCE, false, ['c1']));
  afterAll(() => rmSync(template, { recursive: true, force: true }));

  const verdictOn = async (forgery: Forgery, change = (_: string): void => {}) => {
    const dir = temporaryFolder();
    cpSync(template, dir, { recursive: true });
    const path = join(dir, 'colibri.db');
    withoutUniqueness(path, () => forgeTail(path, forgery));
    change(path);
    macAgain(path, join(dir, 'keys')); // what is judged is what the records say
    const { exit: code, findings } = await verifyStore({
      ...{ path, scope: { kind: 'store' }, workers: 0 },
      ...{ headsDir: join(dir, 'heads'), keys: { dir: join(dir, 'keys') } },
    });
    return { code, told: findings.map(({ message }) => message).join('\n') };
  };

  it.each<[string, Forgery]>([
    ['two records after the first', (seq) => [enter(seq), exit(seq), exit(seq)]],
    ['later than the first', (seq) => [enter(seq), exit(seq), ...fillers(seq + 2).slice(0, 20), exit(seq)]],
    ['in another range than the first', (seq) => [enter(seq), exit(seq), ...fillers(seq + 2), exit(seq)]],
    ['where neither follows the intent', (seq) => [enter(seq), enter(seq + 1, 'x'), exit(seq), exit(seq)]],
    [
      'where neither follows the intent, in two ranges',
      (seq) => [enter(seq), enter(seq + 1, 'x'), exit(seq), ...fillers(seq + 3), exit(seq)],
    ],
    [
      'where both are in later ranges than the intent',
      (seq) => [enter(seq), ...fillers(seq + 1), exit(seq), exit(seq)],
    ],
  ])('%s', async (_, forgery) => {
    const { code, told } = await verdictOn(forgery);
    expect(code).toBe(20);
    expect(told).toMatch(/The call of record \d+ has another outcome/);
  });

  it('and an outcome that the index lacks is found, too', async () => {
    const { code, told } = await verdictOn(
      (seq) => [enter(seq), enter(seq + 1, 'x'), exit(seq + 1, 'x'), exit(seq)],
      (path) => {
        redefine(path, 'call.exit', 'call.none', 'REINDEX actions_outcome');
        redefine(path, 'call.none', 'call.exit');
      },
    );
    expect(code).toBe(20);
    expect(told).toMatch(/The index of outcomes does not have the outcome/);
  });

  it('and one outcome is none too many, wherever it is', async () => {
    expect((await verdictOn((seq) => [enter(seq), ...fillers(seq + 1), exit(seq)])).told).toBe('');
    expect((await verdictOn((seq) => [enter(seq), enter(seq + 1, 'x'), exit(seq + 1, 'x'), exit(seq)])).told).toBe('');
  });
});

describe('the writer', () => {
  const intent = {
    at: now(),
    record: { kind: 'call.enter', instance: INSTANCE, call: 'c', tool: 't', client: null, args: 'empty' },
  } as const;
  const ending = (sequenceNo: number) => ({
    ...{ at: now(), sequenceNo },
    record: { kind: 'call.exit', call: 'c', tool: 't', outcome: 'ok' } as const,
  });
  const add = (store: Store, log: OwnLog, ...records: Parameters<typeof append>[2]) =>
    store.write((tx) => append(tx, log, records));

  it.each<[string, boolean]>([
    ['after a head that it remembers', true],
    ['after a head that it reads', false],
  ])('refuses a second outcome, %s', async (_, isLeft) => {
    const { store, ledger } = await openLedger();
    const { log } = ledger;
    const [first] = await add(store, log, intent, intent);
    const seq = first?.seq ?? 0;
    await add(store, log, ending(seq), ending(seq + 1)); // both stand elsewhere: the index has them
    const [second] = await add(store, log, intent);
    await add(store, log, ending(second?.seq ?? 0)); // follows its intent
    for (const of of [seq, seq + 1, second?.seq ?? 0]) {
      if (isLeft) await add(store, log, intent);
      else log.left = undefined;
      await expect(add(store, log, ending(of))).rejects.toThrow(/outcome already|STORE|UNIQUE/);
    }
    const outcomes = await store.read((tx) =>
      tx.get<{ n: number; of: number }>(
        "SELECT COUNT(*) AS n, COUNT(DISTINCT sequence_no) AS of FROM actions WHERE kind = 'call.exit'",
      ),
    );
    expect(outcomes).toEqual({ n: 3, of: 3 });
  });
});

describe('whoever looks for an outcome', () => {
  /** The steps of a query in which SQLite reads the whole table of records, or a whole index of it. */
  const scansOf = async (tx: ReadTx, sql: string, params: readonly SqlValue[]): Promise<string[]> => {
    const steps = await tx.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...params);
    expect(steps).not.toEqual([]);
    return steps.map(({ detail }) => detail).filter((detail) => /^SCAN (?:actions|[aeox])\b/.test(detail));
  };

  it('finds it, and reads a few records for that', async () => {
    const dir = temporaryFolder();
    const { store, ledger } = await openLedger(dir);
    const log = ledger.log.id;
    const ending = { kind: 'call.exit', at: now(), call: 'c', tool: 't', outcome: 'ok' } as const;
    const begin = () => ledger.enter({ at: now(), call: 'c', tool: 't', client: null, args: {} });
    const end = async (pair: Pair): Promise<[number, number]> => [
      pair.seq ?? -1,
      (await ledger.exit(pair, ending)).seq,
    ];
    const [one, two, { seq: open = -1 }] = [await begin(), await begin(), await begin()];
    const ended = [await end(two), await end(one), await end(await begin())];

    const asked: [string, SqlValue[]][] = [];
    type Ask<T> = (sql: string, ...params: SqlValue[]) => T;
    const noted =
      <T>(act: Ask<T>): Ask<T> =>
      (sql, ...params) => {
        asked.push([sql, params]);
        return act(sql, ...params);
      };
    /** The same two functions, with a note of every query. */
    const noting = ({ get, all }: ReadTx): ReadTx => ({ get: noted(get), all: noted(all) }) as ReadTx;
    const stretch = { from: BASE, to: BASE + 100 };
    const known = { instance: ledger.instance, log_id: log, node: null, boot_seq: 0, pid: 1, started_at: now() };
    await store.read(async (read) => {
      const tx = noting(read);
      for (const [of, seq] of ended) {
        expect(await findOutcome(tx, log, of)).toBe(BASE + seq);
        expect((await outcomeOf(tx, log, of))?.seq).toBe(seq);
        expect((await exportedOutcome(tx, log, of))?.seq).toBe(seq);
      }
      expect(await findOutcome(tx, log, open)).toBeUndefined();
      expect((await recordsBetween(tx, stretch, [isOpen])).map(({ seq }) => seq)).toEqual([open]);
      expect(await recordsBetween(tx, stretch, [isCall])).toHaveLength(4);
      expect(await openCallsOf(tx, { ...known, closed: 0 }, 100)).toBe(1);
    });
    const dead = { isAlive: async () => false, isHeld: async () => true, forget: async () => {}, hold: async () => {} };
    const watched: Pick<Store, 'read' | 'write' | 'instances'> = {
      read: (fn) => store.read((tx) => fn(noting(tx))),
      write: (fn) => store.write(fn),
      instances: dead,
    };
    expect(await closeInterrupted({ store: watched as Store, log: ledger.log, now }, ledger)).toBe(1);

    const reader = openReader({ path: join(dir, 'colibri.db') });
    reader.snapshot((tx) => {
      const reading = { get: noted(tx.get), all: noted(tx.all) } as StoreReading;
      for (const [of, seq] of ended) {
        expect(isEndedNext(reading, BASE, of)).toBe(seq === of + 1);
        expect(indexedOutcome(reading, log, of)).toBe(seq === of + 1 ? undefined : BASE + seq);
      }
    });
    reader.close();
    const scans = await store.read((tx) => Promise.all(asked.map(([sql, params]) => scansOf(tx, sql, params))));
    expect(scans.flat()).toEqual([]);
    expect(new Set(asked.map(([sql]) => sql)).size).toBeGreaterThan(8);
  });
});
