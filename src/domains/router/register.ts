// The four router tools as clients see them. Listed only while there is a switchboard.
import type { ColibriServerContext } from '../../call/context.js';
import { registerColibriTool } from '../../call/registry.js';
import type { FindRouter } from './ask.js';
import { callInput, callTool } from './call.js';
import { callRoute, fallbackInput } from './fallback.js';
import { scoreInput, scoreTarget } from './score.js';
import { readStats, statsInput } from './stats.js';

const READS = { readOnlyHint: true, openWorldHint: false } as const;
/** Whatever the tools of other servers may do. */
const CALLS = { readOnlyHint: false, destructiveHint: true, openWorldHint: true } as const;

export const registerRouterTools = (ctx: ColibriServerContext): void => {
  const find: FindRouter = async () => ctx.switchboard?.router();
  const common = { errorPattern: 'A', isListed: () => ctx.switchboard?.isThere === true } as const;
  // States live in memory: a snapshot of the store would be of no use.
  const reads = { ...common, effect: 'read', ownSnapshots: true, annotations: READS } as const;
  const calls = { ...common, effect: 'proxy', annotations: CALLS } as const;
  registerColibriTool(
    ctx,
    'router_score',
    {
      ...reads,
      title: 'Explain routing',
      description: 'See which server would get a call of a route or tool, and why the others would not. Calls nobody.',
      inputSchema: scoreInput,
    },
    scoreTarget(find),
  );
  registerColibriTool(
    ctx,
    'router_call',
    {
      ...calls,
      title: 'Call a server',
      description: "Call one tool of one server by the server's own names, as refusals and router_score give them.",
      inputSchema: callInput,
    },
    callTool(find),
  );
  registerColibriTool(
    ctx,
    'router_fallback',
    {
      ...calls,
      title: 'Call a route',
      description:
        'Call a route and learn who served it: the first healthy provider, the next one only where that is safe.',
      inputSchema: fallbackInput,
    },
    callRoute(find),
  );
  registerColibriTool(
    ctx,
    'router_stats',
    {
      ...reads,
      title: 'Servers and routes',
      description: 'See other servers and routes: state, reason, calls, failures, times. Use it after a refusal.',
      inputSchema: statsInput,
    },
    readStats(find),
  );
};
