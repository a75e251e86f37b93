// How often a counted run repeats its work: all of it in `npm run test:long`, a twentieth in `npm run test:deep`. A file
// with such runs is called x.counted.deep.test.ts.
import { beforeAll } from 'vitest';

const SHARE_IN_DEEP = 1 / 20;
const PROGRESS_LINES = 20;

export interface CountedRun {
  readonly count: number;
  /** Printed before the run. TEST_SEED=<seed> repeats it. */
  readonly seed: number;
  /** Says how far a run has come, twenty times in a long one. */
  progress(done: number): void;
}

const say = (text: string): void => void process.stderr.write(`${text}\n`);

/** `full` is the count of a long run. */
export const counted = (what: string, full: number): CountedRun => {
  const count = process.env.COUNTED_RUNS === 'full' ? full : Math.ceil(full * SHARE_IN_DEEP);
  const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
  let shown = 0;
  beforeAll(() => say(`${what}: ${count} of ${full}, TEST_SEED=${seed}`));
  return {
    count,
    seed,
    progress: (done) => {
      const part = Math.floor((done * PROGRESS_LINES) / full);
      if (part > shown) say(`${what}: ${done} of ${count}`);
      shown = part;
    },
  };
};
