// What the health machine knows about one server. Plain JSON all the way down: a `health` record stores the whole
// state before a transition, and replaying the record must give the same transition again.
import { redactText } from '../../redact/redact.js';

export const HEALTH = ['STARTING', 'HEALTHY', 'UNHEALTHY', 'QUARANTINE', 'PROBATION'] as const;
export type Health = (typeof HEALTH)[number];

/** Shallow to deep. A success says something about its own depth and the shallower ones, never about a deeper one. */
export const SIGNALS = ['liveness', 'readiness', 'call', 'capability'] as const;
export type Signal = (typeof SIGNALS)[number];

export const CHECK_SIGNALS = ['liveness', 'readiness', 'capability'] as const;
export type CheckSignal = (typeof CHECK_SIGNALS)[number];

export interface CheckSettings {
  readonly intervalMs: number;
  readonly timeoutMs: number;
}

/** The settings the machine needs; tool, arguments and expectation of the capability check stay outside. */
export interface MachineSettings {
  readonly liveness: CheckSettings;
  readonly readiness: CheckSettings;
  /** Null: none configured. `afterFailures`: at this failure of another signal the check runs at once. */
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

/** How something went wrong. */
export interface Account {
  /** In our words: models read it. */
  readonly text: string;
  /** The server's own last words, for people alone: nothing that a server writes is told to a model as ours. */
  readonly said?: string | undefined;
}

export interface Reason extends Account {
  readonly code: ReasonCode;
}

export const forPeople = ({ text, said }: Account): string => (said === undefined ? text : `${text}; it said: ${said}`);

/** Before the machine hears of it: what it is told is recorded, shown and said to models. */
export const accountWithoutSecrets = ({ text, said }: Account): Account => ({
  text: redactText(text),
  ...(said !== undefined && { said: redactText(said) }),
});

export const REMOVED: Reason = { code: 'removed', text: 'it is no longer in the configuration' };

/** One kind of check: when it is due, or while it runs, when it is asked for again because nobody reported. */
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
  /** The dial that is up or under way; while none is, the number the next one will have. */
  readonly dial: number;
  /** Failures in a row, by signal. */
  readonly failures: Readonly<Record<Signal, number>>;
  /** When transports were lost, the window's only; a quarantine starts the count anew. */
  readonly losses: readonly number[];
  /** What the next quarantine lasts, without jitter. */
  readonly cooldownMs: number;
  /** Failed dials in a row. */
  readonly attempt: number;
  readonly reason: Reason | null;
  /** Entries of the catalogue when it was last read; null when it never was. */
  readonly catalogueSize: number | null;
  /** Number of the last check that was asked for. */
  readonly checks: number;
  /** The end of the last sleep: silence of calls sent before it proves nothing. */
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
  /** Null: held, nothing happens until the configuration changes. */
  readonly retryAt: number | null;
  /** While a dial is under way, when it is over. */
  readonly deadline: number | null;
  /** Begin of the time without service, over UNHEALTHY and QUARANTINE alike. */
  readonly unavailableSince: number;
}

export interface Quarantine extends Common {
  readonly state: 'QUARANTINE';
  readonly reason: Reason;
  readonly until: number;
  readonly deadline: number | null;
  readonly unavailableSince: number;
}

/** Who has the one request. */
export type Permit = { readonly by: 'check' } | { readonly by: 'call'; readonly call: string };

export interface Probation extends Common {
  readonly state: 'PROBATION';
  readonly checking: Checking;
  readonly permit: Permit | null;
  /** Since when nobody had the permit. */
  readonly idleSince: number;
  /** Readiness checks passed in a row since the idle time was over. */
  readonly readyPasses: number;
}

export type HealthState = Starting | Healthy | Unhealthy | Quarantine | Probation;
export type StateOf<H extends Health> = Extract<HealthState, { readonly state: H }>;

export const NO_FAILURES: Readonly<Record<Signal, number>> = { liveness: 0, readiness: 0, call: 0, capability: 0 };

/** Is there a connection, up or under way, that events of this state's dial can come from? */
export const isDialled = (state: HealthState): boolean =>
  state.state === 'UNHEALTHY' || state.state === 'QUARANTINE' ? state.deadline !== null : true;

/** When the machine wants to be asked next; null when only a person can change anything. */
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
