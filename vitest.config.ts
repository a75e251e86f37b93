import { defineConfig } from 'vitest/config';
import { slowestFiles } from './test/support/slowest-files.js';

const DEEP = '**/*.deep.test.ts';

/** Which files run, by mode: `npm test`, `npm run test:deep`, `npm run test:long`. */
const FILES: Readonly<Record<string, { readonly include: string[]; readonly exclude: string[] }>> = {
  test: { include: ['src/**/*.test.ts', 'test/**/*.test.ts'], exclude: [DEEP] },
  deep: { include: [DEEP], exclude: ['node_modules'] },
  long: { include: ['**/*.counted.deep.test.ts'], exclude: ['node_modules'] },
};

export default defineConfig(({ mode }) => ({
  test: {
    ...FILES[mode],
    env: { COUNTED_RUNS: mode === 'long' ? 'full' : 'part' },
    // Most tests wait for processes of their own: left to itself, vitest runs one file at a time on two cores.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: [slowestFiles, 'default'],
  },
}));
