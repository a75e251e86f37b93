// Parses one line of bytes into a JSON-RPC message, or into the reason why it is not one. Pure: no stream, no state.
//
// The parser accepts only what the SDK accepts, because the SDK drops a request that its schemas refuse without an answer. Unknown
// top-level members are left out: JSON-RPC permits them, the SDK's strict schemas do not. Error texts never quote the line: it may
// hold secrets, and the texts are logged.

import { isUtf8 } from 'node:buffer';
import type { JSONRPCErrorResponse, JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import { RPC } from '../core/rpc-codes.js';
import { isObject, type JsonObject } from '../proof/canonical-json.js';

/** The SDK's RELATED_TASK_META_KEY, as a literal so that this file does not load the SDK. */
const RELATED_TASK = 'io.modelcontextprotocol/related-task';

export interface Refusal {
  readonly code: number;
  readonly message: string;
  /** The id of the refused message; present only if it is known and valid. */
  readonly id?: RequestId;
  /** False if the message must not be answered: a notification, a response. */
  readonly answer: boolean;
}

export type MessageReading = { readonly message: JSONRPCMessage } | { readonly refusal: Refusal };

/** Whether a value is a request id. MCP narrows JSON-RPC here: a string or an integer, never null. */
export const isRequestId = (value: unknown): value is RequestId =>
  typeof value === 'string' || Number.isSafeInteger(value);

/** Makes an error response. Without an id the member is left out: MCP does not allow `"id": null`. */
export const errorResponse = (id: RequestId | undefined, code: number, message: string): JSONRPCErrorResponse => ({
  jsonrpc: '2.0',
  ...(id !== undefined && { id }),
  error: { code, message },
});

/** Parses one line into a message or a refusal; undefined for a blank line. */
export const readMessage = (line: Buffer): MessageReading | undefined => {
  if (isBlank(line)) return undefined;
  if (!isUtf8(line)) return unreadable(RPC.parseError, 'Parse error: not UTF-8');
  let value: unknown;
  try {
    value = JSON.parse(line.toString('utf8'));
  } catch {
    return unreadable(RPC.parseError, 'Parse error: not JSON');
  }
  if (Array.isArray(value)) return unreadable(RPC.invalidRequest, 'Invalid Request: batches are not supported');
  if (!isObject(value)) return unreadable(RPC.invalidRequest, 'Invalid Request: not an object');

  const members = withoutNull(value);
  const fault = faultOf(members) ?? metaFaultOf(members);
  return fault === undefined ? { message: messageOf(members) } : { refusal: refusalOf(members, fault) };
};

/** Drops `result` or `error` if it is null: in JSON-RPC 1.0 (§1.2) every response has both, and some servers still send both. */
const withoutNull = (members: JsonObject): JsonObject => {
  const { result, error } = members;
  if (result === undefined || error === undefined) return members;
  if (error === null) return { ...members, error: undefined };
  return result === null ? { ...members, result: undefined } : members;
};

/** The refusal of a line that is too long, of which only the top-level members are known. */
export const refuseTooLong = (
  scan: { id: RequestId | undefined; has: HasMember },
  lineBytes: number,
): MessageReading => ({
  refusal: {
    code: RPC.invalidRequest,
    message: `Invalid Request: longer than ${lineBytes} bytes`,
    ...(scan.id !== undefined && { id: scan.id }),
    answer: mayAnswer(scan.has),
  },
});

type HasMember = (member: string) => boolean;

/**
 * Whether a refused message may be answered, judged by its members. A notification is never answered (JSON-RPC 2.0 §4.1), and
 * neither is a response: its id is one of Colibri's, and two peers that answer each other's answers would never stop. Everything
 * else is answered, without an id if there is none (§5).
 */
const mayAnswer = (has: HasMember): boolean => (has('method') ? has('id') : !has('result') && !has('error'));

/** Whether a line holds only JSON's white space; a line holds no line feed. */
const isBlank = (line: Buffer): boolean => line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);

const unreadable = (code: number, message: string): MessageReading => ({ refusal: { code, message, answer: true } });

type Fault = readonly [code: number, message: string];

const invalid = (why: string): Fault => [RPC.invalidRequest, `Invalid Request: ${why}`];

// Why a message is not JSON-RPC. An undefined member counts as absent, because JSON has no `undefined`.
const faultOf = ({ jsonrpc, id, method, params, result, error }: JsonObject): Fault | undefined => {
  if (jsonrpc !== '2.0') return invalid('jsonrpc must be "2.0"');
  if (id !== undefined && !isRequestId(id)) return invalid('id must be a string or an integer');
  if (method !== undefined) {
    if (typeof method !== 'string') return invalid('method must be a string');
    if (params !== undefined && !isObject(params)) return invalid('params must be an object');
    return result === undefined && error === undefined ? undefined : invalid('both a request and a response');
  }
  if (result !== undefined) {
    if (error !== undefined) return invalid('both result and error');
    return id === undefined ? invalid('a result without an id') : undefined;
  }
  if (error === undefined) return invalid('no method');
  const wellFormed = isObject(error) && Number.isSafeInteger(error.code) && typeof error.message === 'string';
  return wellFormed ? undefined : invalid('error must have an integer code and a message');
};

/** Why the `_meta` of a message is malformed: checks the parts whose shape the SDK checks before any handler runs. */
const metaFaultOf = ({ params }: JsonObject): Fault | undefined => {
  const meta = (params as JsonObject | undefined)?._meta;
  if (meta === undefined) return undefined;
  if (!isObject(meta)) return [RPC.invalidParams, 'Invalid params: _meta must be an object'];
  const { progressToken, [RELATED_TASK]: task } = meta;
  if (progressToken !== undefined && !isRequestId(progressToken))
    return [RPC.invalidParams, 'Invalid params: progressToken must be a string or an integer'];
  if (task !== undefined && !(isObject(task) && typeof task.taskId === 'string'))
    return [RPC.invalidParams, 'Invalid params: the related task must have a taskId'];
  return undefined;
};

const refusalOf = (members: JsonObject, [code, message]: Fault): Refusal => ({
  code,
  message,
  ...(isRequestId(members.id) && { id: members.id }),
  // A message whose method is not a string is not a notification: JSON-RPC 2.0 §7 shows an error response to such a message.
  answer: mayAnswer((name) => (name === 'method' ? typeof members.method === 'string' : members[name] !== undefined)),
});

const messageOf = ({ id, method, params, result, error }: JsonObject): JSONRPCMessage => {
  const message: Record<string, unknown> = { jsonrpc: '2.0' };
  if (id !== undefined) message.id = id;
  if (method !== undefined) {
    message.method = method;
    if (params !== undefined) message.params = params;
  } else if (result !== undefined) message.result = result;
  else message.error = error;
  return message as JSONRPCMessage;
};
