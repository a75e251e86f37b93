// Tells which text of a tool's result is digested, which members concern only one connection on the way (a hop), and which are Colibri's
// own (docs/audit-format.md, "Digests of arguments and results"). The process that answers and the checker of a receipt use the same
// functions.
import { canonicalJson, isObject, type JsonObject } from './canonical-json.js';

/** The members of a result that every hop (client or server on the way) sets itself. */
const HOP_MEMBERS = ['resultType', 'ttlMs', 'cacheScope'];

/** Whether Colibri removes or rewrites this member of a result before the result is passed on. */
export const isRewritten = (member: string): boolean => member === '_meta' || HOP_MEMBERS.includes(member);

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

/** Whether `data` of a successful envelope is a tool's own refusal, `{ok: false, error}` (pattern B). */
const isDomainRefusal = (data: unknown): boolean => isObject(data) && data.ok === false && isObject(data.error);

/** Whether an envelope refuses the call: at the top (pattern A) or inside `data` (pattern B). Such a result has `isError: true`. */
export const isRefusal = (envelope: JsonObject): boolean => envelope.ok !== true || isDomainRefusal(envelope.data);

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

// Colibri's own keys (`dev.colibri/…`: receipts, refusals, digests) in the `_meta` of messages: removed from what servers and clients send,
// where they would be forgeries, and set on what Colibri answers.

const OURS = /^dev\.colibri\//i;

export const isOurs = (key: string): boolean => OURS.test(key);

/** The members of a `_meta` without Colibri's keys; the same object if it has none. */
const withoutOurs = <T>(members: T): T =>
  isObject(members) && Object.keys(members).some(isOurs)
    ? (Object.fromEntries(Object.entries(members).filter(([key]) => !isOurs(key))) as T)
    : members;

/** An object whose `_meta` has none of Colibri's keys; the same object if there is nothing to remove. */
export const withoutOurMeta = <T>(holder: T): T => {
  const meta = isObject(holder) ? holder._meta : undefined;
  const kept = withoutOurs(meta);
  return kept === meta ? holder : { ...holder, _meta: kept };
};

// Colibri passes the result of another server's tool on unchanged, except that it removes members that concern one connection only and adds
// its receipt. The digest covers all members that were passed on, so anybody with the result can remove Colibri's receipt and check the
// digest.

/** Removes Colibri's keys from the `_meta` of content blocks and of resources in them. Returns the same list if there is nothing to remove. */
const blocksWithoutOurs = (blocks: readonly unknown[]): readonly unknown[] => {
  const freed = blocks.map((block) => {
    const plain = withoutOurMeta(block);
    const resource = isObject(plain) ? withoutOurMeta(plain.resource) : undefined;
    return isObject(plain) && resource !== plain.resource ? { ...plain, resource } : plain;
  });
  return freed.some((block, at) => block !== blocks[at]) ? freed : blocks;
};

/** The members in which results of any MCP method hold lists of content blocks. */
const BLOCK_LISTS = ['content', 'contents', 'messages'];

/** Removes keys that only Colibri may write, such as a forged receipt, from a result. Returns the same object if there is nothing to remove. */
export const withoutForgeries = (result: JsonObject): JsonObject => {
  let freed = withoutOurMeta(result);
  for (const key of BLOCK_LISTS) {
    const list = result[key];
    const plain = Array.isArray(list) ? blocksWithoutOurs(list) : list;
    if (plain !== list) freed = { ...freed, [key]: plain };
  }
  return freed;
};

/** Adds Colibri's receipt to a result. */
export const withReceipt = (result: JsonObject, receipt: JsonObject | undefined): JsonObject =>
  receipt === undefined ? result : { ...result, _meta: { ...(isObject(result._meta) && result._meta), ...receipt } };

/** Adds Colibri's receipt to the `data` of another server's error, which may be any value. */
export const dataWithReceipt = (given: unknown, receipt: JsonObject | undefined): unknown => {
  const data = withoutOurs(given);
  if (receipt === undefined) return data;
  if (data === undefined) return receipt;
  return isObject(data) ? { ...data, ...receipt } : { data, ...receipt };
};
