// Which text of a result is digested (docs/audit-format.md, "Digests of arguments and results"). The process that answers and
// whoever checks a receipt use the same functions.

import { canonicalJson } from './canonical-json.js';
import { isObject, type JsonObject } from './json-object.js';

/** Each hop of the protocol writes these for itself. */
const HOP_MEMBERS = ['resultType', 'ttlMs', 'cacheScope'];
const HOP_META = /^io\.modelcontextprotocol\//;

const isHopMeta = (key: string): boolean => key === 'progressToken' || HOP_META.test(key);

/** `_meta` without the keys of one hop; nothing where nothing is left. */
export const metaWithoutHop = (meta: unknown): JsonObject | undefined => {
  if (!isObject(meta)) return undefined;
  const kept = Object.entries(meta).filter(([key]) => !isHopMeta(key));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
};

/** The same object where there is nothing to take off. An empty `_meta` says nothing and goes too. */
export const withoutHop = (result: JsonObject): JsonObject => {
  if (result._meta === undefined && !HOP_MEMBERS.some((key) => Object.hasOwn(result, key))) return result;
  const { _meta, ...members } = result;
  const meta = metaWithoutHop(_meta);
  const kept = Object.fromEntries(Object.entries(members).filter(([key]) => !HOP_MEMBERS.includes(key)));
  return meta === undefined ? kept : { ...kept, _meta: meta };
};

export interface Written {
  readonly text: string;
  readonly form?: 'json';
}

/** RFC 8785 where there is such a form; else as ECMAScript writes it. Nothing where there is neither. */
export const written = (value: unknown): Written | undefined => {
  try {
    return { text: canonicalJson(value) };
  } catch {
    try {
      return { text: JSON.stringify(value), form: 'json' };
    } catch {
      return undefined; // nested deeper than any text of it could be written
    }
  }
};
