// The calls of one server that wait for their turn, in order. Concurrency and the one permit of PROBATION are taken
// together and last, and the call is sent in the same breath: between the two nothing can happen to the server.
import type { Cancellation } from '../../core/cancellation.js';
import type { Denied, RoutePermission } from '../health/permits.js';
import type { Health } from '../health/state.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { Link } from '../link/link.js';
import type { BackendDeps, Timer } from './world.js';

/** A call's turn; given back with `leave`. */
export interface Turn {
  readonly dial: number;
  readonly link: Link;
}

/** How the wait ended. */
export type Entrance =
  | { readonly turn: Turn }
  | { readonly denied: Denied; readonly state: Health | null }
  | { readonly busy: number }
  | { readonly cancelled: true };

/** What the queue asks about the server. */
export interface QueueGate {
  /** False while its state is just changing; the queue is told to look again. */
  isSettled(): boolean;
  state(): Health | null;
  permission(): RoutePermission;
  /** The connection that calls go to now. */
  dial(): number;
  concurrency(): number;
  /** Only after a permission: the connection, or why not after all. */
  take(call: string): Turn | Denied;
}

/** Who wants to enter. */
export interface Entering {
  readonly call: string;
  /** How long it waits for others to end. */
  readonly timeoutMs: number;
  readonly cancellation?: Cancellation | undefined;
}

interface Waiter {
  readonly call: string;
  readonly enter: (entrance: Entrance) => void;
  readonly until: number;
  /** While the server is being dialled. */
  dialUntil: number | null;
  isOver: boolean;
  unlisten: () => void;
}

const nothing = (): void => {};

const deadlineOf = ({ until, dialUntil }: Waiter): number => Math.min(until, dialUntil ?? until);

export class CallQueue {
  readonly #gate: QueueGate;
  readonly #deps: Pick<BackendDeps, 'nowMs' | 'setTimer'>;
  #waiting: Waiter[] = [];
  /** Calls in flight by dial: those of a connection that drains take nothing from its successor. */
  readonly #inFlight = new Map<number, number>();
  #isLooking = false;
  /** Somebody has been told how long to wait for a dial. */
  #isDialling = false;
  /** Nobody's time is up before that. */
  #earliest = Number.POSITIVE_INFINITY;
  #hasRung = false;
  #alarm: { readonly at: number; readonly timer: Timer } | undefined;

  constructor(gate: QueueGate, deps: Pick<BackendDeps, 'nowMs' | 'setTimer'>) {
    this.#gate = gate;
    this.#deps = deps;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  inFlight(dial?: number): number {
    if (dial !== undefined) return this.#inFlight.get(dial) ?? 0;
    return [...this.#inFlight.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Calls `enter` exactly once, perhaps before it returns. */
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

  /** Something may have changed: lets in, refuses or goes on waiting. */
  look(): void {
    if (this.#isLooking || !this.#gate.isSettled()) return;
    this.#isLooking = true;
    try {
      while (this.#serveFirst());
    } finally {
      this.#isLooking = false;
    }
    // By the timer alone: it knows whether the process slept, and whoever else looks may come before the answers are read.
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

  /** What holds for the first holds for all, so nobody is passed over. */
  #serveFirst(): boolean {
    const [first] = this.#waiting;
    if (first === undefined) return false;
    const permission = this.#gate.permission();
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
    if (this.inFlight(this.#gate.dial()) >= this.#gate.concurrency()) return false;
    this.#admit(first);
    return true;
  }

  #admit(waiter: Waiter): void {
    const turn = this.#gate.take(waiter.call);
    if ('link' in turn) {
      this.#inFlight.set(turn.dial, this.inFlight(turn.dial) + 1);
      this.#end(waiter, { turn });
    } else this.#deny(waiter, turn);
  }

  #deny(waiter: Waiter, denied: Denied): void {
    this.#end(waiter, { denied, state: this.#gate.state() });
  }

  /** Their time is up: the server is still not there, or the others take too long. */
  #expire(): void {
    const now = this.#deps.nowMs();
    if (now < this.#earliest) return;
    const late = this.#waiting.filter((waiter) => deadlineOf(waiter) <= now);
    const permission = this.#gate.permission();
    for (const waiter of late) {
      if (permission.may) this.#end(waiter, { busy: this.#waiting.length });
      else this.#deny(waiter, permission);
    }
    this.#earliest = Math.min(...this.#waiting.map(deadlineOf));
  }

  /** One timer for all who wait. It may ring for one who has left; then it is set again. */
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
