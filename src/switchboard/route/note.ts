// The part of a call's outcome record that says which providers could get the call and which did. Names from outside are cleaned.
import type { Try } from '../../call/answer.js';
import type { RouteAttempt, RouteNote } from '../../proof/records.js';
import { asName } from '../../redact/as-name.js';
import type { ToolPlace } from '../refusal.js';
import type { Candidate } from './route.js';

export const attemptsAt = ({ server, tool }: ToolPlace, tries: readonly Try[]): readonly RouteAttempt[] =>
  tries.map(({ how, code, sent, durationMs }) => ({
    server: asName(server),
    tool: asName(tool),
    how,
    code: code === undefined ? undefined : asName(code),
    sent,
    duration_ms: Math.max(0, Math.round(durationMs)),
  }));

/** `route`: its name in the file; null if the caller named the tool itself. Members are in the order of the record. */
export const routeNote = (
  route: string | null,
  candidates: readonly Candidate[],
  attempts: readonly RouteAttempt[],
): RouteNote => ({
  attempts,
  candidates: candidates.map(({ server, tool, state, eligible, reason }) => ({
    eligible,
    reason: reason ?? undefined,
    server: asName(server),
    state,
    tool: asName(tool),
  })),
  name: route === null ? null : asName(route),
});
