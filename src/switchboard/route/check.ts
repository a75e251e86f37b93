// Checks a route against what is known about its servers, whenever the switchboard file or a server's tool list has changed. A route with
// a fault is switched off at once: otherwise the fault would show only when a fallback is needed. All functions are pure.

import { nearest } from '../../core/nearest.js';
import { isObject } from '../../proof/canonical-json.js';
import { PROOF_LIMITS } from '../../proof/limits.js';
import type { Provider, Route } from '../config/routes.js';
import type { SchemaObject } from '../schema-node.js';
import type { SafeTool } from '../server/stored-catalogue.js';
import { usesOf } from './arguments.js';
import { argumentNames, isKnown, type ProviderSchemas, type RouteSchema, routeSchema } from './schema.js';

/** A server's tool in the form in which it may be listed, and whether the tool is read-only. */
export type KnownTool = Pick<SafeTool, 'definition' | 'readOnly'>;

/** What is known about a server of the switchboard file. */
export interface KnownServer {
  readonly isDisabled: boolean;
  /** Whether `tools.allow` and `tools.deny` of the server let clients use the tool. */
  readonly offers: (tool: string) => boolean;
  /** The server's tools that can be used; null until its tool list was read for the first time. */
  readonly tools: ReadonlyMap<string, KnownTool> | null;
}

export interface RouteVerdict extends RouteSchema {
  /** Why the route is off; null if the route is on. */
  readonly fault: string | null;
  /** Lines about settings of the route that have no effect, although the route works. */
  readonly notes: readonly string[];
}

/** Quotes a name from a server or user for a sentence of Colibri. */
export const quoted = (text: string): string => JSON.stringify(text.slice(0, PROOF_LIMITS.nameChars).toWellFormed());

const places = ({ server, tool }: Provider): string => `${quoted(tool)} of ${quoted(server)}`;

const meant = (word: string, known: readonly string[]): string => {
  const near = nearest(word, known);
  return near === undefined ? '' : ` (did you mean ${quoted(near)}?)`;
};

type Servers = ReadonlyMap<string, KnownServer>;

const targetFault = ({ server: name, tool }: Provider, servers: Servers): string | undefined => {
  const server = servers.get(name);
  if (server === undefined) return `there is no server ${quoted(name)}${meant(name, [...servers.keys()])}`;
  if (!server.offers(tool))
    return `the switchboard file does not offer ${quoted(tool)} of ${quoted(name)} (tools.allow, tools.deny)`;
  const { tools, isDisabled } = server;
  if (isDisabled || tools === null || tools.has(tool)) return undefined;
  return `${quoted(name)} has no tool ${quoted(tool)}${meant(tool, [...tools.keys()])}`;
};

const mappedFault = (provider: Provider, own: SchemaObject, route: RouteSchema): string | undefined => {
  const target = argumentNames(own);
  const given = Object.keys(provider.arguments ?? {});
  const strange = given.find((name) => !isKnown(target, name));
  if (strange !== undefined)
    return `${places(provider)} takes no argument ${quoted(strange)}${meant(strange, target.known ?? [])}`;
  const missing = target.required.find((name) => !given.includes(name));
  if (missing !== undefined) return `${places(provider)} needs ${quoted(missing)}, which its mapping never gives`;
  const callers = argumentNames(route.schema);
  const unheard = usesOf(provider.arguments).find(({ name }) => !isKnown(callers, name));
  if (unheard === undefined) return undefined;
  return `the mapping of ${places(provider)} uses ${quoted(unheard.name)}, which callers of the route cannot give${meant(unheard.name, callers.known ?? [])}`;
};

/** What is wrong with a provider without a mapping. It gets the caller's arguments unchanged, but callers see another provider's schema. */
const plainFault = (provider: Provider, own: SchemaObject, route: RouteSchema): string | undefined => {
  const target = argumentNames(own);
  const callers = argumentNames(route.schema);
  const missing = target.required.find((name) => !isKnown(callers, name));
  if (missing !== undefined)
    return `${places(provider)} needs ${quoted(missing)}, which callers of the route cannot give; it needs a mapping`;
  const strange = callers.required.find((name) => !isKnown(target, name));
  if (strange === undefined) return undefined;
  return `${places(provider)} takes no argument ${quoted(strange)}, which callers of the route must give; it needs a mapping`;
};

const argumentFault = (route: Route, schemas: ProviderSchemas, asked: RouteSchema): string | undefined => {
  for (const [at, provider] of route.providers.entries()) {
    const own = schemas[at];
    if (own === undefined || at === asked.source) continue;
    const fault = (provider.arguments === null ? plainFault : mappedFault)(provider, own, asked);
    if (fault !== undefined) return fault;
  }
  return undefined;
};

const idleNotes = (route: Route, servers: Servers): readonly string[] =>
  route.providers
    .filter((provider) => {
      const tool = servers.get(provider.server)?.tools?.get(provider.tool);
      return provider.fallbackOnError === true && tool !== undefined && !tool.readOnly;
    })
    .map((provider) => `fallbackOnError has no effect for ${places(provider)}: it is not known to be read-only`);

const schemaOf = ({ server, tool }: Provider, servers: Servers): SchemaObject | undefined => {
  const schema = servers.get(server)?.tools?.get(tool)?.definition.inputSchema;
  return isObject(schema) ? schema : undefined;
};

export const checkRoute = (route: Route, servers: Servers): RouteVerdict => {
  const schemas = route.providers.map((provider) => schemaOf(provider, servers));
  const asked = routeSchema(route, schemas);
  const faults = route.providers.flatMap((provider) => targetFault(provider, servers) ?? []);
  const isIdle = route.providers.every(({ server }) => servers.get(server)?.isDisabled === true);
  const idle = isIdle ? 'all of its servers are disabled' : argumentFault(route, schemas, asked);
  const fault = faults.length > 0 ? [...new Set(faults)].join('; ') : idle;
  return { ...asked, fault: fault ?? null, notes: idleNotes(route, servers) };
};
