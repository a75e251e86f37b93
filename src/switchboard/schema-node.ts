// Small functions for JSON Schemas of other servers: how big a schema is, which anchors it has, what a local reference points to.
import { quietly } from '../errors.js';
import type { JsonObject } from '../proof/canonical-json.js';
import { SWITCHBOARD_LIMITS } from './limits.js';

export type SchemaObject = JsonObject;

/** Says in what way a schema is too big; undefined if it is not. Stops as soon as a bound is exceeded, so that its own cost is bounded. */
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
  return quietly(() => decodeURIComponent(text)) ?? text;
};

/** JSON Schema keywords whose values are data, even if the values look like schemas. */
const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

/** The schemas of a document by their `$anchor`. The value is undefined for an anchor that occurs twice. */
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

/** The value that a local reference (`#/$defs/x`, RFC 6901) points to inside its document. */
export const pointedAt = (document: unknown, reference: string): unknown => {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  // The length of a reference is bounded, because a reference may be parsed often.
  if (reference.length > SWITCHBOARD_LIMITS.schemaRefChars) return undefined;
  let found: unknown = document;
  for (const piece of reference.split('/').slice(1)) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, unescaped(piece))) return undefined;
    found = (found as SchemaObject)[unescaped(piece)];
  }
  return found;
};
