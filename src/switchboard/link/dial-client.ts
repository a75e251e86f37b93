// Makes the MCP SDK's client, which negotiates the protocol version, subscribes to changes, and answers the server's requests. Calls and lists
// bypass this client (lane.ts).
import {
  Client,
  type JsonSchemaValidator,
  ProtocolError,
  type VersionNegotiationOptions,
} from '@modelcontextprotocol/client';
import { RPC } from '../../core/rpc-codes.js';
import type { JsonObject } from '../../proof/json-object.js';
import { isTooDeep } from './answers.js';
import type { AnswerServer, DialDeps } from './dial-deps.js';
import { withoutHopMeta } from './meta.js';

const ASKABLE: ReadonlySet<string> = new Set(['roots/list', 'sampling/createMessage', 'elicitation/create']);

/** A validator that accepts everything, because the SDK's own validator would be loaded and built for every connection. */
const NO_VALIDATOR = {
  getValidator:
    <T>(): JsonSchemaValidator<T> =>
    (data) => ({ valid: true, data: data as T, errorMessage: undefined }),
};

export const newClient = (deps: DialDeps, versionNegotiation: VersionNegotiationOptions): Client => {
  const client = new Client(deps.identity, {
    capabilities: deps.capabilities(),
    versionNegotiation,
    inputRequired: { autoFulfill: false },
    jsonSchemaValidator: NO_VALIDATOR,
  });
  answerServer(client, deps, () => () => {});
  return client;
};

/**
 * Answers the server's requests; `hold` is called at the start of each request, and the function that `hold` returns at the end. The SDK's
 * setRequestHandler is not used, because it removes members that the SDK does not know from requests and responses.
 */
export const answerServer = (client: Client, deps: DialDeps, hold: () => () => void): void => {
  client.fallbackRequestHandler = async (request, ctx) => {
    const letGo = hold();
    try {
      return await answer(deps.onServerRequest, request.method, request.params ?? {}, ctx.mcpReq.signal);
    } finally {
      letGo();
    }
  };
};

const answer = async (
  ask: AnswerServer | undefined,
  method: string,
  params: JsonObject,
  signal: AbortSignal,
): Promise<Record<string, unknown>> => {
  if (isTooDeep(params)) throw new ProtocolError(RPC.invalidParams, 'The request is nested too deeply');
  if (ASKABLE.has(method)) {
    if (ask !== undefined) return { ...(await ask(method, withoutHopMeta(params), signal)) };
    if (method === 'roots/list') return { roots: [] };
  }
  throw new ProtocolError(RPC.methodNotFound, 'Method not found');
};
