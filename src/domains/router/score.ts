// The tool router_score: tells which server would get a call, and why. The tool calls no server.
import * as z from 'zod';
import { arg, defineTool } from '../../call/define-tool.js';
import { fitPage } from '../page.js';
import { flagField, from1, textField } from '../shapes.js';
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
    state: serverState.describe('The state of the server; null if there is no such server.'),
    eligible: flagField.describe('Whether the server may get the call now.'),
    rank: from1
      .nullable()
      .describe('The place in the order in which servers are tried; null if this one is not tried.'),
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
        'The arguments of the call: `candidates` says which tools do not accept them.',
      ),
    })
    .refine(({ route, tool }) => (route === undefined) !== (tool === undefined), {
      error: 'give either route or tool',
    }),
  output: z.strictObject({
    route: textField.nullable().describe('The name of the route; null if the question was about a tool.'),
    winner: z
      .strictObject({ server: textField, tool: textField })
      .nullable()
      .describe('The server and tool that would get the call now.'),
    candidates: z.array(candidateShape),
    off: textField.nullable().describe('Why the route is switched off; null if it is on.'),
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
