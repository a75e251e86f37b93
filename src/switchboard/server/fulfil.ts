// Asks a client of protocol 2025-11-25 or older for the input that a server of protocol 2026-07-28 requested in its answer.

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

/** Asks the client one question at a time, because a person answers them. */
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
      return {
        refused: rpcError(RPC.internal, `The server needs ${String(method)}, which the client does not support`),
      };
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
