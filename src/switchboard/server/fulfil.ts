// Asks a client of the old era for all that the answer of a server of the new era wants to know.

import type { TriedAnswer, Try } from '../../call/answer.js';
import type { Peer } from '../../call/peer.js';
import type { Cancellation } from '../../core/cancellation.js';
import { RPC } from '../../core/rpc-codes.js';
import { isObject, type JsonObject } from '../../proof/json-object.js';
import { mayAsk } from '../relay/crossings.js';

export const rpcError = (code: number, message: string, tries: readonly Try[] = []): TriedAnswer => ({
  kind: 'error',
  error: { code, message },
  tries,
});

export type Fulfilled = { readonly given: JsonObject } | { readonly refused: TriedAnswer };

/** One after the other: a person answers. */
export const fulfil = async (
  peer: Peer,
  requests: JsonObject,
  cancellation: Cancellation | undefined,
): Promise<Fulfilled> => {
  const given: Record<string, unknown> = {};
  const over = cancellation?.signal ?? new AbortController().signal;
  for (const [key, request] of Object.entries(requests)) {
    const { method, params } = isObject(request) ? request : {};
    if (typeof method !== 'string' || !mayAsk(peer, method))
      return { refused: rpcError(RPC.internal, `The server needs ${String(method)}, which the client does not do`) };
    try {
      given[key] = await peer.ask(method, isObject(params) ? params : {}, over);
    } catch (thrown) {
      return { refused: rpcError(codeOf(thrown), thrown instanceof Error ? thrown.message : String(thrown)) };
    }
  }
  return { given };
};

const codeOf = (thrown: unknown): number => {
  const code = (thrown as { code?: unknown } | null)?.code;
  return typeof code === 'number' && Number.isInteger(code) ? code : RPC.internal;
};
