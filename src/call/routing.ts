// What the router tools ask of the switchboard. Types only: the tools do not know how it works, and it does not know them.

import type { JsonObject } from '../proof/json-object.js';
import type { RouteNote } from '../proof/records.js';
import type { RoutedAnswer } from './answer.js';
import type { CallRequest } from './request.js';

export interface RankedCandidate {
  readonly server: string;
  readonly tool: string;
  /** Null: its server is not there. */
  readonly state: string | null;
  readonly eligible: boolean;
  /** When its turn comes, from 1; null: it does not. */
  readonly rank: number | null;
  readonly reason: string | null;
}

export interface Score {
  /** Null: the question was for a tool of one server. */
  readonly route: string | null;
  readonly winner: { readonly server: string; readonly tool: string } | null;
  readonly candidates: readonly RankedCandidate[];
  /** Why the route is off; null: it is on. */
  readonly off: string | null;
  readonly note: RouteNote;
}

/** The question cannot be answered: the caller's fault. */
export interface Unanswerable {
  readonly problem: string;
  readonly details?: JsonObject;
}

export interface ServerStats {
  readonly server: string;
  readonly state: string | null;
  readonly since: string | null;
  readonly reason: string | null;
  readonly next_at: string | null;
  readonly tools: number;
  readonly calls: number;
  readonly failures: number;
  readonly unknown: number;
  readonly waiting: number;
  readonly in_flight: number;
  readonly p50_ms: number | null;
  readonly p99_ms: number | null;
}

export interface RouteStats {
  readonly route: string;
  /** As it is listed. */
  readonly tool: string;
  /** Why it is off; null: it is on. */
  readonly off: string | null;
  readonly providers: readonly string[];
  readonly calls: number;
  readonly answered: number;
  /** Answered by another provider than the first. */
  readonly fell_back: number;
  readonly exhausted: number;
  readonly unknown: number;
}

export interface Stats {
  readonly servers: readonly ServerStats[];
  readonly routes: readonly RouteStats[];
}

export interface Router {
  /** Calls nobody. `tool`: as it is listed. */
  score(target: { readonly route?: string; readonly tool?: string }, args?: JsonObject): Promise<Score | Unanswerable>;
  /** `tool`: as its server calls it. */
  call(
    target: { readonly server: string; readonly tool: string },
    args: JsonObject,
    request: CallRequest,
  ): Promise<RoutedAnswer | Unanswerable>;
  fallback(route: string, args: JsonObject, request: CallRequest): Promise<RoutedAnswer | Unanswerable>;
  stats(server?: string): Stats | Unanswerable;
}
