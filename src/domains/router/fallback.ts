// router_fallback
import * as z from 'zod';
import type { HandlerExtra } from '../../call/context.js';
import type { HandedOn, InputNeeded } from '../../middleware/handed-on.js';
import { type FindRouter, isUnanswerable } from './ask.js';
import { argumentsField, nameField } from './fields.js';
import { outcomeOf } from './handed.js';

export const fallbackInput = z.strictObject({ route: nameField, arguments: argumentsField.optional() });

export const callRoute =
  (find: FindRouter) =>
  async (args: z.infer<typeof fallbackInput>, extra: HandlerExtra): Promise<HandedOn | InputNeeded> => {
    const { route, arguments: given = {} } = args;
    const handed = await (await find())?.fallback(route, given, extra.onward);
    if (handed !== undefined && !isUnanswerable(handed)) extra.note({ route: handed.route });
    return outcomeOf(handed);
  };
