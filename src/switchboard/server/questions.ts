// Passes questions of a server to the person or model that uses the client. The server's name is put before the question, because otherwise
// the client itself would seem to ask. Each question is recorded, and only a few may be open at a time.

import type { TriedAnswer, Try } from '../../call/answer.js';
import type { Peer } from '../../call/peer.js';
import type { Cancellation } from '../../core/cancellation.js';
import { RPC } from '../../core/rpc-codes.js';
import { isObject, type JsonObject } from '../../proof/canonical-json.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { mayAsk } from '../relay/crossings.js';
import { RpcFailure } from '../relay/request.js';

/** What is recorded about a question that was passed to the client; the question's text is not recorded. */
export interface Question {
  readonly server: string;
  readonly method: string;
  /** The id of the call to which the question belongs; null if that is not known, because none or several calls were in flight. */
  readonly call: string | null;
}

export interface QuestionDeps {
  readonly server: string;
  readonly onAsked?: (question: Question) => void;
}

/** The member of a question that the client shows to a person or model. `roots/list` has none: clients answer it without asking anybody. */
const SHOWN: Readonly<Record<string, 'message' | 'systemPrompt'>> = {
  'elicitation/create': 'message',
  'sampling/createMessage': 'systemPrompt',
};

export class Questions {
  readonly #deps: QuestionDeps;
  #open = 0;
  /** How many questions were passed to clients so far. */
  asked = 0;

  constructor(deps: QuestionDeps) {
    this.#deps = deps;
  }

  /** Whether `more` further questions of the server may be open. */
  mayAsk(more: number): boolean {
    return this.#open + more <= SWITCHBOARD_LIMITS.openQuestions;
  }

  /** Records a question and returns its params with the server's name in them, as they are sent to the client. */
  put(method: string, params: JsonObject, call: string | null): JsonObject {
    const key = SHOWN[method];
    if (key === undefined) return params;
    const { server, onAsked } = this.#deps;
    onAsked?.({ server, method, call });
    const text = params[key];
    const said = typeof text === 'string' ? `\n\n${text}` : '';
    return { ...params, [key]: `The MCP server "${server}" asks:${said}` };
  }

  /** Counts a question as open until it is answered. */
  during<T>(answer: Promise<T>): Promise<T> {
    this.#open += 1;
    this.asked += 1;
    return answer.finally(() => {
      this.#open -= 1;
    });
  }
}

// Asks a client of protocol 2025-11-25 or older for the input that a server of protocol 2026-07-28 requested in its answer.

export const rpcError = (code: number, message: string, tries: readonly Try[]): TriedAnswer => ({
  kind: 'error',
  error: { code, message },
  tries,
});

/** Asks the client the questions of a server one after the other, because a person answers them. */
export const fulfil = async (
  peer: Peer,
  requests: JsonObject,
  cancellation: Cancellation | undefined,
): Promise<JsonObject> => {
  const given: Record<string, unknown> = {};
  const over = cancellation?.signal ?? new AbortController().signal;
  for (const [key, request] of Object.entries(requests)) {
    const { method, params } = isObject(request) ? request : {};
    if (typeof method !== 'string' || !mayAsk(peer, method))
      throw new RpcFailure(RPC.internal, `The server needs ${String(method)}, which the client does not support`);
    given[key] = await peer.ask(method, isObject(params) ? params : {}, over);
  }
  return given;
};

/** The answer to the client if one of the questions could not be asked or was answered with an error. */
export const failedBy = (thrown: unknown, tries: readonly Try[]): TriedAnswer => {
  const code = (thrown as { code?: unknown } | null)?.code;
  const isCode = typeof code === 'number' && Number.isInteger(code);
  return rpcError(isCode ? code : RPC.internal, thrown instanceof Error ? thrown.message : String(thrown), tries);
};
