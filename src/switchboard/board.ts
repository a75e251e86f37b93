// A row of the table in which the command `colibri switchboard` shows the servers. Times are wall-clock times, as in the ledger's records.
import type { ServerStats } from '../call/routing.js';
import type { Health, Reason } from './health/state.js';

export interface BoardRow extends Omit<ServerStats, 'state' | 'reason'> {
  readonly state: Health | null;
  readonly reason: Reason | null;
  /** The number of lines on the server's stdout that were not JSON-RPC. */
  readonly noise: number;
  readonly notes: readonly string[];
}
