// The tool router_call: calls one tool of one other server.
import * as z from 'zod';
import { arg, defineTool } from '../../call/define-tool.js';
import { countShape, textField } from '../shapes.js';
import {
  argumentsField,
  type FindRouter,
  handedShape,
  handOn,
  refusedDetails,
  serverState,
  toolNameField,
} from './ask.js';

export const routerCall = defineTool({
  name: 'router_call',
  title: 'Call a server',
  description: "Call one tool of one server by the server's own names, as refusals and router_score give them.",
  when: "To call one tool of one server by the server's own names, as refusals and `router_score` give them. The server's content follows ours in `content`.",
  effect: 'proxy',
  ofSwitchboard: true,
  input: z.strictObject({
    server: arg(toolNameField, 'The server, as the switchboard file names it.'),
    tool: arg(toolNameField.describe('as its server calls it'), 'The tool, by its name on the server.'),
    arguments: arg(argumentsField.optional(), 'The arguments for the tool.'),
  }),
  output: handedShape,
  errors: {
    INVALID_PARAMS: { when: 'there is no such server or tool, or the arguments do not fit it' },
    HANDLER_ERROR: { when: 'the server answered with a JSON-RPC error', details: refusedDetails },
    TOOL_UNAVAILABLE: {
      when: 'the server may not get calls now; nothing was sent',
      details: {
        server: textField,
        tool: textField,
        state: serverState,
        reason: textField,
        retry_after_ms: countShape.nullable(),
        alternatives: z.array(z.strictObject({ server: textField, tool: textField })),
      },
    },
    TOOL_CHANGED: { when: 'the tool is not what a person approved; nothing was sent' },
    TOOL_BUSY: { when: 'too many calls wait for it; nothing was sent' },
    TOOL_TIMEOUT: { when: 'no answer, from a tool that changes nothing' },
    APPROVAL_REQUIRED: { when: 'a person must allow the call first; nothing was sent' },
    APPROVAL_DENIED: { when: 'a person denied the call; nothing was sent' },
    OUTCOME_UNKNOWN: { when: 'no answer, from any other tool: it may have done its work' },
  },
  examples: [
    { args: { server: 'nowhere', tool: 'day_name' }, error: 'INVALID_PARAMS' },
    { args: { server: 'calendar', tool: 'day_name', arguments: { when: '1969-07-20' } } },
  ],
  inForce: async ({ server, tool }, find: FindRouter) => (await find())?.inForce({ server, tool }),
  run: ({ server, tool, arguments: given = {} }, extra, find: FindRouter) =>
    handOn(find, extra, (router) => router.call({ server, tool }, given, extra.onward)),
});
