// Imported first by an `x.deep.test.ts`: of the `x.test.ts` that is imported after it, only what the fast gate leaves out runs (by-gate.ts).
process.env.TEST_PART = 'deep';
