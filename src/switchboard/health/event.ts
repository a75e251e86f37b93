// The events that the health machine takes and the effects that it returns, as plain JSON. The code around it turns what happens into
// events and carries out the effects; it decides nothing.
import type { Account, CheckSignal, DialFault, Health, HealthState, Hold, MachineSettings, Reason } from './state.js';

/** `jitter`: a random number from -1 to 1 that the sender draws, so that a replay of the event is exact. */
interface WithJitter {
  readonly jitter?: number;
}

/** An event of the connection that this dial made. Events of earlier dials are ignored. */
interface OfDial extends WithJitter {
  readonly dial: number;
}

interface OfCheck extends OfDial {
  readonly signal: CheckSignal;
  /** The number of the `check` effect it answers. */
  readonly check: number;
}

interface OfCall extends OfDial {
  readonly call: string;
}

export type HealthEvent =
  /** Handshake done and catalogue read. */
  | (OfDial & { readonly type: 'dialled'; readonly catalogueSize: number })
  | (OfDial & { readonly type: 'dial_failed'; readonly fault: DialFault } & Partial<Account>)
  /** The process ended, the pipe closed, the HTTP session is gone: one event, whatever was in flight. */
  | (OfDial & { readonly type: 'lost' } & Partial<Account>)
  /** The catalogue was read again after `list_changed`. */
  | (OfDial & { readonly type: 'catalogue_changed'; readonly catalogueSize: number })
  | (OfCheck & { readonly type: 'check_passed' })
  | (OfCheck & {
      readonly type: 'check_failed';
      /** `timeout`: no answer; `wrong`: one that does not fit, an HTTP 5xx among them. */
      readonly how: 'timeout' | 'wrong';
      readonly callInFlight: boolean;
    })
  /** The check was stopped before it was sent, or before its result was known. */
  | (OfCheck & { readonly type: 'check_cancelled' })
  | (OfCall & { readonly type: 'permit_taken' })
  /** With a result (also with `isError`) or any JSON-RPC error. */
  | (OfCall & { readonly type: 'call_answered' })
  /** Silence or an HTTP 5xx, as verdictOf in call-verdict.ts says. */
  | (OfCall & { readonly type: 'call_failed'; readonly sentAt: number })
  | (OfCall & { readonly type: 'call_cancelled' })
  | (OfCall & { readonly type: 'call_not_sent' })
  | (OfDial & { readonly type: 'auth_required' } & Origin & { readonly status: 401 | 403 })
  | (OfDial & { readonly type: 'throttled' } & Origin & { readonly retryAfterMs: number | null })
  | (WithJitter & {
      readonly type: 'connection_changed';
      readonly settings: MachineSettings;
      readonly hold: Hold | null;
      /** What is remembered of the new connection's catalogue. */
      readonly catalogueSize: number | null;
    })
  | (WithJitter & { readonly type: 'settings_changed'; readonly settings: MachineSettings })
  | (WithJitter & { readonly type: 'removed' })
  /** `lateMs`: how much later than asked for, by the monotonic or the wall clock, whichever shows more. */
  | (WithJitter & { readonly type: 'tick'; readonly lateMs: number });

/** Which request an HTTP status answered. */
export type Origin =
  | { readonly during: 'dial' }
  | { readonly during: 'call'; readonly call: string }
  | { readonly during: 'check'; readonly signal: CheckSignal; readonly check: number };

export type EventType = HealthEvent['type'];
export type EventOf<T extends EventType> = Extract<HealthEvent, { readonly type: T }>;

export const EVENT_TYPES = [
  'dialled',
  'dial_failed',
  'lost',
  'catalogue_changed',
  'check_passed',
  'check_failed',
  'check_cancelled',
  'permit_taken',
  'call_answered',
  'call_failed',
  'call_cancelled',
  'call_not_sent',
  'auth_required',
  'throttled',
  'connection_changed',
  'settings_changed',
  'removed',
  'tick',
] as const satisfies readonly EventType[];

/** Enough to repeat a transition: `step(before, event, at)` ends in `to`. */
export interface Transition {
  readonly from: Health;
  /** Null: removed from the configuration. */
  readonly to: Health | null;
  readonly reason: Reason | null;
  readonly at: number;
  readonly event: HealthEvent;
  readonly before: HealthState;
}

export type HealthEffect =
  | ({ readonly do: 'record' } & Transition)
  /** Sends no new calls over this connection; with `drain`, those in flight may end first. */
  | { readonly do: 'close'; readonly dial: number; readonly drain: boolean }
  | { readonly do: 'dial'; readonly dial: number }
  | { readonly do: 'check'; readonly dial: number; readonly signal: CheckSignal; readonly check: number }
  /** Gives the one permit to this call; a call that does not get it must not be sent. */
  | { readonly do: 'admit'; readonly call: string }
  /** When to send the next `tick`; replaces the time set before. Null: no tick is needed. */
  | { readonly do: 'wake'; readonly at: number | null };

export interface HealthStep {
  /** Null: the server is gone from the configuration, and so is its machine. */
  readonly state: HealthState | null;
  readonly effects: readonly HealthEffect[];
}
