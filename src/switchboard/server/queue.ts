// The queue of calls that wait for one server, in order of arrival. A call is sent in the same turn of the event loop in which it is counted
// for `concurrency` and gets the one permit of PROBATION, if it needs that: the server's state cannot change in between.
import type { Cancellation } from '../../core/cancellation.js';
import { type Denied, mayRoute } from '../health/permits.js';
import type { Health } from '../health/state.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { Link } from '../link/link.js';
import type { Driver } from './driver.js';
import type { BackendConfig, BackendDeps, Timer } from './world.js';

/** The right to send one call over a connection. When the call has ended, the right must be given back with `leave`. */
export interface Turn {
  readonly dial: number;
  readonly link: Link;
}

/** How a call's wait in the queue ended. */
export type Entrance =
  | { readonly turn: Turn }
  | { readonly denied: Denied; readonly state: Health | null }
  | { readonly busy: number }
  | { readonly cancelled: true };

/** The parts of a server that the queue reads. */
export interface QueuedServer {
  readonly config: Pick<BackendConfig, 'concurrency'>;
  /** The driver of the server's health machine. While it is busy, the state is changing; afterwards the driver calls `look`. */
  readonly driver: Pick<Driver, 'state' | 'isBusy' | 'give'>;
  readonly connections: { readonly links: ReadonlyMap<number, Link> };
}

/** The refusal of a call while another call has the permit for the one request that a server in PROBATION may get. */
const TAKEN: Denied = {
  may: false,
  reason: 'probation',
  text: 'it is being tried with one request',
  retryAfterMs: SWITCHBOARD_LIMITS.probationRetryMs,
};

export interface Entering {
  readonly call: string;
  /** How long the call waits at most for other calls to end. */
  readonly timeoutMs: number;
  readonly cancellation?: Cancellation | undefined;
}

interface Waiter {
  readonly call: string;
  readonly enter: (entrance: Entrance) => void;
  readonly until: number;
  /** The time until which the call waits for a connection that is being opened; null if none is being opened. */
  dialUntil: number | null;
  isOver: boolean;
  unlisten: () => void;
}

const nothing = (): void => {};

const deadlineOf = ({ until, dialUntil }: Waiter): number => Math.min(until, dialUntil ?? until);

export class CallQueue {
  readonly #server: QueuedServer;
  readonly #deps: Pick<BackendDeps, 'nowMs' | 'setTimer'>;
  #waiting: Waiter[] = [];
  /** The number of calls in flight for each connection, by dial number: calls on an old connection must not count for the new one. */
  readonly #inFlight = new Map<number, number>();
  #isLooking = false;
  /** True if a waiting call has a `dialUntil`: calls wait for a connection that is being opened. */
  #isDialling = false;
  /** A time that is not later than the earliest deadline of the waiting calls. */
  #earliest = Number.POSITIVE_INFINITY;
  #hasRung = false;
  #alarm: { readonly at: number; readonly timer: Timer } | undefined;

  constructor(server: QueuedServer, deps: Pick<BackendDeps, 'nowMs' | 'setTimer'>) {
    this.#server = server;
    this.#deps = deps;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  inFlight(dial?: number): number {
    if (dial !== undefined) return this.#inFlight.get(dial) ?? 0;
    return [...this.#inFlight.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Queues a call. Calls `enter` exactly once, perhaps before this method returns. */
  enter({ call, timeoutMs, cancellation }: Entering, enter: (entrance: Entrance) => void): void {
    const until = this.#deps.nowMs() + timeoutMs;
    const waiter: Waiter = { call, enter, until, dialUntil: null, isOver: false, unlisten: nothing };
    this.#waiting.push(waiter);
    this.#earliest = Math.min(this.#earliest, until);
    if (cancellation?.aborted === true) this.#end(waiter, { cancelled: true });
    this.look();
    if (cancellation !== undefined && !waiter.isOver)
      waiter.unlisten = cancellation.listen(() => this.#end(waiter, { cancelled: true }));
    if (this.#waiting.length > SWITCHBOARD_LIMITS.waitingCalls)
      this.#end(waiter, { busy: SWITCHBOARD_LIMITS.waitingCalls });
  }

  leave(dial: number): void {
    const left = this.inFlight(dial) - 1;
    if (left > 0) this.#inFlight.set(dial, left);
    else this.#inFlight.delete(dial);
    this.look();
  }

  /** Admits or refuses the calls that need not wait any longer. To be called whenever the server's state or a call in flight has changed. */
  look(): void {
    if (this.#isLooking || this.#server.driver.isBusy) return;
    this.#isLooking = true;
    try {
      while (this.#serveFirst());
    } finally {
      this.#isLooking = false;
    }
    // Calls expire only when the timer has fired: after the computer slept, the timer waits until answers that arrived have been read.
    if (this.#hasRung) this.#expire();
    this.#hasRung = false;
    this.#arm();
  }

  #end(waiter: Waiter, entrance: Entrance): void {
    const place = this.#waiting.indexOf(waiter);
    if (place < 0) return;
    this.#waiting.splice(place, 1);
    waiter.isOver = true;
    waiter.unlisten();
    waiter.enter(entrance);
    if (this.#waiting.length === 0) this.#arm();
  }

  /** Admits or refuses the call that arrived first, if that can be decided. The server's state is the same for all calls, so none passes another. */
  #serveFirst(): boolean {
    const [first] = this.#waiting;
    if (first === undefined) return false;
    const { config, driver } = this.#server;
    const permission = mayRoute(driver.state, this.#deps.nowMs());
    if (!permission.may && permission.waitMs > 0) {
      const dialUntil = this.#deps.nowMs() + permission.waitMs;
      for (const waiter of this.#waiting) waiter.dialUntil ??= dialUntil;
      this.#isDialling = true;
      this.#earliest = Math.min(this.#earliest, dialUntil);
      return false;
    }
    if (!permission.may) {
      this.#deny(first, permission);
      return true;
    }
    if (this.#isDialling) for (const waiter of this.#waiting) waiter.dialUntil = null;
    this.#isDialling = false;
    const dial = driver.state?.dial ?? 0;
    if (this.inFlight(dial) >= config.concurrency) return false;
    this.#admit(first, dial, permission.permit);
    return true;
  }

  /** Lets a call be sent. `permit`: true if the call first needs the one permit of PROBATION, which the health machine gives. */
  #admit(waiter: Waiter, dial: number, permit: boolean): void {
    const { call } = waiter;
    const { driver, connections } = this.#server;
    const link = connections.links.get(dial);
    const isAdmitted = (): boolean =>
      driver.give({ type: 'permit_taken', dial, call }).some((effect) => effect.do === 'admit' && effect.call === call);
    if (link === undefined || (permit && !isAdmitted())) this.#deny(waiter, TAKEN);
    else {
      this.#inFlight.set(dial, this.inFlight(dial) + 1);
      this.#end(waiter, { turn: { dial, link } });
    }
  }

  #deny(waiter: Waiter, denied: Denied): void {
    this.#end(waiter, { denied, state: this.#server.driver.state?.state ?? null });
  }

  /** Refuses the calls whose deadline has passed, because the server did not start in time or other calls take too long. */
  #expire(): void {
    const now = this.#deps.nowMs();
    if (now < this.#earliest) return;
    const late = this.#waiting.filter((waiter) => deadlineOf(waiter) <= now);
    const permission = mayRoute(this.#server.driver.state, now);
    for (const waiter of late) {
      if (permission.may) this.#end(waiter, { busy: this.#waiting.length });
      else this.#deny(waiter, permission);
    }
    this.#earliest = Math.min(...this.#waiting.map(deadlineOf));
  }

  /** Sets the one timer for all waiting calls. The timer may fire for a call that has already left the queue; then it is set again. */
  #arm(): void {
    if (this.#waiting.length === 0) this.#earliest = Number.POSITIVE_INFINITY;
    const at = this.#earliest;
    if (at === this.#alarm?.at) return;
    this.#alarm?.timer.cancel();
    this.#alarm = undefined;
    if (at === Number.POSITIVE_INFINITY) return;
    const ms = Math.max(0, Math.ceil(at - this.#deps.nowMs()));
    const timer = this.#deps.setTimer(ms, () => {
      this.#alarm = undefined;
      this.#hasRung = true;
      this.look();
    });
    this.#alarm = { at, timer };
  }
}
