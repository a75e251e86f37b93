// Does the work of Colibri's router tools: says which provider of a route would get a call and why, calls a tool of a server or a route, and
// gives statistics.
import type { NativeResult, RefusalResult, RoutedAnswer } from '../../call/answer.js';
import type { DefinitionInForce } from '../../call/context.js';
import type { CallRequest } from '../../call/request.js';
import type { Router, RouterTarget, Score, ServerStats, Stats, Unanswerable } from '../../call/routing.js';
import { CORE_LIMITS } from '../../core/limits.js';
import { nearest } from '../../core/nearest.js';
import type { Soon } from '../../core/soon.js';
import { isObject, type JsonObject } from '../../proof/canonical-json.js';
import type { BoardRow } from '../board.js';
import type { PublicTool } from '../front/table.js';
import { mayRoute } from '../health/permits.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { shortened, type ToolPlace, toolUnavailable } from '../refusal.js';
import { isOffered } from '../tool-filter.js';
import { quoted } from './check.js';
import { callDirectly, onlyProvider } from './direct-call.js';
import { argumentsFor, type LiveServer, providerTool, type RouteWorld, viewOf } from './live-provider.js';
import { ranked } from './refusal.js';
import { type Candidate, candidatesOf, routeNote } from './route.js';
import type { Routes } from './routes.js';
import { argumentNames } from './schema.js';

export interface RouterParts extends RouteWorld {
  readonly routes: Routes;
  /** The running servers by name, in the order of the switchboard file. */
  readonly servers: () => ReadonlyMap<string, LiveServer>;
  readonly table: {
    readonly serverTools: ReadonlyMap<string, PublicTool>;
    at(place: ToolPlace): PublicTool | undefined;
  };
  /** Resolves when the servers that are starting have listed their tools, at the latest after a bounded time. */
  readonly settled: () => Promise<unknown>;
}

const NEXT = {
  next: [{ tool: 'router_stats', arguments: {} }],
  remedy: 'router_stats shows servers and routes.',
} as const;

/** Says that a name does not exist. `what`: what kind of thing it is, and the quoted name, as in `server "x"`. */
const unknown = (what: string, name: string, known: readonly string[]): Unanswerable => {
  const near = nearest(name, known);
  const hint = near === undefined ? NEXT.remedy : `Did you mean ${quoted(near)}?`;
  return { problem: `there is no ${what}. ${hint}`, details: NEXT };
};

/** Says what is wrong with a call's arguments, and which argument names the tool has. */
const badArguments = ({ problem }: Unanswerable, place: ToolPlace, schema: unknown): Unanswerable => ({
  problem,
  details: { server: place.server, tool: place.tool, ...namesIn(schema) },
});

const namesIn = (schema: unknown) => {
  const { known, required } = argumentNames(isObject(schema) ? schema : {});
  return { required: required.slice(0, CORE_LIMITS.issues), known: known?.slice(0, CORE_LIMITS.issues) ?? null };
};

/** The result of `router_score`: the ranked providers. `off`: why the route is switched off; null if it is on or if there is no route. */
const scoreOf = (candidates: readonly Candidate[], route: string | null = null, off: string | null = null): Score => {
  const winner = off === null ? candidates.find(({ eligible, rank }) => eligible && rank === 1) : undefined;
  return {
    route,
    winner: winner === undefined ? null : { server: winner.server, tool: winner.tool },
    candidates: candidates.map(ranked),
    off,
    note: routeNote(route, candidates, []),
  };
};

const statsOf = ({ noise: _noise, notes: _notes, ...row }: BoardRow): ServerStats => ({
  ...row,
  server: row.server.toWellFormed(),
  reason: row.reason && shortened(`${row.reason.code}: ${row.reason.text}`, SWITCHBOARD_LIMITS.statsReasonChars),
});

export class SwitchboardRouter implements Router {
  readonly #parts: RouterParts;

  constructor(parts: RouterParts) {
    this.#parts = parts;
  }

  async score(target: { readonly route?: string; readonly tool?: string }, args?: JsonObject) {
    const { routes, table } = this.#parts;
    const { route = target.tool ?? '', tool = '' } = target;
    if (routes.find(route) === undefined && !table.serverTools.has(tool)) await this.#parts.settled();
    const live = routes.find(route);
    if (live !== undefined) return scoreOf(routes.candidates(live, args), live.route.name, live.fault);
    if (target.route !== undefined) return this.#noRoute(target.route);
    const listed = table.serverTools.get(tool);
    if (listed !== undefined) return this.#scoreTool(listed, args);
    const known = [...table.serverTools.keys(), ...routes.all.map(({ name }) => name)];
    return unknown(`tool ${quoted(tool)} of another server`, tool, known);
  }

  #scoreTool({ server, tool }: PublicTool, args: JsonObject | undefined): Score | Unanswerable {
    const at = this.#parts.servers().get(server);
    if (at === undefined) return this.#noServer(server);
    const provider = onlyProvider({ server, tool }, at);
    const prepared = args === undefined ? undefined : argumentsFor(provider, args, this.#parts.checks);
    return scoreOf(candidatesOf([viewOf(provider, prepared)], this.#parts.nowMs()));
  }

  async call(place: ToolPlace, args: JsonObject, request: CallRequest): Promise<RoutedAnswer | Unanswerable> {
    const { checks, nowMs, seen, routes, servers } = this.#parts;
    if (!servers().get(place.server)?.backend.tools().has(place.tool)) await this.#parts.settled();
    const at = servers().get(place.server);
    if (at === undefined) return this.#noServer(place.server);
    const provider = onlyProvider(place, at);
    const alternatives = () => routes.alternativesTo(place);
    if (providerTool(provider) === undefined) return this.#noTool(place, at, alternatives());
    const checked = argumentsFor(provider, args, checks);
    if ('problem' in checked) return badArguments(checked, place, providerTool(provider)?.definition.inputSchema);
    return callDirectly({ place, at, args: checked.args, request, alternatives, seen, nowMs });
  }

  /** The refusal of a call whose tool is not offered by the configuration, does not exist, or is not known yet because its server starts. */
  #noTool(place: ToolPlace, at: LiveServer, alternatives: readonly ToolPlace[]): RoutedAnswer | Unanswerable {
    const { backend, config } = at;
    if (!isOffered(config.tools, place.tool))
      return {
        problem: `the switchboard file does not offer ${quoted(place.tool)} of ${quoted(place.server)}`,
        details: NEXT,
      };
    if (backend.catalogueDigest !== null)
      return unknown(`tool ${quoted(place.tool)} of ${quoted(place.server)}`, place.tool, [...backend.tools().keys()]);
    const candidates = candidatesOf([viewOf(onlyProvider(place, at))], this.#parts.nowMs());
    const permission = mayRoute(backend.state, this.#parts.nowMs());
    const denied = permission.may
      ? ({ reason: 'starting', text: 'its tools are not known yet', retryAfterMs: 0 } as const)
      : permission;
    const state = backend.state?.state ?? null;
    const refusal: RefusalResult = toolUnavailable({ ...place, ...denied, state, alternatives });
    return { kind: 'refused', code: 'TOOL_UNAVAILABLE', sent: false, refusal, route: routeNote(null, candidates, []) };
  }

  inForce(target: RouterTarget): Soon<DefinitionInForce | undefined> {
    const known = this.#named(target);
    if (known !== undefined) return this.#parts.inForce(known.name, known.listed);
    return this.#parts.settled().then(() => {
      const found = this.#named(target);
      return found && this.#parts.inForce(found.name, found.listed);
    });
  }

  /** The tool or route as clients get it; undefined if there is none, or none yet. */
  #named(target: RouterTarget): { readonly name: string; readonly listed: JsonObject } | undefined {
    return 'route' in target ? this.#parts.routes.find(target.route) : this.#parts.table.at(target);
  }

  async fallback(name: string, args: JsonObject, request: CallRequest): Promise<RoutedAnswer | Unanswerable> {
    const { routes } = this.#parts;
    if (routes.find(name) === undefined) await this.#parts.settled();
    const live = routes.find(name);
    if (live === undefined) return this.#noRoute(name);
    const checked = routes.check(live, args);
    if ('problem' in checked) return { ...checked, details: { route: live.route.name, ...namesIn(live.schema) } };
    return routes.call(live, checked.args as NativeResult, request);
  }

  stats(server?: string): Stats | Unanswerable {
    const { routes, servers } = this.#parts;
    const asked = server === undefined ? [...servers().values()] : [servers().get(server)];
    const rows = asked.flatMap((one) => one?.backend.snapshot() ?? []);
    if (server !== undefined && rows.length === 0) return this.#noServer(server);
    const all = routes.stats();
    const mine = all.filter(({ route }) => routes.find(route)?.providers.some((one) => one.server === server));
    return { servers: rows.map(statsOf), routes: server === undefined ? all : mine };
  }

  #noServer(name: string): Unanswerable {
    return unknown(`server ${quoted(name)}`, name, [...this.#parts.servers().keys()]);
  }

  #noRoute(name: string): Unanswerable {
    const known = this.#parts.routes.all.map(({ route }) => route.name);
    return unknown(`route ${quoted(name)}`, name, known);
  }
}
