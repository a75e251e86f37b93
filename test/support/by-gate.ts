// Splits the tests of one file between the two gates. A file `x.test.ts` takes `test` and `describe` from here for what the fast gate runs, and
// `deepTest` and `deepDescribe` for what it leaves out. `x.deep.test.ts` runs the latter: it imports `deep-part.js` and then `x.test.js`.
import { describe as group, test as one } from 'vitest';

const isDeep = process.env.TEST_PART === 'deep';

/** Stands for `test` and `describe` where nothing is to run: also for `test.each(…)`, `test.skipIf(…)` and the like. */
const ignored: unknown = new Proxy(() => ignored, { get: () => ignored });
const nothing = ignored as typeof one;
const noGroup = ignored as typeof group;

export const test = isDeep ? nothing : one;
export const deepTest = isDeep ? one : nothing;
export const describe = isDeep ? noGroup : group;
export const deepDescribe = isDeep ? group : noGroup;

/** Of cases that are alike, those for this gate: the fast one runs the first. */
export const casesHere = <T>(cases: readonly T[]): readonly T[] => (isDeep ? cases.slice(1) : cases.slice(0, 1));
