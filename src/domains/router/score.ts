// router_score
import * as z from 'zod';
import type { HandlerExtra } from '../../call/context.js';
import type { RankedCandidate } from '../../call/routing.js';
import { fitPage } from '../page.js';
import { type FindRouter, isUnanswerable, routerOrThrow, unanswerable } from './ask.js';
import { argumentsField, nameField } from './fields.js';

export const scoreInput = z
  .strictObject({
    route: nameField.optional(),
    tool: nameField.optional().describe('as it is listed'),
    arguments: argumentsField.optional(),
  })
  .refine(({ route, tool }) => (route === undefined) !== (tool === undefined), {
    error: 'give either route or tool',
  });

export interface ScoreData {
  readonly route: string | null;
  readonly winner: { readonly server: string; readonly tool: string } | null;
  readonly candidates: readonly RankedCandidate[];
  /** Why the route is off; null: it is on. */
  readonly off: string | null;
}

export const scoreTarget =
  (find: FindRouter) =>
  async ({ route, tool, arguments: given }: z.infer<typeof scoreInput>, extra: HandlerExtra): Promise<ScoreData> => {
    const router = await routerOrThrow(find);
    const target = { ...(route !== undefined && { route }), ...(tool !== undefined && { tool }) };
    const score = await router.score(target, given);
    if (isUnanswerable(score)) throw unanswerable(score);
    const { note, candidates, ...rest } = score;
    extra.note({ route: note });
    return { ...rest, candidates: fitPage(candidates).rows };
  };
