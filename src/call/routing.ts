// The interface between the router tools and the switchboard. Types only: neither side knows how the other works.

import type { JsonObject } from '../proof/json-object.js';
import type { RouteNote } from '../proof/switchboard-records.js';
import type { RoutedAnswer } from './answer.js';
import type { CallRequest } from './request.js';

export interface RankedCandidate {
  readonly server: string;
  readonly tool: string;
  /** Null: its server does not run. */
  readonly state: string | null;
  readonly eligible: boolean;
  /** Its position in the order of attempts, from 1; null: it gets none. */
  readonly rank: number | null;
  readonly reason: string | null;
}

export interface Score {
  /** Null: the request named a tool of one server. */
  readonly route: string | null;
  readonly winner: { readonly server: string; readonly tool: string } | null;
  readonly candidates: readonly RankedCandidate[];
  /** Why the route is off; null: it is on. */
  readonly off: string | null;
  readonly note: RouteNote;
}

/** The request cannot be served because of the caller's mistake. */
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
  /** Its public name. */
  readonly tool: string;
  /** Why it is off; null: it is on. */
  readonly off: string | null;
  readonly providers: readonly string[];
  readonly calls: number;
  readonly answered: number;
  /** Calls that a provider other than the first answered. */
  readonly fell_back: number;
  readonly exhausted: number;
  readonly unknown: number;
}

export interface Stats {
  readonly servers: readonly ServerStats[];
  readonly routes: readonly RouteStats[];
}

export interface Router {
  /** Sends nothing. `tool`: the public name. */
  score(target: { readonly route?: string; readonly tool?: string }, args?: JsonObject): Promise<Score | Unanswerable>;
  /** `tool`: the server's own name for it. */
  call(
    target: { readonly server: string; readonly tool: string },
    args: JsonObject,
    request: CallRequest,
  ): Promise<RoutedAnswer | Unanswerable>;
  fallback(route: string, args: JsonObject, request: CallRequest): Promise<RoutedAnswer | Unanswerable>;
  stats(server?: string): Stats | Unanswerable;
}
