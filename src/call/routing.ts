// The interface between the router tools and the switchboard. Types only: neither side knows how the other works.

import type { Soon } from '../core/soon.js';
import type { JsonObject } from '../proof/canonical-json.js';
import type { RouteNote } from '../proof/switchboard-records.js';
import type { RoutedAnswer } from './answer.js';
import type { DefinitionInForce } from './context.js';
import type { CallRequest } from './request.js';

export interface RankedCandidate {
  readonly server: string;
  readonly tool: string;
  /** The health state of the provider's server; null if the server does not run. */
  readonly state: string | null;
  readonly eligible: boolean;
  /** The provider's position in the order of attempts, from 1; null if it does not get the call. */
  readonly rank: number | null;
  readonly reason: string | null;
}

export interface Score {
  /** The route's name; null if the request named a tool of one server. */
  readonly route: string | null;
  readonly winner: { readonly server: string; readonly tool: string } | null;
  readonly candidates: readonly RankedCandidate[];
  /** Why the route is off; null if the route is on. */
  readonly off: string | null;
  readonly note: RouteNote;
}

/** Returned if a request cannot be served because of a mistake of the caller. */
export interface Unanswerable {
  readonly problem: string;
  readonly details?: JsonObject;
}

export interface ServerStats {
  readonly server: string;
  /** The health state of the server; null if the server was removed from the configuration. */
  readonly state: string | null;
  readonly since: string | null;
  readonly reason: string | null;
  /** When the next check or dial of the server is due; null if nothing happens until a person acts. */
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

export interface RouteCounts {
  readonly calls: number;
  readonly answered: number;
  /** The number of calls that a provider other than the first answered. */
  readonly fell_back: number;
  readonly exhausted: number;
  readonly unknown: number;
}

export interface RouteStats extends RouteCounts {
  readonly route: string;
  /** The route's public name. */
  readonly tool: string;
  /** Why the route is off; null if the route is on. */
  readonly off: string | null;
  readonly providers: readonly string[];
}

export interface Stats {
  readonly servers: readonly ServerStats[];
  readonly routes: readonly RouteStats[];
}

/** A tool, by the names that its server and the switchboard file give, or a route. */
export type RouterTarget = { readonly server: string; readonly tool: string } | { readonly route: string };

export interface Router {
  /** Ranks the providers (tools of servers) that could serve a call; calls none of them. `tool`: the tool's public name. */
  score(target: { readonly route?: string; readonly tool?: string }, args?: JsonObject): Promise<Score | Unanswerable>;
  /** Calls a tool of one server. `tool`: the name that the server gives the tool. */
  call(
    target: { readonly server: string; readonly tool: string },
    args: JsonObject,
    request: CallRequest,
  ): Promise<RoutedAnswer | Unanswerable>;
  fallback(route: string, args: JsonObject, request: CallRequest): Promise<RoutedAnswer | Unanswerable>;
  /** The definition that the client was shown of the tool or route that `call` or `fallback` would serve; undefined if there is none. */
  inForce(target: RouterTarget): Soon<DefinitionInForce | undefined>;
  stats(server?: string): Stats | Unanswerable;
}
