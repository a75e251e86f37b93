// What the outcome of a call says about how reliably agents and servers work: the events of which reputation is made (docs/reputation.md).
// Everything follows from the record alone, so that anybody recomputes it from an export.
import { listing, objectOf, oneOf, type ShapeValue } from './shape.js';

/** Who earned something by a call of the task tools, and why. What counts for whom follows from `why` (`COUNTS`). */
export const CREDIT = objectOf({
  node: 'text',
  why: oneOf('done', 'delivered', 'reopened', 'cancelled', 'expired', 'taken', 'handed'),
});
export type Credit = ShapeValue<typeof CREDIT>;
export const CREDIT_LIST = listing(CREDIT);

export const REPUTATION_DOMAINS = ['execution', 'commissioning', 'arbitration', 'governance', 'social'] as const;
export type ReputationDomain = (typeof REPUTATION_DOMAINS)[number];

/** In which domains a credit counts: true as a success, false as a failure. */
const COUNTS: Readonly<Record<Credit['why'], readonly (readonly [ReputationDomain, boolean])[]>> = {
  // The holder finished a task that somebody else had created; to its creator it was delivered.
  done: [['execution', true]],
  delivered: [['commissioning', true]],
  // The verification of the holder's work failed (VERIFY → GATHER).
  reopened: [['execution', false]],
  // Its creator's task was cancelled.
  cancelled: [['commissioning', false]],
  // The holder let its lease run out, and so left the task.
  expired: [
    ['execution', false],
    ['social', false],
  ],
  // Another process took the task away from the holder.
  taken: [['execution', false]],
  // Somebody else finished what this agent had given back with a note.
  handed: [['social', true]],
};

/** How an attempt to have a server handle a call counts for the server; other ends say nothing about it. */
const ATTEMPTS: Readonly<Record<string, boolean>> = {
  result: true,
  is_error: true,
  error: true,
  timeout: false,
  lost: false,
  server_error: false,
};

/** One event: a success or a failure of one node in one domain. */
export interface ReputationEvent {
  readonly node: string;
  readonly domain: ReputationDomain;
  readonly good: boolean;
  readonly why: string;
  /** The place of the event in its record: attempts first, each with its index, then what the credits count, one after the other. */
  readonly place: number;
}

/** The part of an outcome record that is about reputation. */
export interface Scored {
  readonly credits?: readonly Credit[] | undefined;
  readonly route?: { readonly attempts: readonly { readonly server: string; readonly how: string }[] } | undefined;
}

const SERVER = 'server:';
const serverNode = (server: string): string => `${SERVER}${server}`;

/** The node of an agent with this name. An agent that calls itself like a server does not become one. */
export const agentNode = (name: string): string => (name.startsWith(SERVER) ? `agent:${name}` : name);

export const eventsOf = ({ credits = [], route }: Scored): readonly ReputationEvent[] => {
  const attempts = route?.attempts ?? [];
  const events = attempts.flatMap(({ server, how }, place): ReputationEvent[] => {
    const good = ATTEMPTS[how];
    return good === undefined ? [] : [{ node: serverNode(server), domain: 'execution', good, why: how, place }];
  });
  let place = attempts.length;
  for (const { node, why } of credits)
    for (const [domain, good] of COUNTS[why]) events.push({ node, domain, good, why, place: place++ });
  return events;
};

const DAY_MS = 86_400_000;

/** The UTC day of a time, counted from 1970: the epoch of reputation. */
export const epochOf = (at: string): number => Math.floor(Date.parse(at) / DAY_MS);
