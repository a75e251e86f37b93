// Small questions about foreign JSON Schemas: is it an object, how big is it, where does a local reference lead.
import type { JsonObject } from '../proof/json-object.js';
import { SWITCHBOARD_LIMITS } from './limits.js';

export type SchemaObject = JsonObject;

/** Says what is too much about a value, or nothing. The depth is tested before it is entered, the count while counting. */
export const excessOf = (value: unknown): string | undefined => {
  let nodes = 0;
  const excess = (inner: unknown, depth: number): string | undefined => {
    nodes += 1;
    if (nodes > SWITCHBOARD_LIMITS.schemaNodes) return `more than ${SWITCHBOARD_LIMITS.schemaNodes} values`;
    if (typeof inner !== 'object' || inner === null) return undefined;
    if (depth >= SWITCHBOARD_LIMITS.schemaDepth) return `nested deeper than ${SWITCHBOARD_LIMITS.schemaDepth} levels`;
    for (const key in inner) {
      const found = excess((inner as SchemaObject)[key], depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return excess(value, 0);
};

const unescaped = (piece: string): string => {
  const text = piece.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Their values are data, whatever they look like. */
const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

/** By their names (`$anchor`): the schemas of a document. Undefined where a name was given twice. */
export const anchorsOf = (document: unknown): ReadonlyMap<unknown, unknown> => {
  const found = new Map<unknown, unknown>();
  const left: unknown[] = [document];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== 'object' || next === null) continue;
    const { $anchor } = next as SchemaObject;
    if (typeof $anchor === 'string') found.set($anchor, found.has($anchor) ? undefined : next);
    for (const [key, inner] of Object.entries(next)) if (!DATA.has(key)) left.push(inner);
  }
  return found;
};

/** What a local reference (`#/$defs/x`, RFC 6901) points at inside its document. */
export const pointedAt = (document: unknown, reference: string): unknown => {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  // Taken apart whenever it is asked for.
  if (reference.length > SWITCHBOARD_LIMITS.schemaRefChars) return undefined;
  let found: unknown = document;
  for (const piece of reference.split('/').slice(1)) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, unescaped(piece))) return undefined;
    found = (found as SchemaObject)[unescaped(piece)];
  }
  return found;
};
