// Finds the routes that an edit of a switchboard file switches off, because the edit removes servers that the routes name.
import { dirname } from 'node:path';
import { readEnv } from '../../config.js';
import { parseSwitchboard, type SwitchboardConfig } from '../../switchboard/config/config.js';

export interface LostRoute {
  readonly route: string;
  /** The removed servers that the route names. */
  readonly servers: readonly string[];
}

/** The switchboard file with this text, with the variables of this environment. */
export const parsedBoard = (file: string, text: string): SwitchboardConfig =>
  parseSwitchboard(text, { file, env: readEnv(), configDir: dirname(file) });

/** The routes that an edit switches off; routes that named a missing server before the edit are left out. */
export const lostRoutes = (file: string, before: string, after: string): readonly LostRoute[] => {
  const { servers, routes } = parsedBoard(file, after);
  const kept = new Set(servers.map(({ name }) => name));
  const gone = new Set(parsedBoard(file, before).servers.flatMap(({ name }) => (kept.has(name) ? [] : [name])));
  return routes.flatMap(({ name: route, providers }) => {
    const lost = new Set(providers.map(({ server }) => server).filter((server) => gone.has(server)));
    return lost.size === 0 ? [] : [{ route, servers: [...lost] }];
  });
};

export const lostRouteText = ({ route, servers }: LostRoute): string =>
  `route ${route} is switched off: it names ${servers.join(', ')}; correct or remove the route`;
