// Counts the calls of one server and keeps the durations of the latest answers for percentiles.
import { SWITCHBOARD_LIMITS } from '../limits.js';

export class CallStats {
  /** The number of calls that were given to a connection to be sent. */
  calls = 0;
  /** The number of calls without an answer: a timeout, a lost connection, HTTP 5xx. */
  failures = 0;
  /** Calls that were refused, because the server's health or its full queue did not permit them. */
  refused = 0;
  /** Calls that the server answered with an error: a result with `isError`, or a JSON-RPC error. */
  errors = 0;
  /** The number of calls that ended with `OUTCOME_UNKNOWN`. */
  unknown = 0;
  readonly #durations: number[] = [];
  #next = 0;

  answered(durationMs: number): void {
    this.#durations[this.#next] = durationMs;
    this.#next = (this.#next + 1) % SWITCHBOARD_LIMITS.callDurations;
  }

  /** What the columns of the board do not say. */
  get notes(): readonly string[] {
    const were = (n: number): string => `${n} of its calls ${n === 1 ? 'was' : 'were'}`;
    return [
      ...(this.refused === 0 ? [] : [`${were(this.refused)} refused`]),
      ...(this.errors === 0 ? [] : [`${were(this.errors)} answered with an error`]),
    ];
  }

  /** How many of the latest answers' durations are known. */
  get answers(): number {
    return this.#durations.length;
  }

  /** The duration that this share of the latest answers did not exceed; null before the first answer. */
  percentile(share: number): number | null {
    const sorted = this.#durations.toSorted((a, b) => a - b);
    const found = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
    return found === undefined ? null : Math.round(found);
  }
}
