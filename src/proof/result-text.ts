// Determines which text of a result is digested (docs/audit-format.md, "Digests of arguments and results"). The process that answers and
// the checker of a receipt use the same functions.

import { canonicalJson } from './canonical-json.js';
import { isObject, type JsonObject } from './json-object.js';

/** The members of a result that every hop (client or server on the way) sets itself. */
const HOP_MEMBERS = ['resultType', 'ttlMs', 'cacheScope'];
const HOP_META = /^io\.modelcontextprotocol\//;

const isHopMeta = (key: string): boolean => key === 'progressToken' || HOP_META.test(key);

/** `_meta` without the keys that a single hop (client or server on the way) sets; undefined if nothing is left. */
const metaWithoutHop = (meta: unknown): JsonObject | undefined => {
  if (!isObject(meta)) return undefined;
  const kept = Object.entries(meta).filter(([key]) => !isHopMeta(key));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
};

/** A result without the members that a single hop sets; the same object if there are none. An empty `_meta` means nothing and is removed too. */
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

/** The RFC 8785 text of a value if it has one, else JSON.stringify's text; undefined if it has neither. */
export const written = (value: unknown): Written | undefined => {
  try {
    return { text: canonicalJson(value) };
  } catch {
    try {
      return { text: JSON.stringify(value), form: 'json' };
    } catch {
      return undefined; // the value is nested too deep to be serialized
    }
  }
};
