// A call's two records, with a journal, while the store fails, rolls back and repeats: one intent, one outcome, in every order.
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endingOf, intentOf, openJournaled } from '../../../test/support/journals.js';
import { ColibriError } from '../../errors.js';
import type { Store, Tx, WriteOptions } from '../../store/store.js';
import { readSize } from '../head.js';
import { LEDGER_LIMITS } from '../limits.js';
import { Backlog } from './backlog.js';
import type { Pair } from './pair.js';

const BUSY = new ColibriError('STORE_BUSY', 'busy');
/** By then the intent of a call that lasts is in the ledger: the timer looks once in every interval. */
const EARLY_MS = 3 * LEDGER_LIMITS.earlyIntentMs;

/** How a transaction ends: as always; refused before it began; rolled back and refused; rolled back and run again. */
type Fate = 'well' | 'refused' | 'rolled back' | 'run again';

class RolledBack extends Error {}

const rolledBack = (store: Store, fn: (tx: Tx) => Promise<unknown>, options?: WriteOptions): Promise<unknown> =>
  store
    .write(async (tx) => {
      await fn(tx);
      throw new RolledBack();
    }, options)
    .catch((thrown: unknown) => {
      if (!(thrown instanceof RolledBack)) throw thrown;
    });

/** A store whose writes end as `fateOf` says, and are as slow as `slownessMs` says: before they begin, and after they were rolled back. */
const fatedStore =
  (fateOf: () => Fate, slownessMs: () => number = () => 0) =>
  (store: Store): Store => {
    const pass = async (): Promise<void> => {
      const ms = slownessMs();
      if (ms > 0) await sleep(ms);
    };
    const write: Store['write'] = async (fn, options) => {
      const fate = fateOf();
      await pass();
      if (fate === 'refused') throw BUSY;
      if (fate !== 'well') await rolledBack(store, fn, options);
      if (fate !== 'well') await pass();
      if (fate === 'rolled back') throw BUSY;
      return store.write(fn, options);
    };
    return new Proxy(store, {
      get: (target, key) => {
        if (key === 'write') return write;
        if (key === 'writeNow') return undefined;
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  };

const CROWD = { size: 10, isAlone: false };

describe('a call with a journal', () => {
  it('is only in the journal while it runs, and in the ledger with both records afterwards', async () => {
    const { ledger, left, calls } = await openJournaled();
    const pair = await ledger.enter(intentOf('a', { text: 'grüße\t"\n' }));
    expect(await calls()).toEqual([]);
    expect(left()).toEqual(['a']);
    await ledger.exit(pair, endingOf('a'));
    expect(await calls()).toEqual(['call.enter a', 'call.exit a']);
    await ledger.enter(intentOf('b'));
    expect(left()).toEqual(['b']);
  });

  it('needs no promise if it is alone', async () => {
    const { ledger } = await openJournaled();
    // The first commit learns the head.
    await ledger.exit(await ledger.enter(intentOf('first')), endingOf('first'));
    await sleep(1); // the event loop must have run meanwhile
    const pair = ledger.enter(intentOf('a'));
    expect(pair).not.toBeInstanceOf(Promise);
    expect(ledger.exit(pair as Pair, endingOf('a'))).not.toBeInstanceOf(Promise);
  });

  it('that lasts is visible in the ledger, once', async () => {
    const { ledger, calls } = await openJournaled();
    const pair = await ledger.enter(intentOf('a'));
    await sleep(EARLY_MS);
    expect(await calls()).toEqual(['call.enter a']);
    await ledger.exit(pair, endingOf('a'));
    expect(await calls()).toEqual(['call.enter a', 'call.exit a']);
  });

  it('is committed first if the journal has no room, and all others too', async () => {
    const { ledger, calls, left } = await openJournaled();
    const long = { text: 'x'.repeat(LEDGER_LIMITS.journalBytes * 0.6) };
    const first = await ledger.enter(intentOf('a', long));
    await ledger.enter(intentOf('b', long));
    expect(await calls()).toEqual(expect.arrayContaining(['call.enter a', 'call.enter b']));
    const third = await ledger.enter(intentOf('c', long)); // there is room again
    expect(left()).toEqual(['c']);
    await ledger.exit(first, endingOf('a'));
    await ledger.exit(third, endingOf('c'));
    expect((await calls()).filter((call) => call === 'call.enter a')).toHaveLength(1);
  });

  it('is refused if the journal cannot be written, and leaves nothing', async () => {
    const { ledger, journal, calls } = await openJournaled();
    journal.end();
    expect(() => ledger.enter(intentOf('a'))).toThrow(expect.objectContaining({ code: 'STORE_UNAVAILABLE' }));
    const { ledger: crowded, journal: other } = await openJournaled({ traffic: CROWD });
    other.end();
    const ends = await Promise.allSettled(['b', 'c'].map((call) => crowded.enter(intentOf(call))));
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await calls()).toEqual([]);
  });
});

describe('a failed commit', () => {
  it('makes intents be committed first until one commit succeeds', async () => {
    let fate: Fate = 'well';
    const { ledger, calls, left } = await openJournaled({ wrap: fatedStore(() => fate) });
    const running = await ledger.enter(intentOf('running'));
    fate = 'refused';
    await expect(ledger.exit(running, endingOf('running'))).rejects.toBe(BUSY);
    await expect(ledger.enter(intentOf('refused'))).rejects.toBe(BUSY);
    expect(left()).toEqual(['running']);
    fate = 'well';
    expect((await ledger.enter(intentOf('first'))).seq).toBeTypeOf('number');
    expect(await calls()).toEqual(['call.enter first']);
    await ledger.enter(intentOf('second'));
    expect(await calls()).toEqual(['call.enter first']);
    expect(left()).toEqual(['running', 'second']);
  });

  it('of an early intent counts too', async () => {
    let fate: Fate = 'refused';
    const { ledger, calls } = await openJournaled({ wrap: fatedStore(() => fate) });
    const running = await ledger.enter(intentOf('running'));
    await sleep(EARLY_MS);
    await expect(ledger.enter(intentOf('refused'))).rejects.toBe(BUSY);
    fate = 'well';
    await ledger.exit(running, endingOf('running'));
    expect(await calls()).toEqual(['call.enter running', 'call.exit running']);
  });

  it('leaves a pair that the backlog brings in later, with one intent; its place in the journal is free then', async () => {
    let fate: Fate = 'well';
    const { ledger, store, calls, left, records } = await openJournaled({ wrap: fatedStore(() => fate) });
    const pair = await ledger.enter(intentOf('a', { n: 1 }));
    fate = 'rolled back';
    await expect(ledger.exit(pair, endingOf('a'))).rejects.toBe(BUSY);
    const backlog = new Backlog();
    backlog.addOutcome(pair, endingOf('a'));
    await expect(backlog.flush(store, ledger)).rejects.toBe(BUSY);
    expect(backlog.leavesCalls).toBe(true);
    expect(left()).toEqual(['a']);
    fate = 'run again';
    await backlog.flush(store, ledger);
    expect(await calls()).toEqual(['call.enter a', 'call.exit a']);
    expect((await records()).at(-1)).toMatchObject({ call: 'a', late: true });
    fate = 'well';
    await ledger.enter(intentOf('b')); // committed first
    await ledger.enter(intentOf('c'));
    expect(left()).toEqual(['c']);
  });
});

describe('a halted ledger', () => {
  it('takes no intent of a call that lasts', async () => {
    const { ledger, calls } = await openJournaled();
    await ledger.enter(intentOf('a'));
    ledger.halt(new ColibriError('STORE_ROLLED_BACK', 'older'));
    await sleep(EARLY_MS);
    expect(await calls()).toEqual([]);
  });
});

describe('a sync that fails', () => {
  it('late, lets no call run and adds no intent', async () => {
    const { ledger, calls, path } = await openJournaled({
      isSynced: true,
      wrapJournal: (journal) =>
        new Proxy(journal, {
          get: (target, key) => {
            if (key === 'synced') return () => sleep(2 * EARLY_MS).then(() => Promise.reject(BUSY));
            const value: unknown = Reflect.get(target, key, target);
            return typeof value === 'function' ? value.bind(target) : value;
          },
        }),
    });
    await expect(ledger.enter(intentOf('a'))).rejects.toBe(BUSY);
    await sleep(EARLY_MS);
    expect(await calls()).toEqual([]);
    ledger.end();
    expect(existsSync(path)).toBe(false); // the journal waits for no intent
  });
});

describe('an early intent whose transaction was rolled back and has not ended yet', () => {
  /** A ledger with a call that lasts, whose early intent was rolled back; `go` ends that transaction. */
  const setUp = async (fate: Fate) => {
    let go = (): void => {};
    const held = new Promise<void>((resolve) => (go = resolve));
    const wrap = (store: Store): Store => {
      // Only the first write is held up, between its rollback and its end.
      let isFirst = true;
      const write: Store['write'] = async (fn, options) => {
        if (!isFirst) return store.write(fn, options);
        isFirst = false;
        await rolledBack(store, fn, options);
        await held;
        if (fate === 'rolled back') throw BUSY;
        return store.write(fn, options);
      };
      return new Proxy(fatedStore(() => 'well')(store), {
        get: (target, key) => (key === 'write' ? write : Reflect.get(target, key, target)),
      });
    };
    const opened = await openJournaled({ traffic: CROWD, wrap });
    const pair = await opened.ledger.enter(intentOf('a'));
    await sleep(EARLY_MS);
    expect(pair.early).toBeInstanceOf(Promise);
    return { ...opened, pair, go };
  };

  it.each(['rolled back', 'run again'] as const)('and is then %s: the outcome waits for it', async (fate) => {
    const { ledger, pair, go, records } = await setUp(fate);
    const exit = Promise.resolve(ledger.exit(pair, endingOf('a')));
    await sleep(20);
    go();
    const { seq } = await exit;
    const calls = (await records()).filter(({ call }) => call === 'a');
    expect(calls).toMatchObject([{ kind: 'call.enter' }, { kind: 'call.exit', seq, sequence_no: calls[0]?.seq }]);
    expect(calls).toHaveLength(2);
  });

  it.each(['rolled back', 'run again'] as const)(
    'and is then %s, after a writing tool has committed both records',
    async (fate) => {
      const { ledger, pair, go, store, records } = await setUp(fate);
      const positions = await store.write(async (tx) => {
        const claimed = await ledger.claim(tx, pair);
        await ledger.exitIn(tx, pair, endingOf('a'));
        return claimed;
      });
      ledger.settled(pair);
      go();
      await sleep(20);
      const calls = (await records()).filter(({ call }) => call === 'a');
      expect(calls.map(({ kind, seq }) => [kind, seq])).toEqual([
        ['call.enter', positions.intent],
        ['call.exit', positions.outcome],
      ]);
    },
  );
});

/** `first`: the intent is appended at the beginning of the handler's transaction. */
type How = 'read' | 'write' | 'write that throws' | 'first' | 'first, and throws';
interface Plan {
  readonly how: How;
  readonly waitMs: number;
}

const HOWS = ['read', 'write', 'write that throws', 'first', 'first, and throws'] as const;
const FATES = ['well', 'well', 'refused', 'rolled back', 'run again'] as const;
const plan = fc.record({
  how: fc.constantFrom<How>(...HOWS),
  waitMs: fc.constantFrom(0, 5, 20, 22, 25, 28, 40, 43),
});

it('in every order of early intents, outcomes, failures and repetitions each call has one intent and one outcome', async () => {
  const fates: Fate[] = [];
  const waits: number[] = [];
  const { ledger, store, records, left } = await openJournaled({
    traffic: CROWD,
    wrap: fatedStore(
      () => fates.shift() ?? 'well',
      () => waits.shift() ?? 0,
    ),
  });
  let runs = 0;
  const backlog = new Backlog();
  /** Ends a call as the stages do. */
  const settle = async (pair: Pair, call: string, how: How): Promise<void> => {
    try {
      if (how === 'read') throw new RolledBack();
      await store.write(
        async (tx) => {
          const { intent } = await ledger.claim(tx, pair, how.startsWith('first'));
          if (how.startsWith('first')) expect(await readSize(tx, ledger.log.id)).toBeGreaterThan(intent);
          if (how.endsWith('throws')) throw new RolledBack();
          await ledger.exitIn(tx, pair, endingOf(call));
        },
        { group: true },
      );
      ledger.settled(pair);
    } catch {
      await Promise.resolve(ledger.exit(pair, endingOf(call))).catch(() => backlog.addOutcome(pair, endingOf(call)));
    }
  };
  const live = async ({ how, waitMs }: Plan, call: string): Promise<string | undefined> => {
    const pair = await Promise.resolve(ledger.enter(intentOf(call))).catch(() => undefined);
    if (pair === undefined) return undefined; // refused: it does not run
    await sleep(waitMs);
    await settle(pair, call, how);
    return call;
  };
  const property = fc.asyncProperty(
    fc.array(plan, { minLength: 1, maxLength: 6 }),
    fc.array(fc.constantFrom<Fate>(...FATES), { maxLength: 12 }),
    fc.array(fc.constantFrom(0, 2, 5), { maxLength: 24 }),
    async (plans, given, slowness) => {
      runs += 1;
      const run = runs;
      waits.splice(0, waits.length, ...slowness);
      fates.splice(0, fates.length, ...given);
      const ran = await Promise.all(plans.map((each, i) => live(each, `${run}-${i}`)));
      fates.length = 0;
      await backlog.flush(store, ledger);
      const seen = (await records()).filter(({ call }) => String(call).startsWith(`${run}-`));
      const wanted = ran
        .filter((call) => call !== undefined)
        .flatMap((call) => [`call.enter ${call}`, `call.exit ${call}`]);
      expect(seen.map(({ kind, call }) => `${kind} ${call}`).toSorted()).toEqual(wanted.toSorted());
      for (const exit of seen.filter(({ kind }) => kind === 'call.exit'))
        expect(seen).toContainEqual(
          expect.objectContaining({ kind: 'call.enter', call: exit.call, seq: exit.sequence_no }),
        );
    },
  );
  await fc.assert(property, { numRuns: 150 });
  ledger.wipeJournal();
  expect(left()).toEqual([]); // every place in the journal is free
});
