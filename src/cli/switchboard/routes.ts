// Checks the routes of a switchboard file against its servers: against the servers' entries, and the tools of servers that were started.
import type { ServerConfig, SwitchboardConfig } from '../../switchboard/config/config.js';
import type { DeclaredTool } from '../../switchboard/link/link.js';
import { checkRoute, type KnownServer } from '../../switchboard/route/check.js';
import { StoredCatalogue } from '../../switchboard/server/stored-catalogue.js';
import { isOffered } from '../../switchboard/tool-filter.js';
import { type Colour, paint, plain, say } from '../screen/print.js';

export interface CheckedRoute {
  readonly route: string;
  /** `not_applied`: the route would be on, but the switchboard file has errors. */
  readonly verdict: 'on' | 'off' | 'not_applied';
  readonly detail: string;
}

const known = (server: ServerConfig, declared: readonly DeclaredTool[] | undefined): KnownServer => ({
  isDisabled: server.disabled,
  offers: (tool) => isOffered(server.tools, tool),
  tools:
    declared === undefined
      ? null
      : new Map(new StoredCatalogue(server.name, declared).safe(server).tools.map((tool) => [tool.name, tool])),
});

/** Verdicts on the routes. `listed`: the tools of the servers that answered, by server name. */
export const checkRoutes = (
  { servers, routes, errors }: Pick<SwitchboardConfig, 'servers' | 'routes' | 'errors'>,
  listed: ReadonlyMap<string, readonly DeclaredTool[]>,
): readonly CheckedRoute[] => {
  const all = new Map(servers.map((server) => [server.name, known(server, listed.get(server.name))]));
  const good = errors.length === 0 ? 'on' : 'not_applied';
  return routes.map((route) => {
    const { fault, notes } = checkRoute(route, all);
    const unseen = route.providers.filter(({ server }) => all.get(server)?.tools === null).map(({ server }) => server);
    const said = unseen.length === 0 ? notes : [...notes, `tools not checked: ${[...new Set(unseen)].join(', ')}`];
    return { route: route.name, verdict: fault === null ? good : 'off', detail: fault ?? said.join('; ') };
  });
};

const COLOURS: Readonly<Record<CheckedRoute['verdict'], Colour>> = { on: 'green', off: 'red', not_applied: 'dim' };

export const showRoutes = (routes: readonly CheckedRoute[]): void => {
  for (const { route, verdict, detail } of routes)
    say(`  route ${plain(route)}: ${paint(COLOURS[verdict], verdict)}${detail === '' ? '' : `, ${plain(detail)}`}`);
};
