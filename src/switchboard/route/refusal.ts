// The refusals of a call that a route could not serve: they say for each provider why it did not serve the call, and when to try again.

import { type Answer, REFUSAL_KEY, type RefusalResult } from '../../call/answer.js';
import type { RankedCandidate } from '../../call/routing.js';
import { isObject, type JsonObject } from '../../proof/canonical-json.js';
import type { RouteAttempt } from '../../proof/switchboard-records.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { fittedBetween, refusalResult, shortened, tellUser } from '../refusal.js';
import type { Candidate } from './route.js';

/** A candidate (a provider that could get the call) as it is shown to callers. */
export const ranked = ({ server, tool, state, eligible, rank, reason, text }: Candidate): RankedCandidate => ({
  server: server.toWellFormed(),
  tool: tool.toWellFormed(),
  state,
  eligible,
  rank,
  reason: reason === null ? null : short(`${reason}: ${text}`),
});

const short = (text: string): string => shortened(text, SWITCHBOARD_LIMITS.refusalReasonChars);

const firstText = (content: unknown): string => {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const text = blocks.find((block) => isObject(block) && typeof block.text === 'string');
  return isObject(text) ? String(text.text) : 'it answered with isError';
};

/** A short text that says why a provider's reply did not serve the call. */
export const answerReason = (reply: Answer): string => {
  if (reply.kind === 'error') return short(reply.error.message);
  if (reply.kind === 'input') return 'it asked the client something';
  if (reply.kind === 'large') return 'it answered';
  if (reply.kind === 'result') return short(firstText(reply.result.content));
  const { message, details } = reply.refusal._meta[REFUSAL_KEY].error;
  return short(typeof details.reason === 'string' ? details.reason : message);
};

export interface ExplainedAttempt extends RouteAttempt {
  readonly reason: string;
}

/** As many rows of a list as fit into `routeListBytes`, under the name `key`, and how many rows were left out. */
const fitting = <T>(key: string, rows: readonly T[]): JsonObject => {
  let bytes = 0;
  const shown = rows.filter((row) => {
    bytes += Buffer.byteLength(JSON.stringify(row)) + 1;
    return bytes <= SWITCHBOARD_LIMITS.routeListBytes;
  });
  const left = rows.length - shown.length;
  return { [key]: shown, ...(left > 0 && { [`${key}_left_out`]: left }) };
};

/** In how many milliseconds a retry makes sense: soon if a server may get calls now, else when the first server may. Null: a person must act. */
const retryAfterMs = (candidates: readonly Candidate[]): number | null => {
  const times = candidates.flatMap((one) =>
    one.eligible ? SWITCHBOARD_LIMITS.serverBusyRetryMs : (one.retryAfterMs ?? []),
  );
  return times.length === 0 ? null : Math.max(0, Math.ceil(Math.min(...times)));
};

const inWords = (candidates: readonly Candidate[], attempts: readonly ExplainedAttempt[]): string =>
  candidates
    .map(({ server, tool, reason }) => {
      const last = attempts.findLast((one) => one.server === server && one.tool === tool);
      return `${tool} of ${server} (${last?.reason ?? reason ?? 'not tried'})`;
    })
    .join(', ');

export interface Exhausted {
  readonly route: string;
  readonly candidates: readonly Candidate[];
  readonly attempts: readonly ExplainedAttempt[];
}

/** The refusal if no provider served the call. If the call was sent at all, then only to read-only tools, so it is safe to try again. */
export const chainExhausted = ({ route, candidates, attempts }: Exhausted): RefusalResult => {
  const waitMs = retryAfterMs(candidates);
  const when = waitMs === null ? 'A person must act' : `Try again in ${Math.max(1, Math.ceil(waitMs / 1_000))} s`;
  const stuck = [...new Set(candidates.filter(({ isStuck }) => isStuck).map(({ server }) => server))];
  const told = stuck.map(tellUser).join('. ');
  const head = `The route ${route} did not serve the call: `;
  const tail = `. ${when}.${told === '' ? '' : ` ${told}`}`;
  return refusalResult(`${head}${fittedBetween(head, inWords(candidates, attempts), tail)}${tail}`, {
    code: 'FALLBACK_CHAIN_EXHAUSTED',
    status: 503,
    message: `503 Service Unavailable (Route: ${route})`,
    details: {
      route,
      ...fitting('attempts', attempts),
      ...fitting('candidates', candidates.map(ranked)),
      retry_after_ms: waitMs,
      safe_to_retry: true,
      ...(told !== '' && { remedy: told }),
    },
  });
};

/** The refusal if the route has a fault and is off: nothing was sent. */
export const routeOff = (route: string, fault: string): RefusalResult =>
  refusalResult(`The route ${route} is off: ${fault}. A person must change the switchboard file.`, {
    code: 'TOOL_UNAVAILABLE',
    status: 503,
    message: `503 Service Unavailable (Route: ${route})`,
    details: { route, reason: 'route_off', text: short(fault), retry_after_ms: null, alternatives: [] },
  });

/** Turns the refusal by the last provider that was tried into a refusal by the route. */
export const ofRoute = (refusal: RefusalResult, route: string, attempts: readonly RouteAttempt[]): RefusalResult => {
  const { error } = refusal._meta[REFUSAL_KEY];
  return refusalResult(refusal.content[0].text, {
    ...error,
    details: { route, ...error.details, ...fitting('attempts', attempts) },
  });
};
