// A row of the board, the table in which `colibri switchboard` shows the servers. Times are wall-clock times, as in records.
import type { Health, Reason } from './health/state.js';

export interface BoardRow {
  readonly server: string;
  /** The health state of the server; null if the server was removed from the configuration. */
  readonly state: Health | null;
  readonly since: string | null;
  readonly reason: Reason | null;
  /** When the next check or dial of the server is due; null if nothing happens until a person acts. */
  readonly nextAt: string | null;
  readonly calls: number;
  readonly failures: number;
  readonly unknown: number;
  readonly waiting: number;
  readonly inFlight: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  /** The number of lines on the server's stdout that were not JSON-RPC. */
  readonly noise: number;
  readonly tools: number;
  readonly notes: readonly string[];
}
