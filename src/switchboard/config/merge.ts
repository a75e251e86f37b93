// Merges the user's switchboard file and the project's into one configuration. An approved server or route of the project replaces the
// user's of the same name; a server or route that is not approved replaces nothing.

import type { SwitchboardConfig } from './config.js';
import type { JudgedServer } from './consent.js';
import type { FileOrigin } from './place.js';
import type { Route } from './routes.js';

/** A switchboard file that was read, and for each of its servers whether the user approved the server. */
export interface MergedBoard {
  readonly origin: FileOrigin;
  readonly config: SwitchboardConfig;
  readonly judged: readonly JudgedServer[];
}

export interface Merged {
  readonly servers: readonly JudgedServer[];
  readonly routes: readonly Route[];
  /** Servers of a project's file that are not approved and have the name of one of the user's own servers. */
  readonly passedOver: readonly JudgedServer[];
  /** Routes of a project's file that are not used in their current form, because no approval covers them. */
  readonly waiting: readonly WaitingRoute[];
}

export interface WaitingRoute {
  readonly file: string;
  readonly route: string;
  readonly why: string;
}

const mayWin = ({ standing }: JudgedServer): boolean => standing !== 'not_approved';

/**
 * The servers of all files, the user's own first: if two servers want the same public tool name or resource, the user's server gets it. If
 * two files have a server of the same name, the later file in `boards` wins, unless its server is not approved.
 */
const mergeServers = (boards: readonly MergedBoard[]): Pick<Merged, 'servers' | 'passedOver'> => {
  const servers = new Map<string, JudgedServer>();
  const passedOver: JudgedServer[] = [];
  for (const one of boards.flatMap(({ judged }) => judged)) {
    if (servers.has(one.asked.name) && !mayWin(one)) passedOver.push(one);
    else servers.set(one.asked.name, one);
  }
  return { servers: [...servers.values()], passedOver };
};

/** Why a route of a project's file is not used in its current form; null if the user's approvals cover the route. */
const routeFault = (
  route: Route,
  own: ReadonlyMap<string, JudgedServer>,
  taken: ReadonlySet<string>,
): string | null => {
  const named = route.providers.flatMap(({ server }) => own.get(server) ?? []);
  if (named.length === 0) return 'names no server of this file, so no approval covers it; write it into your own file';
  if (!named.some(({ standing }) => standing === 'approved')) return 'waits for approval of the servers it names';
  const open = named.find(
    ({ standing, asked }) => standing !== 'approved' && (standing !== 'not_approved' || taken.has(asked.name)),
  );
  return open === undefined ? null : `waits for approval of ${open.asked.name}`;
};

const projectRoutes = (
  { config, judged }: MergedBoard,
  taken: ReadonlySet<string>,
): Pick<Merged, 'routes' | 'waiting'> => {
  const own = new Map(judged.map((one) => [one.asked.name, one]));
  const routes = new Map<string, Route>();
  for (const { standing, routes: kept } of judged)
    if (standing === 'changed') for (const route of kept) if (!routes.has(route.name)) routes.set(route.name, route);
  const waiting: WaitingRoute[] = [];
  for (const route of config.routes) {
    const fault = routeFault(route, own, taken);
    if (fault === null && !routes.has(route.name)) routes.set(route.name, route);
    else if (fault !== null) {
      const why = routes.has(route.name) ? `${fault}; the route stays in use as it was approved` : fault;
      waiting.push({ file: config.file, route: route.name, why });
    }
  }
  return { routes: [...routes.values()], waiting };
};

/** Merges switchboard files into one configuration. Of two servers or routes with the same name, the one in the later file of `boards` wins. */
export const mergeBoards = (boards: readonly MergedBoard[]): Merged => {
  const { servers, passedOver } = mergeServers(boards);
  const taken = new Set(passedOver.map(({ asked }) => asked.name));
  const routes = new Map<string, Route>();
  const waiting: WaitingRoute[] = [];
  for (const board of boards) {
    const found =
      board.origin === 'project' ? projectRoutes(board, taken) : { routes: board.config.routes, waiting: [] };
    for (const route of found.routes) routes.set(route.name, route);
    waiting.push(...found.waiting);
  }
  return { servers, passedOver, routes: [...routes.values()], waiting };
};
