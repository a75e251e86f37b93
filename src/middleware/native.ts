// Results of other servers' tools: handed on as they came, but for what belongs to one hop of the protocol. The digest is
// over exactly that, so whoever keeps a result can take our receipt off it and check (proof/result-text.ts).
import type { NativeResult } from '../call/answer.js';
import { withoutOurMeta, withoutOurs } from '../core/own-meta.js';
import { isObject } from '../proof/json-object.js';

/** Blocks have a `_meta` of their own, and so has the resource in one. The same list where there is nothing to take off. */
const blocksWithoutOurs = (blocks: readonly unknown[]): readonly unknown[] => {
  const freed = blocks.map((block) => {
    const plain = withoutOurMeta(block);
    const resource = isObject(plain) ? withoutOurMeta(plain.resource) : undefined;
    return isObject(plain) && resource !== plain.resource ? { ...plain, resource } : plain;
  });
  return freed.some((block, at) => block !== blocks[at]) ? freed : blocks;
};

/** Where a result, of whatever method, has a list of blocks. */
const BLOCK_LISTS = ['content', 'contents', 'messages'];

/** A result without what only we may write into it. The same object where there is nothing to take off. */
export const withoutForgeries = (result: NativeResult): NativeResult => {
  let freed = withoutOurMeta(result);
  for (const key of BLOCK_LISTS) {
    const list = result[key];
    const plain = Array.isArray(list) ? blocksWithoutOurs(list) : list;
    if (plain !== list) freed = { ...freed, [key]: plain };
  }
  return freed;
};

/** Where a result carries our receipt. */
export const withReceipt = (result: NativeResult, receipt: NativeResult | undefined): NativeResult =>
  receipt === undefined ? result : { ...result, _meta: { ...(isObject(result._meta) && result._meta), ...receipt } };

/** The data of another server's error may be anything. */
export const dataWithReceipt = (given: unknown, receipt: NativeResult | undefined): unknown => {
  const data = withoutOurs(given);
  if (receipt === undefined) return data;
  if (data === undefined) return receipt;
  return isObject(data) ? { ...data, ...receipt } : { data, ...receipt };
};
