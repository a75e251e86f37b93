// router_stats
import * as z from 'zod';
import type { RouteStats, ServerStats } from '../../call/routing.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { fitPage } from '../page.js';
import { type FindRouter, isUnanswerable, routerOrThrow, unanswerable } from './ask.js';
import { nameField } from './fields.js';

export const statsInput = z.strictObject({ server: nameField.optional() });

export interface StatsData {
  readonly servers: readonly ServerStats[];
  readonly routes: readonly RouteStats[];
  /** Servers and routes that did not fit; asked for one server they do. */
  readonly left_out: number;
}

export const readStats =
  (find: FindRouter) =>
  async ({ server }: z.infer<typeof statsInput>): Promise<StatsData> => {
    const stats = (await routerOrThrow(find)).stats(server);
    if (isUnanswerable(stats)) throw unanswerable(stats);
    const forRoutes = stats.routes.length === 0 ? 0 : DOMAIN_LIMITS.resultBytes / 2;
    const servers = fitPage(stats.servers, forRoutes).rows;
    const spent = Buffer.byteLength(JSON.stringify(servers));
    const routes = stats.routes.length === 0 ? [] : fitPage(stats.routes, spent).rows;
    const left_out = stats.servers.length - servers.length + stats.routes.length - routes.length;
    return { servers, routes, left_out };
  };
