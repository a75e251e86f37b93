// The types of the events that the health machine takes and of the effects that it returns; all are plain JSON. The code around the machine
// makes events of what happens and carries out the effects; only the machine decides.
import type { Account, CheckSignal, DialFault, Health, HealthState, Hold, MachineSettings, Reason } from './state.js';

/** `jitter`: a random number from -1 to 1 that the event's sender draws, so that a replay of the event is exact. */
interface WithJitter {
  readonly jitter?: number;
}

/** An event of one connection. `dial` is the number of the attempt to connect that made it; events with an older number are ignored. */
interface OfDial extends WithJitter {
  readonly dial: number;
}

interface OfCheck extends OfDial {
  readonly signal: CheckSignal;
  /** The number of the `check` effect that the event answers. */
  readonly check: number;
}

interface OfCall extends OfDial {
  readonly call: string;
}

/** `retry`: to try now a server that does not work; `restart`: also to end one that works, and to try it like one that did not. */
export type PersonsWish = 'retry' | 'restart';

export type HealthEvent =
  /** The server is connected: the handshake is done and its catalogue (tool list) was read. */
  | (OfDial & { readonly type: 'dialled'; readonly catalogueSize: number })
  | (OfDial & { readonly type: 'dial_failed'; readonly fault: DialFault } & Partial<Account>)
  /** The server's process ended, its pipe closed, or the HTTP session is gone: one event, however many calls were in flight. */
  | (OfDial & { readonly type: 'lost' } & Partial<Account>)
  /** The server's tool list (catalogue) was read again after a `list_changed` notification. */
  | (OfDial & { readonly type: 'catalogue_changed'; readonly catalogueSize: number })
  | (OfCheck & { readonly type: 'check_passed' })
  | (OfCheck & {
      readonly type: 'check_failed';
      /** `timeout`: the check got no answer in time; `wrong`: its answer was not the expected one, for instance HTTP 5xx. */
      readonly how: 'timeout' | 'wrong';
      readonly callInFlight: boolean;
    })
  /** A check was stopped before it was sent, or before its result was known. */
  | (OfCheck & { readonly type: 'check_cancelled' })
  | (OfCall & { readonly type: 'permit_taken' })
  /** A call was answered with a result (also one with `isError`) or with any JSON-RPC error. */
  | (OfCall & { readonly type: 'call_answered' })
  /** A call failed: the server sent no message at all, or answered with HTTP 5xx. callEvent in server/call.ts decides this. */
  | (OfCall & { readonly type: 'call_failed'; readonly sentAt: number })
  | (OfCall & { readonly type: 'call_cancelled' })
  | (OfCall & { readonly type: 'call_not_sent' })
  | (OfDial & { readonly type: 'auth_required' } & Origin & { readonly status: 401 | 403 })
  | (OfDial & { readonly type: 'throttled' } & Origin & { readonly retryAfterMs: number | null })
  | (WithJitter & {
      readonly type: 'connection_changed';
      readonly settings: MachineSettings;
      readonly hold: Hold | null;
      /** The number of tools in the stored catalogue of the new connection; null if none is stored. */
      readonly catalogueSize: number | null;
    })
  | (WithJitter & { readonly type: 'settings_changed'; readonly settings: MachineSettings })
  | (WithJitter & { readonly type: 'removed' })
  /** A person asked for it, by a command. `by`: who. */
  | (WithJitter & { readonly type: 'asked'; readonly what: PersonsWish; readonly by: string })
  /** A timer fired. `lateMs`: the milliseconds that it was late, by the monotonic or the wall clock, whichever shows more. */
  | (WithJitter & { readonly type: 'tick'; readonly lateMs: number });

/** The request to which the server answered with HTTP 401, 403 or 429. */
export type Origin =
  | { readonly during: 'dial' }
  | { readonly during: 'call'; readonly call: string }
  | { readonly during: 'check'; readonly signal: CheckSignal; readonly check: number };

export type EventType = HealthEvent['type'];
export type EventOf<T extends EventType> = Extract<HealthEvent, { readonly type: T }>;

/** A change of a server's health state, with all that is needed to repeat it: `stepHealth(before, event, at)` leads to the state `to`. */
export interface Transition {
  readonly from: Health;
  /** The new health state; null: the server was removed from the configuration. */
  readonly to: Health | null;
  readonly reason: Reason | null;
  readonly at: number;
  readonly event: HealthEvent;
  readonly before: HealthState;
}

export type HealthEffect =
  | ({ readonly do: 'record' } & Transition)
  /** Closes a connection, which gets no new calls from now on. If `drain` is true, calls in flight may end before the connection closes. */
  | { readonly do: 'close'; readonly dial: number; readonly drain: boolean }
  | { readonly do: 'dial'; readonly dial: number }
  | { readonly do: 'check'; readonly dial: number; readonly signal: CheckSignal; readonly check: number }
  /** Gives the one permit of PROBATION to this call; a call that does not get the permit must not be sent. */
  | { readonly do: 'admit'; readonly call: string }
  /** Sets the time of the next `tick` event, instead of the time set before. Null: no tick is needed. */
  | { readonly do: 'wake'; readonly at: number | null };
