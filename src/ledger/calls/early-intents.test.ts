// Intents of calls that last are committed by one timer; those of short calls and of calls about to be settled never are.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { intentOf } from '../../../test/support/journals.js';
import { LEDGER_LIMITS } from '../limits.js';
import { EarlyIntents } from './early-intents.js';
import { Pair } from './pair.js';

const { earlyIntentMs, lateRetryMs } = LEDGER_LIMITS;
const rejections: unknown[] = [];
const onRejection = (reason: unknown): void => void rejections.push(reason);

beforeEach(() => {
  vi.useFakeTimers();
  process.on('unhandledRejection', onRejection);
});
afterEach(() => {
  vi.useRealTimers();
  process.off('unhandledRejection', onRejection);
  expect(rejections.splice(0)).toEqual([]);
});

const setUp = () => {
  let seq = 0;
  const state = {
    committed: [] as string[],
    released: [] as string[],
    /** How often the time was asked for: each time the timer fires it is. */
    looks: 0,
    /** What the next commits wait for and how they end. */
    ends: [] as (() => Promise<void>)[],
  };
  const early = new EarlyIntents({
    nowMs: () => {
      state.looks += 1;
      return performance.now();
    },
    commit: async (pairs) => {
      await state.ends.shift()?.();
      for (const pair of pairs) {
        if (pair.isClaimed) continue;
        pair.seq = seq++;
        state.committed.push(pair.intent.call);
      }
    },
    release: (pair) => void state.released.push(pair.intent.call),
  });
  const begin = (call: string): Pair => {
    const pair = new Pair(intentOf(call), { log: '0'.repeat(32), instance: 'i', payloads: 'stored' });
    pair.sinceMs = performance.now();
    early.watch(pair);
    return pair;
  };
  return { early, state, begin };
};

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

it('commits the intent of a call that lasts, once, after the time', async () => {
  const { state, begin } = setUp();
  const pair = begin('a');
  await pass(earlyIntentMs - 1);
  expect(state.committed).toEqual([]);
  await pass(1);
  expect(state.committed).toEqual(['a']);
  expect(state.released).toEqual(['a']);
  expect(pair).toMatchObject({ seq: 0, early: undefined });
  await pass(10 * earlyIntentMs);
  const { looks } = state;
  await pass(10 * earlyIntentMs);
  expect(state.committed).toEqual(['a']);
  expect(state.looks).toBe(looks);
});

it('sees every call that lasts at the latest after twice the time, whenever it began', async () => {
  const { state, begin } = setUp();
  begin('a');
  await pass(earlyIntentMs / 2);
  begin('b');
  await pass(earlyIntentMs / 2);
  expect(state.committed).toEqual(['a']);
  await pass(earlyIntentMs);
  expect(state.committed).toEqual(['a', 'b']);
});

it('leaves calls alone that have ended, and those whose outcome is about to be appended', async () => {
  const { early, state, begin } = setUp();
  early.forget(begin('ended'));
  begin('claimed').isClaimed = true;
  begin('lasts');
  await pass(3 * earlyIntentMs);
  expect(state.committed).toEqual(['lasts']);
});

it('does not release a call that was claimed while its commit waited', async () => {
  const { state, begin } = setUp();
  let go = (): void => {};
  const gone = new Promise<void>((resolve) => (go = resolve));
  state.ends.push(() => gone);
  const pair = begin('a');
  await pass(earlyIntentMs);
  const { early } = pair;
  expect(early).toBeInstanceOf(Promise);
  pair.isClaimed = true;
  go();
  await early;
  expect(pair).toMatchObject({ seq: undefined, early: undefined });
  expect(state.released).toEqual([]);
});

it('begins no second commit of an intent while one is under way', async () => {
  const { state, begin } = setUp();
  let go = (): void => {};
  const gone = new Promise<void>((resolve) => (go = resolve));
  state.ends.push(() => gone);
  begin('a');
  await pass(10 * earlyIntentMs);
  go();
  await pass(10 * earlyIntentMs);
  expect(state.committed).toEqual(['a']);
});

it('tries again after a pause if a commit failed; whoever waits for it is not told', async () => {
  const { state, begin } = setUp();
  state.ends.push(() => Promise.reject(new Error('busy')));
  const pair = begin('a');
  await pass(earlyIntentMs);
  await pair.early;
  expect(pair).toMatchObject({ seq: undefined, early: undefined });
  await pass(lateRetryMs - 2 * earlyIntentMs);
  expect(state.committed).toEqual([]);
  await pass(3 * earlyIntentMs);
  expect(state.committed).toEqual(['a']);
});

it('commits all at once on demand, however young, but for those about to be settled', async () => {
  const { early, state, begin } = setUp();
  begin('a');
  begin('b').isClaimed = true;
  begin('c');
  early.commitAll();
  await pass(0);
  expect(state.committed).toEqual(['a', 'c']);
});

it('does nothing after its end', async () => {
  const { early, state, begin } = setUp();
  begin('a');
  early.stop();
  await pass(10 * earlyIntentMs);
  expect(state.committed).toEqual([]);
});
