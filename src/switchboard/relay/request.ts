// A client's request, other than a tool call, that one of the other servers answers (`prompts/get`, for instance): how the request is sent
// to that server, and how the server's answer becomes the answer to the client.
import { type Answer, REFUSAL_KEY, type RefusalResult } from '../../call/answer.js';
import type { ProxiedTool } from '../../call/context.js';
import { RPC } from '../../core/rpc-codes.js';
import type { JsonObject } from '../../proof/canonical-json.js';
import { withoutOurMeta } from '../../proof/result-text.js';
import { refusalResult } from '../refusal.js';
import { withNote } from '../route/route.js';
import type { Backend } from '../server/backend.js';
import type { Directory } from '../server/directory.js';

/** The part of a server that the relay uses. */
export interface RelayedServer {
  readonly config: { readonly name: string; readonly prefix: boolean };
  readonly backend: Pick<Backend, 'ask' | 'link' | 'peers' | 'state'>;
  readonly directory: Pick<Directory, 'entries' | 'isKnown' | 'read'>;
}

export class RpcFailure extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The text in a required member of a request's params. Throws an `invalid params` error if the member is not a string. */
export const textMember = (params: JsonObject, key: string): string => {
  const value = params[key];
  if (typeof value !== 'string') throw new RpcFailure(RPC.invalidParams, `${key} must be a string`);
  return value;
};

export interface RelayTarget {
  readonly server: RelayedServer;
  /** The request's params with the server's own names instead of public names. */
  readonly params: JsonObject;
  /** What is asked for, in words: `The prompt greet`. */
  readonly what: string;
}

export const resultOf = (reply: Answer): JsonObject => {
  if (reply.kind === 'error') throw new RpcFailure(reply.error.code, reply.error.message, reply.error.data);
  if (reply.kind === 'large') return withoutOurMeta(withoutHopMembers(reply.large.whole()));
  if (reply.kind !== 'refused') return withoutOurMeta(withoutHopMembers(reply.result));
  const { code, message, details } = inWords(reply.refusal)._meta[REFUSAL_KEY].error;
  throw new RpcFailure(RPC.internal, message, { code, ...details });
};

/** A refusal whose message is its sentence: of a refused request, unlike of a refused tool, clients show the message alone. */
const inWords = (refusal: RefusalResult): RefusalResult => {
  const { error } = refusal._meta[REFUSAL_KEY];
  return refusalResult(refusal.content[0].text, { ...error, message: refusal.content[0].text });
};

const withoutHopMembers = ({ resultType: _t, ttlMs: _l, cacheScope: _c, ...result }: JsonObject): JsonObject => result;

const attempted = (target: () => RelayTarget): RelayTarget | { readonly error: RpcFailure } => {
  try {
    return target();
  } catch (thrown) {
    if (thrown instanceof RpcFailure) return { error: thrown };
    throw thrown;
  }
};

/** Makes a request look like a call of another server's tool, so that it passes the five stages of a call and is recorded. */
export const relayedTool = (method: string, target: () => RelayTarget, nowMs: () => number): ProxiedTool => ({
  isRpc: true,
  check: (args) => {
    const { _meta: _ours, ...params } = (args ?? {}) as JsonObject;
    return { args: params };
  },
  call: async (_args, request) => {
    const found = attempted(target);
    if ('error' in found) return { kind: 'error', error: found.error };
    const { server, params, what } = found;
    const { _meta: _ours, ...asked } = params;
    const place = { server: server.config.name, tool: method };
    const { state } = server.backend;
    const reply = await withNote(place, { state, nowMs: nowMs() }, server.backend.ask(method, asked, request, what));
    return reply.kind === 'refused' ? { ...reply, refusal: inWords(reply.refusal) } : reply;
  },
  refusal: () => ({}),
});
