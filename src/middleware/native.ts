// Results of other servers' tools: handed on as they came, but for what belongs to one hop of the protocol. The digest is
// over exactly that, so whoever keeps a result can take our receipt off it and check.
import type { NativeResult } from '../call/context.js';
import { canonicalJson } from '../proof/canonical-json.js';

/** Each hop writes these for itself. */
const HOP_MEMBERS = ['resultType', 'ttlMs', 'cacheScope'];
const HOP_META = /^io\.modelcontextprotocol\//;

const isObject = (value: unknown): value is NativeResult =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isHopMeta = (key: string): boolean => key === 'progressToken' || HOP_META.test(key);

/** `_meta` without the keys of one hop; nothing where nothing is left. */
export const metaWithoutHop = (meta: unknown): NativeResult | undefined => {
  if (!isObject(meta)) return undefined;
  const kept = Object.entries(meta).filter(([key]) => !isHopMeta(key));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
};

/** The same object where there is nothing to take off. An empty `_meta` says nothing and goes too. */
export const withoutHop = (result: NativeResult): NativeResult => {
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

/** Where a result carries our receipt. */
export const withReceipt = (result: NativeResult, receipt: NativeResult | undefined): NativeResult =>
  receipt === undefined ? result : { ...result, _meta: { ...(isObject(result._meta) && result._meta), ...receipt } };

/** The data of another server's error may be anything. */
export const dataWithReceipt = (data: unknown, receipt: NativeResult | undefined): unknown => {
  if (receipt === undefined) return data;
  if (data === undefined) return receipt;
  return isObject(data) ? { ...data, ...receipt } : { data, ...receipt };
};
