// What the health machine knows about one server, as plain JSON: a `health` record stores the whole state before a transition, and
// replaying the record must give the same transition again.
import { redactText } from '../../redact/redact.js';

export const HEALTH = ['STARTING', 'HEALTHY', 'UNHEALTHY', 'QUARANTINE', 'PROBATION'] as const;
export type Health = (typeof HEALTH)[number];

/** From shallow to deep. A success proves its own signal and the shallower ones, never a deeper one. */
export const SIGNALS = ['liveness', 'readiness', 'call', 'capability'] as const;
export type Signal = (typeof SIGNALS)[number];

export const CHECK_SIGNALS = ['liveness', 'readiness', 'capability'] as const;
export type CheckSignal = (typeof CHECK_SIGNALS)[number];

export interface CheckSettings {
  readonly intervalMs: number;
  readonly timeoutMs: number;
}

/** The settings that the machine needs, so without the tool, arguments and expectation of the capability check. */
export interface MachineSettings {
  readonly liveness: CheckSettings;
  readonly readiness: CheckSettings;
  /** Null: none is configured. `afterFailures`: at this many failures in a row of another signal the check runs at once. */
  readonly capability: (CheckSettings & { readonly afterFailures: number }) | null;
  readonly failuresToQuarantine: number;
  readonly cooldownMs: number;
  readonly cooldownMaxMs: number;
  readonly startTimeoutMs: number;
  readonly stabilityWindowMs: number;
}

/** Why a server may not be dialled until a person acts. */
const HOLDS = ['not_approved', 'missing_variable'] as const;
export type Hold = (typeof HOLDS)[number];

export const DIAL_FAULTS = ['spawn_error', 'exited', 'handshake_refused', 'start_timeout', 'empty_catalogue'] as const;
export type DialFault = (typeof DIAL_FAULTS)[number];

export type ReasonCode =
  | Hold
  | DialFault
  | 'lost'
  | `${Signal}_failures`
  | 'probation_failed'
  | 'auth_required'
  | 'throttled'
  | 'removed';

/** What went wrong. */
export interface Account {
  /** In our own words, because models read it. */
  readonly text: string;
  /** The last line that the server wrote, for people only: models must not read a server's text as if it were ours. */
  readonly said?: string | undefined;
}

export interface Reason extends Account {
  readonly code: ReasonCode;
}

export const forPeople = ({ text, said }: Account): string => (said === undefined ? text : `${text}; it said: ${said}`);

/** For use before the machine gets it: reasons are recorded, shown to people and sent to models. */
export const accountWithoutSecrets = ({ text, said }: Account): Account => ({
  text: redactText(text),
  ...(said !== undefined && { said: redactText(said) }),
});

export const REMOVED: Reason = { code: 'removed', text: 'it is no longer in the configuration' };

/** One kind of check. `at`: when it is due or, while it runs, when it is asked for again because no result came. */
export interface Slot {
  readonly at: number;
  /** Number of the check that runs. */
  readonly running: number | null;
}

export interface Checking {
  readonly liveness: Slot;
  readonly readiness: Slot;
  readonly capability: Slot | null;
}

/** What every state carries. Times are milliseconds of the monotonic clock. */
export interface Common {
  readonly since: number;
  /** The number of the connection that is up or being made; if there is none, the number of the next one. */
  readonly dial: number;
  /** Failures in a row, by signal. */
  readonly failures: Readonly<Record<Signal, number>>;
  /** When transports were lost, within the stability window; a quarantine empties the list. */
  readonly losses: readonly number[];
  /** How long the next quarantine lasts, without jitter. */
  readonly cooldownMs: number;
  /** Failed dials in a row. */
  readonly attempt: number;
  readonly reason: Reason | null;
  /** Entries of the catalogue when it was last read; null when it never was. */
  readonly catalogueSize: number | null;
  /** Number of the last check that was asked for. */
  readonly checks: number;
  /** When the computer last woke from sleep: no answer to a call sent before that proves nothing. */
  readonly awakeSince: number;
  readonly settings: MachineSettings;
}

export interface Starting extends Common {
  readonly state: 'STARTING';
  readonly deadline: number;
}

export interface Healthy extends Common {
  readonly state: 'HEALTHY';
  readonly checking: Checking;
  /** The server asked for a pause (HTTP 429 with Retry-After) until then. */
  readonly throttledUntil: number | null;
}

export interface Unhealthy extends Common {
  readonly state: 'UNHEALTHY';
  readonly reason: Reason;
  /** Null: nothing happens until the configuration changes. */
  readonly retryAt: number | null;
  /** When the dial under way is given up; null: there is none. */
  readonly deadline: number | null;
  /** Since when the server has been in UNHEALTHY or QUARANTINE. */
  readonly unavailableSince: number;
}

export interface Quarantine extends Common {
  readonly state: 'QUARANTINE';
  readonly reason: Reason;
  readonly until: number;
  readonly deadline: number | null;
  readonly unavailableSince: number;
}

/** Who has the one request that PROBATION permits. */
export type Permit = { readonly by: 'check' } | { readonly by: 'call'; readonly call: string };

export interface Probation extends Common {
  readonly state: 'PROBATION';
  readonly checking: Checking;
  readonly permit: Permit | null;
  /** Since when nobody has had the permit. */
  readonly idleSince: number;
  /** Readiness checks passed in a row since the idle time was over. */
  readonly readyPasses: number;
}

export type HealthState = Starting | Healthy | Unhealthy | Quarantine | Probation;
export type StateOf<H extends Health> = Extract<HealthState, { readonly state: H }>;

export const NO_FAILURES: Readonly<Record<Signal, number>> = { liveness: 0, readiness: 0, call: 0, capability: 0 };

/** Whether there is a connection, up or being made, from which events can come. */
export const isDialled = (state: HealthState): boolean =>
  state.state === 'UNHEALTHY' || state.state === 'QUARANTINE' ? state.deadline !== null : true;

/** When the machine needs its next tick; null if only a person can change anything. */
export const nextWake = (state: HealthState): number | null => {
  switch (state.state) {
    case 'STARTING':
      return state.deadline;
    case 'UNHEALTHY':
      return state.deadline ?? state.retryAt;
    case 'QUARANTINE':
      return state.deadline ?? state.until;
    case 'HEALTHY':
    case 'PROBATION': {
      const { liveness, readiness, capability } = state.checking;
      return Math.min(liveness.at, readiness.at, capability?.at ?? Number.POSITIVE_INFINITY);
    }
  }
};
