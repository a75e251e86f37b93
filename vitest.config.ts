import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { hasPostgres } from './test/support/postgres.js';
import { redFiles } from './test/support/red-files.js';
import { slowestFiles } from './test/support/slowest-files.js';

const named = (ending: string): string[] => [`src/**/*${ending}`, `test/**/*${ending}`];

/** Which files run, by mode: `npm test`, `npm run test:deep`, `npm run test:long`, `npm run attack`. */
const FILES: Readonly<Record<string, { readonly include: string[]; readonly exclude?: string[] }>> = {
  test: { include: named('.test.ts'), exclude: named('.deep.test.ts') },
  deep: { include: named('.deep.test.ts'), exclude: named('.alone.deep.test.ts') },
  long: { include: named('.counted.deep.test.ts') },
  attack: { include: ['test/perimeter/**/*.test.ts'] },
};

/** What starts the built process runs on both engines, but for tests that look into the database file, change it, or ask SQLite for its plans. */
const ON_POSTGRES = {
  include: ['wire', 'tasks', 'trail', 'page', 'trust'].map((folder) => `test/${folder}/**/*.test.ts`),
  exclude: [
    ...named('.deep.test.ts'),
    'test/wire/bad-store.test.ts', // files that are no store
    'test/wire/postgres.test.ts', // sets its own engine
    'test/wire/together.test.ts', // looks into the folder of journals beside the file
    'test/tasks/plans.test.ts', // the plans of SQLite
    'test/tasks/tamper.test.ts', // changes the file
  ],
};

export default defineConfig(({ mode }) => {
  const common = {
    env: { COUNTED_RUNS: mode === 'long' ? 'full' : 'part' },
    // Most tests wait for processes of their own: left to itself, vitest runs one file at a time on two cores.
    // Three files at a time take an eighth less than two; counted runs load the cores themselves.
    maxWorkers: Math.max(mode === 'long' ? 2 : 3, availableParallelism() - 1),
    // No module keeps state, so fast tests share their processes: a new one for each file took a fifth of the time.
    isolate: mode !== 'test',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    globalSetup: './test/support/postgres-run.ts',
  };
  const reporters = [slowestFiles, redFiles, 'default'];
  if (mode !== 'deep') return { test: { ...common, ...FILES[mode], reporters } };
  // What compares speeds begins when all other deep tests have ended.
  const alone = { name: 'alone', include: named('.alone.deep.test.ts'), sequence: { groupOrder: 1 } };
  // The tests on the wire once more, with every store on PostgreSQL.
  const env = { ...common.env, TEST_ENGINE: 'postgres' };
  const engine = { ...common, ...ON_POSTGRES, name: 'postgres', env, isolate: true, testTimeout: 180_000 };
  const projects = [
    { test: { ...common, ...FILES.deep, name: 'deep' } },
    ...(hasPostgres() ? [{ test: engine }] : []),
    { test: { ...common, ...alone } },
  ];
  return { test: { reporters, projects } };
});
