// Results of other servers' tools. They are passed on unchanged, except for members that concern one connection only. The digest
// covers exactly that, so anybody with a result can remove our receipt and check it (proof/result-text.ts).
import type { NativeResult } from '../call/answer.js';
import { withoutOurMeta, withoutOurs } from '../core/own-meta.js';
import { isObject } from '../proof/json-object.js';

/** Removes our keys from the `_meta` of blocks and of resources in them. Returns the same list if there is nothing to remove. */
const blocksWithoutOurs = (blocks: readonly unknown[]): readonly unknown[] => {
  const freed = blocks.map((block) => {
    const plain = withoutOurMeta(block);
    const resource = isObject(plain) ? withoutOurMeta(plain.resource) : undefined;
    return isObject(plain) && resource !== plain.resource ? { ...plain, resource } : plain;
  });
  return freed.some((block, at) => block !== blocks[at]) ? freed : blocks;
};

/** The members in which results of any method hold lists of blocks. */
const BLOCK_LISTS = ['content', 'contents', 'messages'];

/** Removes keys that only we may write, such as a forged receipt. Returns the same object if there is nothing to remove. */
export const withoutForgeries = (result: NativeResult): NativeResult => {
  let freed = withoutOurMeta(result);
  for (const key of BLOCK_LISTS) {
    const list = result[key];
    const plain = Array.isArray(list) ? blocksWithoutOurs(list) : list;
    if (plain !== list) freed = { ...freed, [key]: plain };
  }
  return freed;
};

/** Adds our receipt to a result. */
export const withReceipt = (result: NativeResult, receipt: NativeResult | undefined): NativeResult =>
  receipt === undefined ? result : { ...result, _meta: { ...(isObject(result._meta) && result._meta), ...receipt } };

/** Adds our receipt to the `data` of another server's error, which may be any value. */
export const dataWithReceipt = (given: unknown, receipt: NativeResult | undefined): unknown => {
  const data = withoutOurs(given);
  if (receipt === undefined) return data;
  if (data === undefined) return receipt;
  return isObject(data) ? { ...data, ...receipt } : { data, ...receipt };
};
