// The routes of a file held against what is known of its servers: the file alone, or the tools they listed when they were
// started.
import type { ServerConfig, SwitchboardConfig } from '../switchboard/config.js';
import type { DeclaredTool } from '../switchboard/link.js';
import { checkRoute, type KnownServer } from '../switchboard/route-check.js';
import { StoredCatalogue } from '../switchboard/stored-catalogue.js';
import { isOffered } from '../switchboard/tool-filter.js';
import { paint, plain, say } from './print.js';

export interface CheckedRoute {
  readonly route: string;
  readonly verdict: 'on' | 'off';
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

/** `listed`: by server, of those that answered. */
export const checkRoutes = (
  { servers, routes }: SwitchboardConfig,
  listed: ReadonlyMap<string, readonly DeclaredTool[]>,
): readonly CheckedRoute[] => {
  const all = new Map(servers.map((server) => [server.name, known(server, listed.get(server.name))]));
  return routes.map((route) => {
    const { fault, notes } = checkRoute(route, all);
    const unseen = route.providers.filter(({ server }) => all.get(server)?.tools === null).map(({ server }) => server);
    const said = unseen.length === 0 ? notes : [...notes, `tools not looked at: ${[...new Set(unseen)].join(', ')}`];
    return { route: route.name, verdict: fault === null ? 'on' : 'off', detail: fault ?? said.join('; ') };
  });
};

export const showRoutes = (routes: readonly CheckedRoute[]): void => {
  for (const { route, verdict, detail } of routes)
    say(
      `  route ${plain(route)}: ${paint(verdict === 'on' ? 'green' : 'red', verdict)}${detail === '' ? '' : `, ${plain(detail)}`}`,
    );
};
