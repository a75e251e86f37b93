// The entry of a route in `tools/list`. Pure.
import type { Route } from '../config/routes.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { shortened } from '../refusal.js';
import type { SchemaObject } from '../schema-node.js';
import type { KnownServer } from './check.js';
import type { RouteSchema } from './schema.js';

export interface ListedRoute {
  readonly name: string;
  readonly [key: string]: unknown;
}

/** The description of the tool whose schema callers of the route see, made safe and cut. */
const ownWords = (definition: SchemaObject | undefined): string =>
  typeof definition?.description === 'string'
    ? shortened(definition.description.trim(), SWITCHBOARD_LIMITS.routeToolChars)
    : '';

export interface RouteListing extends RouteSchema {
  /** The route's public name. */
  readonly name: string;
  readonly servers: ReadonlyMap<string, KnownServer>;
}

/** The route's entry. It is read-only only if every provider is: any of them may get the call. No `outputSchema`: their results differ. */
export const listedRoute = (route: Route, { name, servers, schema, source }: RouteListing): ListedRoute => {
  const toolAt = (at: number) => {
    const provider = route.providers[at];
    return provider && servers.get(provider.server)?.tools?.get(provider.tool);
  };
  const order = route.providers.map(({ server, tool }) => `${tool} of ${server}`.toWellFormed()).join(', then ');
  const words = ownWords(toolAt(source ?? 0)?.definition);
  return {
    name,
    description: `Route ${route.name}: served by the first of its providers that is healthy: ${order}.${words === '' ? '' : `\n\n${words}`}`,
    inputSchema: schema,
    annotations: {
      readOnlyHint: route.providers.every((_, at) => toolAt(at)?.readOnly === true),
      openWorldHint: true,
    },
  };
};
