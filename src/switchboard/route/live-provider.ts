// A provider of a route together with its running server: the server's state, the tool's schema, and the arguments that a call would give it.
import type { CheckedArguments, DefinitionInForce } from '../../call/context.js';
import { isObject, type JsonObject } from '../../proof/canonical-json.js';
import { INTERACTION_KEY } from '../approval/need.js';
import type { Provider } from '../config/routes.js';
import type { SchemaObject } from '../schema-node.js';
import type { Served } from '../server/backend.js';
import type { SafeTool } from '../server/stored-catalogue.js';
import type { BackendConfig } from '../server/world.js';
import { mapArguments } from './arguments.js';
import type { ArgumentChecks } from './direct-call.js';
import type { Obstacle, ProviderView } from './route.js';

export interface LiveServer {
  readonly config: BackendConfig;
  readonly backend: Served;
}

/** What calls of routes and of servers' tools need from the switchboard. */
export interface RouteWorld {
  readonly checks: ArgumentChecks;
  readonly nowMs: () => number;
  /** Called with the URIs of resources that a result of a server links to: from now on requests for these URIs go to that server. */
  readonly seen: (server: string, uris: readonly string[]) => void;
  /** The definition of a tool or route that the client was shown. `current`: as it would be listed now. */
  readonly inForce: (name: string, current: JsonObject) => DefinitionInForce | undefined;
}

export interface LiveProvider extends Provider {
  /** The provider's running server; undefined if the server is disabled. */
  readonly at: LiveServer | undefined;
}

/** Whether the client is told to ask a person by itself before it calls a tool. */
export const isAskedByClient = (at: LiveServer | undefined, tool: string): boolean =>
  at?.config.ask.quorum === null && at.config.ask.via.includes('client') && at.backend.asks(tool);

/** A definition that says that a person must be asked. */
export const markedForClient = (definition: JsonObject): JsonObject => ({
  ...definition,
  _meta: { ...(isObject(definition._meta) ? definition._meta : {}), [INTERACTION_KEY]: true },
});

const ANYTHING: SchemaObject = { type: 'object' };

export const providerTool = ({ at, tool }: Pick<LiveProvider, 'at' | 'tool'>): SafeTool | undefined =>
  at?.backend.tools().get(tool);

/** The arguments that the provider would get, checked against its schema if the schema is known. */
export const argumentsFor = (provider: LiveProvider, args: JsonObject, checks: ArgumentChecks): CheckedArguments => {
  const schema = providerTool(provider)?.definition.inputSchema as SchemaObject | undefined;
  const validate = schema === undefined ? 'off' : (provider.at?.config.validate ?? 'off');
  return checks.check(mapArguments(provider.arguments, args), { schema: schema ?? ANYTHING, validate });
};

const obstacleTo = (provider: LiveProvider, prepared: CheckedArguments | undefined): Obstacle | null => {
  const { at } = provider;
  if (at === undefined) return { reason: 'disabled', text: 'its server is disabled' };
  if (at.backend.catalogueDigest !== null && providerTool(provider) === undefined)
    return { reason: 'not_found', text: 'its server has no such tool' };
  if (at.backend.heldChange(provider.tool) !== undefined)
    return { reason: 'tool_changed', text: 'the tool changed since it was approved, and waits for a person' };
  return prepared !== undefined && 'problem' in prepared ? { reason: 'arguments', text: prepared.problem } : null;
};

/** What must be known about a provider to choose one. `prepared`: the call's arguments for this provider, if there is a call. */
export const viewOf = (provider: LiveProvider, prepared?: CheckedArguments): ProviderView => ({
  server: provider.server,
  tool: provider.tool,
  state: provider.at?.backend.state ?? null,
  obstacle: obstacleTo(provider, prepared),
});
