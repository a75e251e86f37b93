// The state that the health machine keeps of one server. It is plain JSON, because a `health` record in the ledger stores the whole state
// before a transition, and a replay of the record must give the same transition.
import { redactText } from '../../redact/redact.js';

export const HEALTH = ['STARTING', 'HEALTHY', 'UNHEALTHY', 'QUARANTINE', 'PROBATION'] as const;
export type Health = (typeof HEALTH)[number];

/** The signals of a server's health, from weak to strong. A success of one also clears the failures of weaker signals, not of stronger ones. */
export const SIGNALS = ['liveness', 'readiness', 'call', 'capability'] as const;
export type Signal = (typeof SIGNALS)[number];

export const CHECK_SIGNALS = ['liveness', 'readiness', 'capability'] as const;
export type CheckSignal = (typeof CHECK_SIGNALS)[number];

export interface CheckSettings {
  readonly intervalMs: number;
  readonly timeoutMs: number;
}

/** The settings that the health machine needs: not the tool, arguments and expected result of the capability check. */
export interface MachineSettings {
  readonly liveness: CheckSettings;
  readonly readiness: CheckSettings;
  /** The capability check; null if none is configured. It runs at once after `afterFailures` failures in a row of calls or of another check. */
  readonly capability: (CheckSettings & { readonly afterFailures: number }) | null;
  readonly failuresToQuarantine: number;
  readonly cooldownMs: number;
  readonly cooldownMaxMs: number;
  readonly startTimeoutMs: number;
  readonly stabilityWindowMs: number;
}

/** The reasons why a server must not be connected to until a person acts. */
export type Hold = 'not_approved' | 'missing_variable';

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
  | 'restarted'
  | 'removed';

/** A description of what went wrong with a server. */
export interface Account {
  /** What went wrong with the server, in Colibri's own words, because models read this text. */
  readonly text: string;
  /** The last line that the server wrote, for people only: models must not take a server's text for Colibri's. */
  readonly said?: string | undefined;
}

export interface Reason extends Account {
  readonly code: ReasonCode;
}

export const forPeople = ({ text, said }: Account): string => (said === undefined ? text : `${text}; it said: ${said}`);

/** Removes secrets from the description of a server's failure before the health machine gets the description, which is recorded, shown to people and sent to models. */
export const accountWithoutSecrets = ({ text, said }: Account): Account => ({
  text: redactText(text),
  ...(said !== undefined && { said: redactText(said) }),
});

export const REMOVED: Reason = { code: 'removed', text: 'it is no longer in the configuration' };

/** The schedule of one kind of check. `at`: the time when the check is due; while it runs, the time when it is repeated if no result came. */
export interface Slot {
  readonly at: number;
  /** The number of the check that runs; null if none runs. */
  readonly running: number | null;
}

export interface Checking {
  readonly liveness: Slot;
  readonly readiness: Slot;
  readonly capability: Slot | null;
}

/** The members of every health state. Times are milliseconds of the monotonic clock. */
export interface Common {
  readonly since: number;
  /** The number of the connection that is up or being made; if there is no connection, the number of the next one. */
  readonly dial: number;
  /** For each signal (calls, and each kind of health check): how often it has failed in a row. */
  readonly failures: Readonly<Record<Signal, number>>;
  /** The times at which the connection was lost within the last `stabilityWindowMs`; a quarantine empties the list. */
  readonly losses: readonly number[];
  /** How many milliseconds the next quarantine lasts, without jitter. */
  readonly cooldownMs: number;
  /** How many dials (attempts to connect) have failed in a row. */
  readonly attempt: number;
  /** How many of these dials, the last ones, failed for the same reason. Absent in records of older versions. */
  readonly alike?: number | undefined;
  readonly reason: Reason | null;
  /** The number of tools when the server's tool list (catalogue) was last read; null if the list was never read. */
  readonly catalogueSize: number | null;
  /** The number of the last health check that the machine asked for; checks are numbered from 1. */
  readonly checks: number;
  /** When the computer last woke from sleep. A call that was sent earlier and got no answer does not count as a failure. */
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
  /** The time at which the pause ends that the server asked for (HTTP 429 with Retry-After); null if it asked for none. */
  readonly throttledUntil: number | null;
}

export interface Unhealthy extends Common {
  readonly state: 'UNHEALTHY';
  readonly reason: Reason;
  /** The time at which Colibri tries again to connect; null: not before the server's configuration changes. */
  readonly retryAt: number | null;
  /** The time at which the dial (attempt to connect) that is under way is given up; null if none is under way. */
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

/** Who has the permit for the one request that PROBATION allows: the capability check, or the call with this id. */
export type Permit = { readonly by: 'check' } | { readonly by: 'call'; readonly call: string };

export interface Probation extends Common {
  readonly state: 'PROBATION';
  readonly checking: Checking;
  readonly permit: Permit | null;
  /** The time since which no call has had the permit for PROBATION's one request. */
  readonly idleSince: number;
  /** How many readiness checks have passed in a row since the idle time of PROBATION (`probationIdleMs`) was over. */
  readonly readyPasses: number;
}

export type HealthState = Starting | Healthy | Unhealthy | Quarantine | Probation;
export type StateOf<H extends Health> = Extract<HealthState, { readonly state: H }>;

export const NO_FAILURES: Readonly<Record<Signal, number>> = { liveness: 0, readiness: 0, call: 0, capability: 0 };

/** Whether a connection to the server is up or being made, so that events can come from it. */
export const isDialled = (state: HealthState): boolean =>
  state.state === 'UNHEALTHY' || state.state === 'QUARANTINE' ? state.deadline !== null : true;

/** The time at which the health machine needs its next `tick` event; null if nothing changes until a person acts. */
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
