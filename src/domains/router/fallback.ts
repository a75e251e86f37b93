// The tool router_fallback: calls a route, which is a list of servers (providers) that are tried one after the other where that is safe.
import * as z from 'zod';
import { arg, defineTool } from '../../call/define-tool.js';
import { countShape, textField } from '../shapes.js';
import {
  argumentsField,
  attemptShape,
  type FindRouter,
  handedShape,
  handOn,
  refusedDetails,
  toolNameField,
} from './ask.js';
import { candidateShape } from './score.js';

export const routerFallback = defineTool({
  name: 'router_fallback',
  title: 'Call a route',
  description:
    'Call a route and learn who served it: the first healthy provider, the next one only where that is safe.',
  when: "To call a route and learn who served it. The server's content follows ours in `content`.",
  effect: 'proxy',
  ofSwitchboard: true,
  input: z.strictObject({
    route: arg(toolNameField, 'The route, by its name in the switchboard file.'),
    arguments: arg(argumentsField.optional(), 'The arguments for the route.'),
  }),
  output: handedShape,
  errors: {
    INVALID_PARAMS: { when: 'there is no such route, or the arguments do not fit it' },
    HANDLER_ERROR: { when: 'a server answered with a JSON-RPC error', details: refusedDetails },
    TOOL_UNAVAILABLE: { when: 'the route is off; nothing was sent' },
    FALLBACK_CHAIN_EXHAUSTED: {
      when: 'no provider served it; it is safe to repeat',
      details: {
        route: textField,
        attempts: z.array(attemptShape),
        candidates: z.array(candidateShape),
        retry_after_ms: countShape.nullable(),
        safe_to_retry: z.literal(true),
      },
    },
    APPROVAL_REQUIRED: { when: 'a person must allow the call first; nothing was sent' },
    APPROVAL_DENIED: { when: 'a person denied the call; nothing was sent' },
    OUTCOME_UNKNOWN: { when: 'a provider gave no answer and may have done its work' },
  },
  examples: [
    { args: { route: 'date:tide' }, error: 'INVALID_PARAMS' },
    { args: { route: 'date:weekday', arguments: { date: '1969-07-20' } } },
  ],
  inForce: async ({ route }, find: FindRouter) => (await find())?.inForce({ route }),
  run: ({ route, arguments: given = {} }, extra, find: FindRouter) =>
    handOn(find, extra, (router) => router.fallback(route, given, extra.onward)),
});
