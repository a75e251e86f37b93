// A provider of a route may ask the client a question; the client then calls the route again with the answer. The `requestState` that
// the client returns names the provider that asked, because only that provider can use it and check that it is genuine.

import type { Answer } from '../../call/answer.js';
import type { Retry } from '../../call/peer.js';
import { RPC } from '../../core/rpc-codes.js';

/** A route's requestState: the index of the provider, then the provider's own requestState. */
const MARKED = /^(\d{1,3})\.(.*)$/s;

export const markInput = (reply: Answer, at: number): Answer => {
  if (reply.kind !== 'input' || typeof reply.result.requestState !== 'string') return reply;
  return { ...reply, result: { ...reply.result, requestState: `${at}.${reply.result.requestState}` } };
};

export interface Resumed {
  readonly at: number;
  readonly retry: Retry;
}

/** The provider that the client's answers go to; undefined if they name none, `invalid` if Colibri did not make the `requestState`. */
export const resumedBy = (retry: Retry | undefined): Resumed | 'invalid' | undefined => {
  if (retry?.requestState === undefined) return undefined;
  const [, at, requestState] = MARKED.exec(retry.requestState) ?? [];
  return at === undefined ? 'invalid' : { at: Number(at), retry: { ...retry, requestState } };
};

export const INVALID_STATE: Answer = {
  kind: 'error',
  error: {
    code: RPC.invalidParams,
    message: 'Invalid or expired requestState',
    data: { reason: 'invalid_request_state' },
  },
};
