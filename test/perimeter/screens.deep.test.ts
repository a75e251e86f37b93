// Every command on a terminal, over a store and a switchboard file full of hostile names.
import { expect, test, vi } from 'vitest';
import { hasTerminals } from '../support/terminal.js';
import { everyCommand, hostileStore, sweep } from './screens.shared.js';

vi.setConfig({ testTimeout: 400_000 });

test.skipIf(!hasTerminals)('no command lets anything of others through but as marks', async () => {
  const hostile = await hostileStore();
  const { offences, marked } = sweep(hostile, everyCommand(hostile));
  expect(offences).toEqual([]);
  expect(marked).toBeGreaterThan(25); // it was there to be seen
});
