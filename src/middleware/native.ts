// Results of other servers' tools: handed on as they came, but for what belongs to one hop of the protocol. The digest is
// over exactly that, so whoever keeps a result can take our receipt off it and check (proof/result-text.ts).
import type { NativeResult } from '../call/context.js';
import { isObject } from '../proof/json-object.js';

/** Where a result carries our receipt. */
export const withReceipt = (result: NativeResult, receipt: NativeResult | undefined): NativeResult =>
  receipt === undefined ? result : { ...result, _meta: { ...(isObject(result._meta) && result._meta), ...receipt } };

/** The data of another server's error may be anything. */
export const dataWithReceipt = (data: unknown, receipt: NativeResult | undefined): unknown => {
  if (receipt === undefined) return data;
  if (data === undefined) return receipt;
  return isObject(data) ? { ...data, ...receipt } : { data, ...receipt };
};
