// Two processes, one file, a hundred tasks: who gets what. race.deep.test.ts has many.
import { test } from 'vitest';
import { raceForTasks } from './race.shared.js';

test('two processes claim a hundred tasks: each goes out once, the ledger has one line of succession', async () => {
  await raceForTasks(2, 100);
}, 60_000);
