// The formula `colibri.reputation/1`: Wilson's lower bound (z = 1.96) over successes and failures whose weight halves every 30 days, in basis
// points. Integers only, so that everybody who recomputes it gets the same figure. Pure.

export const FORMULA = 'colibri.reputation/1';

export const HALF_LIFE_DAYS = 30;
/** The weight of an event of today. */
const UNIT_BITS = 20;
const UNIT = 1n << BigInt(UNIT_BITS);
/** Events of so many days ago weigh nothing. */
export const WEIGHTLESS_DAYS = HALF_LIFE_DAYS * (UNIT_BITS + 1);

/** The successes and failures of one UTC day. */
export type DaySums = {
  readonly day: number;
  readonly successes: number;
  readonly failures: number;
};

/** What an event of that day weighs today. A day after today, which a clock that stepped back leaves behind, counts as today. */
const weightOf = (day: number, today: number): bigint =>
  UNIT >> BigInt(Math.min(Math.floor(Math.max(0, today - day) / HALF_LIFE_DAYS), UNIT_BITS + 1));

/** The largest integer whose square is not above `value`. Newton's method from above. */
const isqrt = (value: bigint): bigint => {
  if (value < 2n) return value;
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
};

const isqrtUp = (value: bigint): bigint => {
  const root = isqrt(value);
  return root * root === value ? root : root + 1n;
};

/** The largest integer whose square is not above a number that is not negative. */
export const rootOf = (value: number): number => Number(isqrt(BigInt(value)));

/** The score of a node in a domain, 0 to 10,000. */
export const scoreOf = (days: readonly DaySums[], today: number): number => {
  let [s, f] = [0n, 0n];
  for (const { day, successes, failures } of days) {
    const weight = weightOf(day, today);
    s += weight * BigInt(successes);
    f += weight * BigInt(failures);
  }
  const n = s + f;
  if (n === 0n) return 0;
  const q = isqrtUp(38_416n * UNIT * UNIT + (40_000n * s * f * UNIT) / n);
  const above = 20_000n * s + 38_416n * UNIT - 196n * q;
  return above <= 0n ? 0 : Number((10_000n * above) / (20_000n * n + 76_832n * UNIT));
};
