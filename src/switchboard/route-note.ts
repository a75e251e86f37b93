// What the outcome record of a call says about where it could go and where it went. Foreign names are made fit for a record.
import { name, type RouteAttempt, type RouteNote } from '../ledger/records.js';
import type { Try } from './backend-tries.js';
import type { ToolPlace } from './refusal.js';
import type { Candidate } from './route.js';

const placeOf = ({ server, tool }: ToolPlace): ToolPlace => ({ server: name(server), tool: name(tool) });

export const attemptsAt = (place: ToolPlace, tries: readonly Try[]): readonly RouteAttempt[] =>
  tries.map(({ how, code, sent, durationMs }) => ({
    ...placeOf(place),
    how,
    ...(code !== undefined && { code: name(code) }),
    sent,
    duration_ms: Math.max(0, Math.round(durationMs)),
  }));

/** `route`: its name in the file; null where the caller named the tool itself. */
export const routeNote = (
  route: string | null,
  candidates: readonly Candidate[],
  attempts: readonly RouteAttempt[],
): RouteNote => ({
  name: route === null ? null : name(route),
  candidates: candidates.map((candidate) => ({
    ...placeOf(candidate),
    state: candidate.state,
    eligible: candidate.eligible,
    ...(candidate.reason !== null && { reason: candidate.reason }),
  })),
  attempts,
});
