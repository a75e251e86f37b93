// Compares how many events of reputation the records of each log say with how many the derived table has for them. Each row of that table is
// compared with its record elsewhere (evidence/reputation.ts); with equal numbers none is missing.
import type { StoreReader } from '../reading.js';
import { addFinding, type Found, guarded, nothingFound } from '../verdict/finding-list.js';
import { countScored } from './ledger-repository.js';

/** The records of one log that were read, as ids in the store, and how many events they say. */
export interface ScoredLog {
  readonly log: string;
  readonly from: number;
  readonly to: number;
  readonly events: number;
}

export const checkScored = (reader: StoreReader, logs: readonly ScoredLog[]): Found => {
  const found = nothingFound();
  for (const { log, from, to, events } of logs)
    guarded(found, 'derived', { log, table: 'reputation_events' }, () => {
      const stored = reader.snapshot((tx) => countScored(tx, from, to));
      if (stored !== events)
        addFinding(
          found,
          'derived',
          { log, table: 'reputation_events' },
          `The table has ${stored} events of this log; its records say ${events}.`,
        );
    });
  return found;
};
