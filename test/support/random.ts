// Numbers that look random and come again with the same seed.

export interface Random {
  /** 0 … below 1. */
  next(): number;
  /** 0 … `below` (exclusive), whole. */
  int(below: number): number;
  /** One of the list; the list must not be empty. */
  pick<T>(list: readonly T[]): T;
  chance(probability: number): boolean;
  bytes(count: number): Buffer;
}

/** mulberry32: 32 bits of state, good enough to draw from a list. */
export const randomFrom = (seed: number): Random => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number): number => Math.floor(next() * below);
  return {
    next,
    int,
    pick: <T>(list: readonly T[]): T => {
      if (list.length === 0) throw new RangeError('nothing to pick from');
      return list[int(list.length)] as T;
    },
    chance: (probability) => next() < probability,
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => int(256))),
  };
};
