// The tools that call no server: router_score tells which server would get a call, and why; router_stats returns the state and the counters
// of other servers and of routes.
import * as z from 'zod';
import { arg, defineTool } from '../../call/define-tool.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { fitPage } from '../page.js';
import { countShape, flagField, from1, textField, time } from '../shapes.js';
import {
  argumentsField,
  type FindRouter,
  isUnanswerable,
  routerOrThrow,
  serverState,
  toolNameField,
  unanswerable,
} from './ask.js';

export const candidateShape = z
  .strictObject({
    server: textField,
    tool: textField,
    state: serverState.describe('Null: its server is not there.'),
    eligible: flagField.describe('Whether it may get the call now.'),
    rank: from1.nullable().describe('When its turn comes; null: it does not.'),
    reason: textField.nullable(),
  })
  .meta({ named: 'Candidate' });

export const routerScore = defineTool({
  name: 'router_score',
  title: 'Explain routing',
  description: 'See which server would get a call of a route or tool, and why the others would not. Calls nobody.',
  when: 'To learn which server would get a call, and why the others would not. It calls nobody. Either `route` or `tool`.',
  effect: 'read',
  ofSwitchboard: true,
  ownSnapshots: true, // server health is in memory, so this tool needs no snapshot of the store
  input: z
    .strictObject({
      route: arg(toolNameField.optional(), 'A route of the switchboard file, by its name there.'),
      tool: arg(toolNameField.optional().describe('as it is listed'), 'A tool of another server, as it is listed.'),
      arguments: arg(
        argumentsField.optional(),
        'What it would be called with: candidates that do not take it are told so.',
      ),
    })
    .refine(({ route, tool }) => (route === undefined) !== (tool === undefined), {
      error: 'give either route or tool',
    }),
  output: z.strictObject({
    route: textField.nullable().describe('Null: the question was for a tool.'),
    winner: z.strictObject({ server: textField, tool: textField }).nullable().describe('Who would get the call now.'),
    candidates: z.array(candidateShape),
    off: textField.nullable().describe('Why the route is off; null: it is on.'),
  }),
  errors: { INVALID_PARAMS: { when: 'there is no such route or tool' } },
  examples: [{ args: { tool: 'nowhere__weekday' }, error: 'INVALID_PARAMS' }, { args: { route: 'date:weekday' } }],
  run: async ({ route, tool, arguments: given }, extra, find: FindRouter) => {
    const router = await routerOrThrow(find);
    const target = { ...(route !== undefined && { route }), ...(tool !== undefined && { tool }) };
    const score = await router.score(target, given);
    if (isUnanswerable(score)) throw unanswerable(score);
    const { note, candidates, ...rest } = score;
    extra.note({ route: note });
    return { ...rest, candidates: fitPage(candidates).rows };
  },
});

const serverStats = z.strictObject({
  server: textField,
  state: serverState,
  since: time.nullable(),
  reason: textField.nullable(),
  next_at: time.nullable().describe('When it is tried or checked next.'),
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
  fell_back: countShape.describe('Answered by another provider than the first.'),
  exhausted: countShape,
  unknown: countShape,
});

export const routerStats = defineTool({
  name: 'router_stats',
  title: 'Servers and routes',
  description: 'See other servers and routes: state, reason, calls, failures, times. Use it after a refusal.',
  when: 'After a refusal, to see how the other servers and the routes are.',
  effect: 'read',
  ofSwitchboard: true,
  ownSnapshots: true, // server health is in memory, so this tool needs no snapshot of the store
  input: z.strictObject({ server: arg(toolNameField.optional(), 'One server and its routes; default all.') }),
  output: z.strictObject({
    servers: z.array(serverStats),
    routes: z.array(routeStats),
    left_out: countShape.describe('Servers and routes that did not fit.'),
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
