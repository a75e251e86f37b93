// How the router tools reach the switchboard, and what they say when it cannot answer.

import type { Router, Unanswerable } from '../../call/routing.js';
import { ColibriError } from '../../errors.js';

/** The router, once it is there. */
export type FindRouter = () => Promise<Router | undefined>;

export const NO_SWITCHBOARD = {
  message: 'There is no switchboard, so no other server can be reached.',
  remedy: 'A person adds one with `colibri switchboard add`.',
} as const;

/** For the tools that call nobody. */
export const routerOrThrow = async (find: FindRouter): Promise<Router> => {
  const router = await find();
  if (router !== undefined) return router;
  throw new ColibriError('TOOL_UNAVAILABLE', NO_SWITCHBOARD.message, { remedy: NO_SWITCHBOARD.remedy });
};

export const isUnanswerable = (answer: object): answer is Unanswerable => Object.hasOwn(answer, 'problem');

export const unanswerable = ({ problem, details }: Unanswerable): ColibriError =>
  new ColibriError('INVALID_PARAMS', problem, details === undefined ? {} : { details });
