// What any store must do, whatever engine is behind it: only the port is used here. The table `tiles` of the
// first migration serves as a plain table, so that every engine can run the same texts.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Row, Store, Tx } from '../../src/store/store.js';

export interface StoreUnderTest {
  readonly store: Store;
  /** One more store on the same database, as another process would open it. */
  another(): Promise<Store>;
  /** Closes everything and leaves nothing behind. */
  remove(): Promise<void>;
}

const put = (tx: Tx, idx: number, hash = 'h') => tx.run('INSERT INTO tiles VALUES (?, 0, ?, ?)', 'log', idx, hash);

const indexes = async (store: Store): Promise<unknown[]> => {
  const rows = await store.read((tx) => tx.all('SELECT idx FROM tiles WHERE log_id = ? ORDER BY idx', 'log'));
  return rows.map((row) => row.idx);
};

/** Reads, then writes what depends on it: two that overlap would lose an update. */
const increment = async (tx: Tx): Promise<number> => {
  const row = await tx.get<{ level: number }>('SELECT level FROM tiles WHERE log_id = ?', 'counter');
  const level = (row?.level ?? 0) + 1;
  if (row === undefined) await tx.run('INSERT INTO tiles VALUES (?, ?, 0, ?)', 'counter', level, 'h');
  else await tx.run('UPDATE tiles SET level = ? WHERE log_id = ?', level, 'counter');
  return level;
};

export const storeContract = (name: string, open: () => Promise<StoreUnderTest>): void => {
  describe(`the store contract: ${name}`, () => {
    let under: StoreUnderTest;
    let store: Store;

    beforeEach(async () => {
      under = await open();
      store = under.store;
      await store.migrate(async () => {});
    });

    afterEach(() => under.remove());

    describe('one statement for many rows', () => {
      const INSERT = 'INSERT INTO tiles VALUES (?, 0, ?, ?)';

      it('runs once for each, in order', async () => {
        await store.write(async (tx) => {
          await tx.runMany(INSERT, []);
          await tx.runMany(
            INSERT,
            [3, 1, 2].map((idx) => ['log', idx, 'h']),
          );
          await tx.runMany('UPDATE tiles SET hash = ? WHERE idx = ?', [
            ['first', 1],
            ['second', 1],
          ]);
        });
        const rows = await store.read((tx) => tx.all('SELECT idx, hash FROM tiles ORDER BY idx'));
        expect(rows.map(({ idx, hash }) => `${idx} ${hash}`)).toEqual(['1 second', '2 h', '3 h']);
      });

      it('fails with the first that fails, and leaves nothing', async () => {
        const twice = store.write((tx) =>
          tx.runMany(INSERT, [
            ['log', 1, 'h'],
            ['log', 1, 'h'],
            ['log', 2, 'h'],
          ]),
        );
        await expect(twice).rejects.toThrow();
        const unbindable = store.write((tx) =>
          tx.runMany(INSERT, [
            ['log', 1, 'h'],
            ['log', Number.NaN, 'h'],
          ]),
        );
        await expect(unbindable).rejects.toThrow(/parameter 2/);
        expect(await indexes(store)).toEqual([]);
      });
    });

    describe('values', () => {
      it('gives back strings, numbers and null as they were bound', async () => {
        const long = 'ü\u{1f426}'.repeat(5_000);
        await store.write(async (tx) => {
          await tx.run('INSERT INTO payloads VALUES (?, ?, ?, ?)', 'log', Number.MAX_SAFE_INTEGER, '', null);
          await tx.run('INSERT INTO payloads VALUES (?, ?, ?, ?)', 'log', -5, long, '5');
        });
        const rows = await store.read((tx) => tx.all('SELECT seq, salt, json FROM payloads ORDER BY seq'));
        expect(rows).toEqual([
          { seq: -5, salt: long, json: '5' },
          { seq: Number.MAX_SAFE_INTEGER, salt: '', json: null },
        ]);
      });

      it.each([
        ['undefined', undefined],
        ['a boolean', true],
        ['a bigint', 1n],
        ['a date', new Date(0)],
        ['bytes', Buffer.from('x')],
        ['NaN', Number.NaN],
        ['infinity', Number.POSITIVE_INFINITY],
        ['an unsafe integer', 2 ** 53],
        ['U+0000', 'a\u0000b'],
        ['a lone surrogate', 'a\ud800b'],
      ])('refuses to bind %s', async (_, value) => {
        const bad = value as never;
        await expect(store.write((tx) => tx.run('INSERT INTO tiles VALUES (?, 0, 0, ?)', 'log', bad))).rejects.toThrow(
          TypeError,
        );
        expect(await indexes(store)).toEqual([]);
      });

      it('says undefined for no row and [] for no rows', async () => {
        const found = await store.read(async (tx) => [
          await tx.get('SELECT idx FROM tiles'),
          await tx.all('SELECT idx FROM tiles'),
        ]);
        expect(found).toEqual([undefined, []]);
      });

      it('counts the rows a statement changed', async () => {
        const changed = await store.write(async (tx) => {
          await put(tx, 1);
          await put(tx, 2);
          return [
            await tx.run('UPDATE tiles SET hash = ? WHERE log_id = ?', 'new', 'log'),
            await tx.run('DELETE FROM tiles WHERE idx = ?', 7),
            await tx.run('INSERT INTO tiles VALUES (?, 0, 1, ?) ON CONFLICT DO NOTHING', 'log', 'h'),
          ];
        });
        expect(changed).toEqual([2, 0, 0]);
      });
    });

    describe('transactions', () => {
      it('keep nothing of a function that throws, and reject with what it threw', async () => {
        const boom = new Error('boom');
        const failing = store.write(async (tx) => {
          await put(tx, 1);
          throw boom;
        });
        await expect(failing).rejects.toBe(boom);
        expect(await indexes(store)).toEqual([]);
      });

      it('go on after a statement that failed and was caught', async () => {
        await store.write(async (tx) => {
          await put(tx, 1);
          await tx.run('INSERT INTO tiles VALUES (?, 0, 2, ?)', 'log', null).catch(() => {});
          await put(tx, 3);
        });
        expect(await indexes(store)).toEqual([1, 3]);
      });

      it('run in the order in which they were asked for', async () => {
        const order: number[] = [];
        const jobs = Array.from({ length: 30 }, (_, n) =>
          store.write((tx) => increment(tx).then(() => void order.push(n)), { group: n % 3 !== 0, sync: n % 7 === 0 }),
        );
        await Promise.all(jobs);
        expect(order).toEqual(Array.from({ length: 30 }, (_, n) => n));
      });

      it('lose no update, within one store and between two', async () => {
        const other = await under.another();
        const many = (one: Store) =>
          Array.from({ length: 100 }, (_, n) => one.write(increment, { group: n % 2 === 0 }));
        const levels = await Promise.all([...many(store), ...many(other)]);
        expect(levels.sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, n) => n + 1));
      });

      it('show their own rows inside and none outside before they end', async () => {
        const seen = await store.write(async (tx) => {
          await put(tx, 1);
          const inside = await tx.all<Row>('SELECT idx FROM tiles');
          return { inside: inside.length, outside: await indexes(store) };
        });
        expect(seen).toEqual({ inside: 1, outside: [] });
        expect(await indexes(store)).toEqual([1]);
      });

      it('read one snapshot, even while another store writes', async () => {
        const other = await under.another();
        const seen = await store.read(async (tx) => {
          const before = await tx.all('SELECT idx FROM tiles');
          await other.write((elsewhere) => put(elsewhere, 1));
          return [before.length, (await tx.all('SELECT idx FROM tiles')).length];
        });
        expect(seen).toEqual([0, 0]);
        expect(await indexes(store)).toEqual([1]);
      });

      it('cannot write in a read', async () => {
        const writing = store.read((tx) => tx.get('INSERT INTO tiles VALUES (?, 0, 0, ?) RETURNING idx', 'log', 'h'));
        await expect(writing).rejects.toThrow();
        expect(await indexes(store)).toEqual([]);
      });

      it('cannot be ended from inside', async () => {
        const ending = store.write(async (tx) => {
          await put(tx, 1);
          await tx.run(' /* now */ COMMIT');
        });
        await expect(ending).rejects.toThrow(TypeError);
        expect(await indexes(store)).toEqual([]);
      });

      it('leave a tx that is of no use afterwards', async () => {
        let leaked: Tx | undefined;
        await store.write(async (tx) => {
          leaked = tx;
        });
        await expect(leaked?.run('INSERT INTO tiles VALUES (?, 0, 0, ?)', 'log', 'h')).rejects.toThrow('is over');
        await expect(leaked?.get('SELECT 1')).rejects.toThrow('is over');
        expect(await indexes(store)).toEqual([]);
      });
    });

    describe('groups', () => {
      it('lose only the member that fails', async () => {
        const results = await Promise.allSettled(
          [0, 1, 2, 3, 4].map((n) =>
            store.write(
              async (tx) => {
                await put(tx, n);
                if (n === 0 || n === 2) throw new Error(`no ${n}`);
                return n;
              },
              { group: true },
            ),
          ),
        );
        expect(results.map((result) => (result.status === 'fulfilled' ? result.value : 'failed'))).toEqual([
          'failed',
          1,
          'failed',
          3,
          4,
        ]);
        expect(await indexes(store)).toEqual([1, 3, 4]);
      });

      it('are visible to everybody once a member is told so', async () => {
        const other = await under.another();
        const seen = await Promise.all(
          [1, 2, 3].map((n) => store.write((tx) => put(tx, n), { group: true }).then(() => indexes(other))),
        );
        for (const [at, rows] of seen.entries()) expect(rows).toContain(at + 1);
      });
    });

    describe('a write at once, where the engine can do it', () => {
      const putNow = (idx: number) =>
        store.writeNow?.((tx) => tx.run('INSERT INTO tiles VALUES (?, 0, ?, ?)', 'log', idx, 'h'));

      /** The event loop runs: a store that has just worked for long does nothing at once before. */
      const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
      beforeEach(turn);

      it('is committed, and seen by others, when it returns', async () => {
        if (store.writeNow === undefined) return;
        expect(putNow(1)).toBe(1);
        expect(await indexes(await under.another())).toEqual([1]);
      });

      it('writes nothing if its function throws, returns nothing, or another write waits', async () => {
        if (store.writeNow === undefined) return;
        const throwing = () => {
          throw new Error('no');
        };
        expect(
          store.writeNow((tx) => void tx.run('INSERT INTO tiles VALUES (?, 0, 1, ?)', 'log', 'h')),
        ).toBeUndefined();
        expect(
          store.writeNow((tx) => [tx.run('INSERT INTO tiles VALUES (?, 0, 2, ?)', 'log', 'h'), throwing()]),
        ).toBeUndefined();
        const waiting = store.write((tx) => put(tx, 3));
        expect(putNow(4)).toBeUndefined();
        await waiting;
        await turn();
        expect(putNow(5)).toBe(1);
        expect(await indexes(store)).toEqual([3, 5]);
      });

      it('is left to `write` while another store has the lock', async () => {
        if (store.writeNow === undefined) return;
        const other = await under.another();
        let during: unknown = 'not tried';
        await other.write(async (tx) => {
          await put(tx, 1);
          during = putNow(2);
        });
        expect(during).toBeUndefined();
        await turn();
        expect(putNow(3)).toBe(1);
        expect(await indexes(store)).toEqual([1, 3]);
      });

      it('is left to `write` after a while, so that the event loop runs', async () => {
        if (store.writeNow === undefined) return;
        let written = 0;
        while (written < 100_000 && putNow(written) !== undefined) written += 1;
        expect(written).toBeGreaterThan(0);
        expect(written).toBeLessThan(100_000);
        await turn();
        expect(putNow(written)).toBe(1);
      });

      it('is refused by a closed store', async () => {
        await store.close();
        if (store.writeNow !== undefined) expect(() => putNow(1)).toThrow();
      });
    });

    describe('migrate', () => {
      it('has nothing to do the second time', async () => {
        const tables = store.tableCount;
        const steps: number[] = [];
        await store.migrate(async (_, all) => void steps.push(...all.map(({ to }) => to)));
        expect(steps).toEqual([]);
        expect(store.tableCount).toBe(tables);
        expect(tables).toBeGreaterThan(0);
      });
    });

    it('backup names the copy it made', async () => {
      await store.write((tx) => put(tx, 1));
      expect(await store.backup()).toMatch(/\S/);
    });

    describe('close', () => {
      it('finishes what was accepted, then refuses', async () => {
        const accepted = [1, 2, 3].map((n) => store.write((tx) => put(tx, n), { group: n > 1 }));
        const reading = indexes(store);
        await Promise.all([store.close(), store.close()]);
        await Promise.all(accepted);
        await reading;
        await expect(store.write((tx) => put(tx, 4))).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
        await expect(indexes(store)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
        await expect(store.migrate(async () => {})).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
        await expect(store.backup()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
        expect(store.tableCount).toBe(0);
        expect(await indexes(await under.another())).toEqual([1, 2, 3]);
      });
    });

    describe('instances', () => {
      const instance = '0192f0c1-0000-7000-8000-000000000001';

      it('live from hold to close', async () => {
        const other = await under.another();
        expect(await store.instances.isAlive(instance)).toBe(false);
        await store.instances.hold(instance);
        await store.instances.hold(instance);
        expect(await store.instances.isAlive(instance)).toBe(true);
        expect(await other.instances.isAlive(instance)).toBe(true);
        await other.instances.forget(instance);
        expect(await other.instances.isAlive(instance)).toBe(true);
        await store.close();
        expect(await other.instances.isAlive(instance)).toBe(false);
      });

      // A planted row must neither name a file nor stop whoever goes through all of them.
      it('have ids that cannot be mistaken for a path: nobody else is held, lives or is forgotten', async () => {
        for (const id of ['../x', 'a/b', 'a\\b', '..', '', 'Cookies', 'colibri.db']) {
          await expect(store.instances.hold(id)).rejects.toThrow(TypeError);
          expect(await store.instances.isAlive(id)).toBe(false);
          await store.instances.forget(id);
        }
      });
    });
  });
};
