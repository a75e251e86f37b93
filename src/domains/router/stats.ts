// The tool router_stats: returns the state and the counters of other servers and of routes.
import * as z from 'zod';
import { arg, defineTool } from '../../call/define-tool.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { fitPage } from '../page.js';
import { countShape, textField, time } from '../shapes.js';
import { type FindRouter, isUnanswerable, routerOrThrow, serverState, toolNameField, unanswerable } from './ask.js';

const serverStats = z.strictObject({
  server: textField,
  state: serverState,
  since: time.nullable(),
  reason: textField.nullable(),
  next_at: time.nullable().describe('When the server is tried or checked next.'),
  tools: countShape,
  calls: countShape,
  failures: countShape,
  unknown: countShape.describe('Calls whose outcome is not known.'),
  waiting: countShape,
  in_flight: countShape,
  p50_ms: countShape.nullable(),
  p99_ms: countShape.nullable(),
});

const routeStats = z.strictObject({
  route: textField,
  tool: textField.describe('As it is listed.'),
  off: textField.nullable(),
  providers: z.array(textField),
  calls: countShape,
  answered: countShape,
  fell_back: countShape.describe('Calls that another provider than the first one answered.'),
  exhausted: countShape,
  unknown: countShape,
});

export const routerStats = defineTool({
  name: 'router_stats',
  title: 'Servers and routes',
  description: 'See other servers and routes: state, reason, calls, failures, times. Use it after a refusal.',
  when: 'After a refusal, to see the state of the other servers and of the routes.',
  effect: 'read',
  ofSwitchboard: true,
  ownSnapshots: true, // server health is in memory, so this tool needs no snapshot of the store
  input: z.strictObject({
    server: arg(toolNameField.optional(), 'The server to report on, with its routes; all servers by default.'),
  }),
  output: z.strictObject({
    servers: z.array(serverStats),
    routes: z.array(routeStats),
    left_out: countShape.describe('How many servers and routes did not fit into the result.'),
  }),
  errors: { INVALID_PARAMS: { when: 'there is no such server' } },
  examples: [{ args: { server: 'nowhere' }, error: 'INVALID_PARAMS' }, { args: { server: 'calendar' } }],
  run: async ({ server }, _extra, find: FindRouter) => {
    const stats = (await routerOrThrow(find)).stats(server);
    if (isUnanswerable(stats)) throw unanswerable(stats);
    const forRoutes = stats.routes.length === 0 ? 0 : DOMAIN_LIMITS.resultBytes / 2;
    const servers = fitPage(stats.servers, forRoutes).rows;
    const spent = Buffer.byteLength(JSON.stringify(servers));
    const routes = stats.routes.length === 0 ? [] : fitPage(stats.routes, spent).rows;
    const left_out = stats.servers.length - servers.length + stats.routes.length - routes.length;
    return { servers, routes, left_out };
  },
});
