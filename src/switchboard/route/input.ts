// A provider of a route may ask the client something; the client calls the route again with the answer. The state that it brings
// back says which provider asked: nobody else can make anything of it. Whether it is genuine is for that provider to say.

import type { Answer } from '../../call/answer.js';
import type { Retry } from '../../call/peer.js';
import { RPC } from '../../core/rpc-codes.js';

/** The place of the provider, then what it gave. */
const MARKED = /^(\d{1,3})\.(.*)$/s;

export const markInput = (reply: Answer, at: number): Answer => {
  if (reply.kind !== 'input' || typeof reply.result.requestState !== 'string') return reply;
  return { ...reply, result: { ...reply.result, requestState: `${at}.${reply.result.requestState}` } };
};

export interface Resumed {
  readonly at: number;
  readonly retry: Retry;
}

/** Nothing where a call begins; `invalid` where the state is none of ours. */
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
