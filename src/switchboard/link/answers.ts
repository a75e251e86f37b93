// Turns a server's response into the end of a request that Colibri sent. A response that could not be passed on becomes an error here, before
// the call is recorded, because the record says what the caller got.
import type { JSONRPCResponse } from '@modelcontextprotocol/client';
import { RPC } from '../../core/rpc-codes.js';
import { isDeeperThan, isObject } from '../../proof/json-object.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { LinkEnd } from './link.js';

/** The end of a request with the JSON-RPC error "internal error" (JSON-RPC 2.0 §5.1). */
const asError = (message: string): LinkEnd => ({ how: 'response', error: { code: RPC.internal, message } });

const NO_RESULT = asError('The server answered with a result that is not an object');
const TOO_DEEP = asError(
  `The server's answer was nested deeper than ${SWITCHBOARD_LIMITS.answerDepth} levels and was dropped. The call may have done its work`,
);

export const isTooDeep = (value: unknown): boolean => isDeeperThan(value, SWITCHBOARD_LIMITS.answerDepth);

export const responseOf = (message: JSONRPCResponse): LinkEnd => {
  if (isTooDeep(message)) return TOO_DEEP;
  if ('error' in message) return { how: 'response', error: message.error };
  // In MCP, unlike in JSON-RPC, a result is always an object.
  return isObject(message.result) ? { how: 'response', result: message.result } : NO_RESULT;
};
