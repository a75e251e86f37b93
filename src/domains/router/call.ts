// router_call
import * as z from 'zod';
import type { HandlerExtra } from '../../call/context.js';
import type { HandedOn, InputNeeded } from '../../middleware/handed-on.js';
import { type FindRouter, isUnanswerable } from './ask.js';
import { argumentsField, nameField } from './fields.js';
import { outcomeOf } from './handed.js';

export const callInput = z.strictObject({
  server: nameField,
  tool: nameField.describe('as its server calls it'),
  arguments: argumentsField.optional(),
});

export const callTool =
  (find: FindRouter) =>
  async (args: z.infer<typeof callInput>, extra: HandlerExtra): Promise<HandedOn | InputNeeded> => {
    const { server, tool, arguments: given = {} } = args;
    const handed = await (await find())?.call({ server, tool }, given, extra.onward);
    if (handed !== undefined && !isUnanswerable(handed)) extra.note({ route: handed.route });
    return outcomeOf(handed);
  };
