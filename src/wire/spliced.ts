// Writes answers whose result is partly bytes of another server: they are put into the line as they came, between the members that Colibri
// adds. The SDK and the stages of a call copy such a result like any other, because copying an object copies its symbols, too.
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { isObject, type JsonObject } from '../proof/canonical-json.js';

/** The key of a result under which the bytes of its further members are: one or more pieces of JSON text without braces and outer commas. */
export const SPLICED: unique symbol = Symbol('spliced');

type Spliced = JsonObject & { readonly [SPLICED]?: readonly Buffer[] };

const resultIn = (message: JSONRPCMessage): Spliced | undefined =>
  'result' in message && isObject(message.result) ? (message.result as Spliced) : undefined;

/** The texts and bytes that make up the line of a message whose result has spliced members; undefined for all other messages. */
export const splicedLine = (message: JSONRPCMessage): readonly (string | Buffer)[] | undefined => {
  const result = resultIn(message);
  const pieces = result?.[SPLICED];
  if (pieces === undefined) return undefined;
  const { result: _, ...frame } = message as JsonObject;
  const own = JSON.stringify(result).slice(0, -1);
  const parts: (string | Buffer)[] = [`{"result":${own}`];
  let comma = own !== '{';
  for (const piece of pieces) {
    if (comma) parts.push(',');
    parts.push(piece);
    comma = true;
  }
  return [...parts, `},${JSON.stringify(frame).slice(1)}`];
};

/** The message as a transport that knows nothing of spliced members must get it: the bytes are parsed. */
export const unspliced = (message: JSONRPCMessage): JSONRPCMessage => {
  const line = splicedLine(message);
  return line === undefined ? message : JSON.parse(line.join(''));
};
