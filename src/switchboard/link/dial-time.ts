// The time limit of a dial (an attempt to connect to a server). The time is over at the timeout or when the health machine gives the dial up.
import { type AwakeTimer, awakeTimer } from '../../core/clock.js';
import type { DialRequest } from './link.js';

export class DialTime {
  readonly #over = new AbortController();
  readonly #request: DialRequest;
  readonly #nowMs: () => number;
  readonly #until: number;
  readonly #timer: AwakeTimer;

  constructor(request: DialRequest, nowMs: () => number) {
    this.#request = request;
    this.#nowMs = nowMs;
    this.#until = nowMs() + request.startTimeoutMs;
    this.#timer = awakeTimer(request.startTimeoutMs, this.#end);
    request.signal.addEventListener('abort', this.#end, { once: true });
    if (request.signal.aborted) this.#end();
  }

  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  /** The milliseconds that are left, at least 1: a timeout of 0 means "now" to some functions and "never" to others. */
  get leftMs(): number {
    return Math.max(1, this.#until - this.#nowMs());
  }

  get text(): string {
    const { signal, startTimeoutMs } = this.#request;
    return signal.aborted ? 'the dial was given up' : `no connection within ${startTimeoutMs} ms`;
  }

  /** Waits for `work`. When the dial's time is over, calls `end`, which must make `work` settle. */
  async spend<T>(work: Promise<T>, end: () => void): Promise<T> {
    const { signal } = this.#over;
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
    try {
      return await work;
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  /** Removes the timer and the listener of the time limit. */
  stop(): void {
    this.#timer.cancel();
    this.#request.signal.removeEventListener('abort', this.#end);
  }

  readonly #end = (): void => this.#over.abort();
}
