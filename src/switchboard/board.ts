// A row of the board, the table in which `colibri switchboard` shows the servers. Times are wall-clock times, as in records.
import type { Health, HealthState, Reason } from './health/state.js';
import { nextWake } from './health/state.js';
import type { CallStats } from './server/call.js';

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

export interface SeenServer extends Pick<BoardRow, 'server' | 'waiting' | 'inFlight' | 'noise' | 'tools' | 'notes'> {
  readonly state: HealthState | null;
  readonly stats: CallStats;
  readonly nowMs: number;
  readonly wallMs: number;
}

export const boardRow = ({ state, stats, nowMs, wallMs, ...rest }: SeenServer): BoardRow => {
  const wallTime = (at: number | null): string | null => (at === null ? null : isoTime(wallMs + (at - nowMs)));
  return {
    ...rest,
    state: state?.state ?? null,
    since: state && wallTime(state.since),
    reason: state?.reason ?? null,
    nextAt: state && wallTime(nextWake(state)),
    calls: stats.calls,
    failures: stats.failures,
    unknown: stats.unknown,
    p50Ms: stats.percentile(0.5),
    p99Ms: stats.percentile(0.99),
  };
};

export const isoTime = (wallMs: number): string => new Date(wallMs).toISOString();
