// What the outcome of a call says about how reliably agents and servers work: the events of which reputation is made (docs/reputation.md).
// Everything follows from the record alone, so that anybody recomputes it from an export.
import { listing, objectOf, oneOf, type ShapeValue } from './shape.js';

/** Who earned something by a call of the tools of tasks or consensus, and why. What counts for whom follows from `why` (`COUNTS`). */
export const CREDIT = objectOf({
  node: 'text',
  why: oneOf(
    ...(['done', 'delivered', 'reopened', 'cancelled', 'expired', 'taken', 'handed'] as const),
    ...(['agreed', 'disagreed', 'silent', 'equivocated'] as const),
  ),
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
  // A vote that agreed with what its round decided, and one that did not.
  agreed: [['arbitration', true]],
  disagreed: [['arbitration', false]],
  // A reviewer who was drawn and did not vote.
  silent: [['arbitration', false]],
  // A voter who signed two different votes in one round.
  equivocated: [['arbitration', false]],
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

/** How an attempt that somebody had allowed counts for whoever allowed it; other ends say nothing about it. */
const ALLOWED: Readonly<Record<string, boolean>> = { ...ATTEMPTS, error: false };
const WHY_ALLOWED = 'allowed';

/** One event: a success or a failure of one node in one domain. */
export interface ReputationEvent {
  readonly node: string;
  readonly domain: ReputationDomain;
  readonly good: boolean;
  readonly why: string;
  /**
   * The place of the event in its record: attempts first, each with its index, then one after the other what the credits count and what was
   * allowed.
   */
  readonly place: number;
}

/** The part of an outcome record that is about reputation. */
export interface Scored {
  readonly credits?: readonly Credit[] | undefined;
  readonly route?: { readonly attempts: readonly ScoredAttempt[] } | undefined;
}

interface ScoredAttempt {
  readonly server: string;
  readonly how: string;
  readonly approval?: string | undefined;
  readonly allowed_by?: readonly string[] | undefined;
}

const SERVER = 'server:';
const serverNode = (server: string): string => `${SERVER}${server}`;

/** The node of an agent with this name. An agent that calls itself like a server does not become one. */
export const agentNode = (name: string): string => (name.startsWith(SERVER) ? `agent:${name}` : name);

/** What those who allowed the attempts earned: of several attempts with one approval, the last counts. */
const allowances = (attempts: readonly ScoredAttempt[]): readonly Omit<ReputationEvent, 'place'>[] =>
  attempts.flatMap(({ how, approval, allowed_by = [] }, i) => {
    const good = ALLOWED[how];
    const isLast = !attempts.slice(i + 1).some((later) => later.approval === approval);
    if (good === undefined || !isLast) return [];
    return allowed_by.map((name) => ({ node: agentNode(name), domain: 'governance', good, why: WHY_ALLOWED }));
  });

export const eventsOf = ({ credits = [], route }: Scored): readonly ReputationEvent[] => {
  const attempts = route?.attempts ?? [];
  const events = attempts.flatMap(({ server, how }, place): ReputationEvent[] => {
    const good = ATTEMPTS[how];
    return good === undefined ? [] : [{ node: serverNode(server), domain: 'execution', good, why: how, place }];
  });
  let place = attempts.length;
  for (const { node, why } of credits)
    for (const [domain, good] of COUNTS[why]) events.push({ node, domain, good, why, place: place++ });
  for (const event of allowances(attempts)) events.push({ ...event, place: place++ });
  return events;
};

const DAY_MS = 86_400_000;

/** The UTC day of a time, counted from 1970: the epoch of reputation. */
export const epochOf = (at: string): number => Math.floor(Date.parse(at) / DAY_MS);
