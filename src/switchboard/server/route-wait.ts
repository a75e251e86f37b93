// Bounds how long a call of a route waits for one provider while another provider could serve the call. Without this bound, a provider that
// hangs would keep every call for the whole timeout, although the next provider answers at once.
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { CallStats } from './call-stats.js';
import type { BackendDeps, Timer } from './world.js';

/** How many milliseconds a call waits for a server while another one could serve it: in proportion to how long the server's answers take. */
export const routeWaitMs = (stats: Pick<CallStats, 'answers' | 'percentile'>): number => {
  const { routeWaitSamples, routeWaitShare, routeWaitLeastMs, routeWaitMostMs } = SWITCHBOARD_LIMITS;
  if (stats.answers < routeWaitSamples) return routeWaitMostMs;
  const usualMs = routeWaitShare * (stats.percentile(0.99) ?? 0);
  return Math.min(routeWaitMostMs, Math.max(routeWaitLeastMs, usualMs));
};

export interface RouteWaitDeps extends Pick<BackendDeps, 'nowMs' | 'setTimer'> {
  readonly stats: CallStats;
  /** Whether the call may be cut short now. */
  readonly mayCut: () => boolean;
  readonly cut: () => void;
}

/** The wait of one call. It ends with `stop`, or with `cut` when the time is over and another provider can take the call. */
export class RouteWait {
  readonly #deps: RouteWaitDeps;
  readonly #begunMs: number;
  #timer: Timer | undefined;

  constructor(deps: RouteWaitDeps) {
    this.#deps = deps;
    this.#begunMs = deps.nowMs();
    // The bound is computed when the shortest one is over: most calls are answered before.
    this.#arm(SWITCHBOARD_LIMITS.routeWaitLeastMs);
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(ms: number): void {
    this.#timer = this.#deps.setTimer(Math.ceil(ms), () => this.#look());
  }

  #look(): void {
    const { nowMs, stats, mayCut, cut } = this.#deps;
    const leftMs = this.#begunMs + routeWaitMs(stats) - nowMs();
    if (leftMs > 0) this.#arm(leftMs);
    // No other provider is HEALTHY now; one may become so while the call still waits.
    else if (!mayCut()) this.#arm(SWITCHBOARD_LIMITS.routeLookMs);
    else {
      this.#timer = undefined;
      cut();
    }
  }
}
