// Keeps the routes of the switchboard file: checks, names, lists and calls them. The routes are rebuilt when the file or a server's tool list
// has changed.

import type { NativeResult, RoutedAnswer } from '../../call/answer.js';
import type { CheckedArguments, ProxiedTool } from '../../call/context.js';
import type { CallRequest } from '../../call/request.js';
import type { RouteCounts, RouteStats } from '../../call/routing.js';
import type { LogLevel } from '../../config.js';
import { isObject } from '../../proof/canonical-json.js';
import type { SwitchboardConfig } from '../config/config.js';
import type { Route } from '../config/routes.js';
import { routeNames } from '../names.js';
import { refusingAs, type ToolPlace } from '../refusal.js';
import { isOffered } from '../tool-filter.js';
import { type RouteEnd, runRoute } from './chain.js';
import { checkRoute, type KnownServer, type RouteVerdict } from './check.js';
import {
  argumentsFor,
  isAskedByClient,
  type LiveProvider,
  type LiveServer,
  markedForClient,
  type RouteWorld,
  viewOf,
} from './live-provider.js';
import { routeOff } from './refusal.js';
import { candidatesOf, routeNote } from './route.js';
import { type ListedRoute, listedRoute } from './schema.js';

export interface RoutesDeps extends RouteWorld {
  readonly log: (level: LogLevel, text: string) => void;
}

export interface RunningServers {
  readonly config: SwitchboardConfig;
  readonly servers: ReadonlyMap<string, LiveServer>;
  /** The names of Colibri's own tools. */
  readonly own: readonly string[];
}

export interface LiveRoute extends RouteVerdict {
  readonly route: Route;
  readonly name: string;
  readonly providers: readonly LiveProvider[];
  readonly listed: ListedRoute;
}

type Counts = { -readonly [K in keyof RouteCounts]: number };

const count = (counts: Counts, { answer, isFallback }: RouteEnd): void => {
  counts.calls += 1;
  if (answer.kind !== 'refused') {
    counts.answered += 1;
    if (isFallback) counts.fell_back += 1;
  } else if (answer.code === 'FALLBACK_CHAIN_EXHAUSTED') counts.exhausted += 1;
  else if (answer.code === 'OUTCOME_UNKNOWN') counts.unknown += 1;
};

/** The values that the routes are made from. A change always gives new objects, so it is enough to compare these values by identity. */
const basisOf = ({ config, servers, own }: RunningServers): readonly unknown[] => [
  config,
  servers,
  own.join('\n'),
  ...[...servers.values()].map(({ backend }) => backend.tools()),
];

const knownServers = ({ config, servers }: RunningServers): ReadonlyMap<string, KnownServer> =>
  new Map(
    config.servers.map((server) => {
      const backend = servers.get(server.name)?.backend;
      const tools = backend !== undefined && backend.catalogueDigest !== null ? backend.tools() : null;
      return [server.name, { isDisabled: server.disabled, offers: (tool) => isOffered(server.tools, tool), tools }];
    }),
  );

export class Routes {
  readonly #deps: RoutesDeps;
  /** The routes in the order of the switchboard file. */
  #routes: readonly LiveRoute[] = [];
  readonly #counts = new Map<string, Counts>();
  #notes: readonly string[] = [];
  /** The values that the current routes were made from, to notice changes. */
  #basis: readonly unknown[] = [];

  constructor(deps: RoutesDeps) {
    this.#deps = deps;
  }

  /** Rebuilds the routes if the configuration or a tool list has changed. A changed health state needs no rebuild: each call reads the states. */
  look(running: RunningServers): void {
    const basis = basisOf(running);
    const isSame = basis.length === this.#basis.length && basis.every((part, at) => part === this.#basis[at]);
    this.#basis = basis;
    if (!isSame) this.#make(running);
  }

  #make(running: RunningServers): void {
    const { routes } = running.config;
    const names = routeNames(
      routes.map(({ name }) => name),
      running.own,
    );
    const known = routes.length === 0 ? new Map() : knownServers(running);
    this.#routes = routes.map((route) => {
      const name = names.get(route.name)?.name ?? route.name;
      const verdict = checkRoute(route, known);
      const providers = route.providers.map((provider) => ({ ...provider, at: running.servers.get(provider.server) }));
      const plain = listedRoute(route, { ...verdict, name, servers: known });
      const asksItself = providers.some(({ at, tool }) => isAskedByClient(at, tool));
      const listed = asksItself ? { ...plain, ...markedForClient(plain), name } : plain;
      return { ...verdict, route, name, providers, listed };
    });
    const renamed = [...names].flatMap(([route, { name, why }]) =>
      why === undefined
        ? []
        : [`route ${route}: its name was ${why === 'cut' ? 'too long' : 'taken'}; listed as ${name}`],
    );
    this.#tell([...renamed, ...this.#routes.flatMap(notesOf)]);
  }

  /** Logs those notes about routes that were not logged before. */
  #tell(notes: readonly string[]): void {
    for (const note of notes) if (!this.#notes.includes(note)) this.#deps.log('warn', note);
    this.#notes = notes;
  }

  /** Notes for the user: routes that are off or renamed, settings without effect. */
  get notes(): readonly string[] {
    return this.#notes;
  }

  get all(): readonly LiveRoute[] {
    return this.#routes;
  }

  /** The route with this name in the switchboard file, or with this public name. */
  find(name: string): LiveRoute | undefined {
    return this.#routes.find(({ route }) => route.name === name) ?? this.#routes.find((route) => route.name === name);
  }

  /** The routes that are on, except those whose servers are all hidden from `tools/list`. */
  listed(isHidden: (server: string) => boolean): readonly ListedRoute[] {
    return this.#routes
      .filter(({ fault, providers }) => fault === null && !providers.every(({ server }) => isHidden(server)))
      .map(({ listed }) => listed);
  }

  /** All routes as callable tools by public name. A route that is off is among them, so that its callers are told why it is off. */
  tools(): readonly (readonly [string, ProxiedTool])[] {
    return this.#routes.map((route) => [route.name, this.#tool(route)]);
  }

  #tool(route: LiveRoute): ProxiedTool {
    return {
      inForce: () => this.#deps.inForce(route.name, route.listed),
      check: (args) => this.check(route, args),
      call: (args, request) => this.call(route, args, request),
      refusal: refusingAs({ route: route.route.name }),
    };
  }

  /** Checks that a call's arguments fit the route and at least one of its providers, before any server's state is read. */
  check(route: LiveRoute, args: unknown): CheckedArguments {
    if (route.fault !== null) return { args: isObject(args) ? args : {} };
    const { schema, source, providers } = route;
    const validate = providers[source ?? 0]?.at?.config.validate ?? 'repair';
    const checked = this.#deps.checks.check(args, { schema, validate });
    if ('problem' in checked) return checked;
    const prepared = this.#prepare(route, checked.args);
    const first = prepared[0];
    return first !== undefined && prepared.every((one) => 'problem' in one) ? first : checked;
  }

  #prepare({ providers }: LiveRoute, args: NativeResult): readonly CheckedArguments[] {
    return providers.map((provider) => argumentsFor(provider, args, this.#deps.checks));
  }

  async call(live: LiveRoute, args: NativeResult, request: CallRequest): Promise<RoutedAnswer> {
    const { providers, fault, route } = live;
    if (fault !== null) {
      const refusal = routeOff(route.name, fault);
      const note = routeNote(route.name, this.candidates(live), []);
      return { kind: 'refused', code: 'TOOL_UNAVAILABLE', sent: false, refusal, route: note };
    }
    const prepared = this.#prepare(live, args);
    const ended = await runRoute({ route: route.name, providers, prepared, request }, this.#deps);
    if (!request.cancellation.aborted) count(this.#countsOf(route.name), ended);
    return ended.answer;
  }

  /** The route's providers in order, with their ranks for a call now; if arguments are given, for a call with these arguments. */
  candidates(live: LiveRoute, args?: NativeResult) {
    const prepared = args === undefined ? [] : this.#prepare(live, args);
    return candidatesOf(
      live.providers.map((provider, at) => viewOf(provider, prepared[at])),
      this.#deps.nowMs(),
    );
  }

  /** Other tools that could serve instead of a tool: providers that may get calls now, in routes that are on and have the tool as a provider. */
  alternativesTo({ server, tool }: ToolPlace): readonly ToolPlace[] {
    const isThis = (place: ToolPlace): boolean => place.server === server && place.tool === tool;
    const others = this.#routes
      .filter(({ fault, providers }) => fault === null && providers.some(isThis))
      .flatMap(({ providers }) => providers.filter((provider) => !isThis(provider)));
    const standing = candidatesOf(
      others.map((provider) => viewOf(provider)),
      this.#deps.nowMs(),
    );
    const eligible = standing.filter((candidate) => candidate.eligible);
    const byName = new Map(eligible.map((one) => [JSON.stringify([one.server, one.tool]), one]));
    return [...byName.values()].map((one) => ({ server: one.server, tool: one.tool }));
  }

  #countsOf(route: string): Counts {
    const known = this.#counts.get(route) ?? { calls: 0, answered: 0, fell_back: 0, exhausted: 0, unknown: 0 };
    this.#counts.set(route, known);
    return known;
  }

  stats(): readonly RouteStats[] {
    return this.#routes.map(({ route, name, fault, providers }) => ({
      route: route.name,
      tool: name,
      off: fault,
      providers: providers.map(({ server, tool }) => `${server}/${tool}`.toWellFormed()),
      ...this.#countsOf(route.name),
    }));
  }
}

const notesOf = ({ route, fault, notes }: LiveRoute): readonly string[] => [
  ...(fault === null ? [] : [`route ${route.name} is off: ${fault}`]),
  ...notes.map((note) => `route ${route.name}: ${note}`),
];
