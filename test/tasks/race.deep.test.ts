// Eight processes, one file, two thousand tasks: who gets what.
import { test } from 'vitest';
import { raceForTasks } from './race.shared.js';

test('eight processes claim two thousand tasks: each goes out once, the ledger has one line of succession', async () => {
  await raceForTasks(8, 2_000);
}, 180_000);
