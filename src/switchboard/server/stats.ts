// What is counted about a server's calls. Bounded: the percentiles are those of the latest answers.
import { SWITCHBOARD_LIMITS } from '../limits.js';

export class CallStats {
  /** Calls that were handed to a connection. */
  calls = 0;
  /** Calls that the server left without an answer: silence, loss, HTTP 5xx. */
  failures = 0;
  /** Calls of which nobody knows whether they did their work. */
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
