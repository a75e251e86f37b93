// Counts the calls of one server and keeps the durations of the latest answers for percentiles.
import { SWITCHBOARD_LIMITS } from '../limits.js';

export class CallStats {
  /** Calls that were handed to a connection. */
  calls = 0;
  /** Calls without an answer: a timeout, a lost connection, HTTP 5xx. */
  failures = 0;
  /** Calls that ended with `OUTCOME_UNKNOWN`. */
  unknown = 0;
  readonly #durations: number[] = [];
  #next = 0;

  answered(durationMs: number): void {
    this.#durations[this.#next] = durationMs;
    this.#next = (this.#next + 1) % SWITCHBOARD_LIMITS.callDurations;
  }

  /** The duration that this share of the latest answers did not exceed; null before the first. */
  percentile(share: number): number | null {
    const sorted = this.#durations.toSorted((a, b) => a - b);
    return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
  }
}
