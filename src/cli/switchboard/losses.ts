// Routes of a switchboard file that name servers which an edit takes out of it: they are off from then on.
import { dirname } from 'node:path';
import { readEnv } from '../../config.js';
import { parseSwitchboard, type SwitchboardConfig } from '../../switchboard/config/config.js';

export interface LostRoute {
  readonly route: string;
  /** Servers that it names and that are gone. */
  readonly servers: readonly string[];
}

const parsed = (file: string, text: string): SwitchboardConfig =>
  parseSwitchboard(text, { file, env: readEnv(), configDir: dirname(file) });

/** Those that named a missing server before are no news. */
export const lostRoutes = (file: string, before: string, after: string): readonly LostRoute[] => {
  const { servers, routes } = parsed(file, after);
  const kept = new Set(servers.map(({ name }) => name));
  const gone = new Set(parsed(file, before).servers.flatMap(({ name }) => (kept.has(name) ? [] : [name])));
  return routes.flatMap(({ name: route, providers }) => {
    const lost = new Set(providers.map(({ server }) => server).filter((server) => gone.has(server)));
    return lost.size === 0 ? [] : [{ route, servers: [...lost] }];
  });
};

export const lostRouteText = ({ route, servers }: LostRoute): string =>
  `route ${route} goes off: it names ${servers.join(', ')}; take that out of it, or the route`;
