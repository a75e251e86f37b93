import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ColibriError } from '../../errors.js';
import { gather } from './gather.js';

const recording = (fails: (items: readonly number[]) => Error | undefined = () => undefined, alone = false) => {
  const batches: (readonly number[])[] = [];
  const put = gather(
    async (items: readonly number[]) => {
      batches.push(items);
      await sleep(2);
      const error = fails(items);
      if (error !== undefined) throw error;
      return items.map((item) => item * 10);
    },
    { most: 64, isDue: (_items, turns) => alone || turns > 0 },
  );
  return { batches, put };
};

describe('gather', () => {
  it('hands one item on at once that is alone', async () => {
    const { batches, put } = recording(undefined, true);
    const answer = put(1);
    await Promise.resolve();
    expect(batches).toEqual([[1]]);
    expect(await answer).toBe(10);
  });

  it('hands items of one turn on together, each with its own answer', async () => {
    const { batches, put } = recording();
    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => put(i)));
    expect(answers).toEqual(Array.from({ length: 100 }, (_, i) => i * 10));
    expect(batches.map((batch) => batch.length)).toEqual([64, 36]);
    expect(batches.flat()).toEqual(Array.from({ length: 100 }, (_, i) => i));
  });

  it('a bad item loses only itself', async () => {
    const { put } = recording((items) => (items.includes(3) ? new Error('three') : undefined));
    const ends = await Promise.allSettled([1, 2, 3, 4].map(put));
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  });

  it('a store that fails is not asked again for each', async () => {
    const { batches, put } = recording(() => new ColibriError('STORE_BUSY', 'busy'));
    const ends = await Promise.allSettled([1, 2, 3, 4].map(put));
    expect(ends.map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
    expect(batches).toHaveLength(1);
  });
});
