// Names in `_meta` that are ours to give: receipts, refusals, digests. From anybody else they would be forgeries, so what comes
// in from servers and clients is freed of them.
import { isObject } from '../proof/json-object.js';

const OURS = /^dev\.colibri\//i;

export const isOurs = (key: string): boolean => OURS.test(key);

/** The same object where none of them is in it. */
export const withoutOurs = <T>(members: T): T =>
  isObject(members) && Object.keys(members).some(isOurs)
    ? (Object.fromEntries(Object.entries(members).filter(([key]) => !isOurs(key))) as T)
    : members;

/** An object with its `_meta` freed of them; the same object where there is nothing to take off. */
export const withoutOurMeta = <T>(holder: T): T => {
  const meta = isObject(holder) ? holder._meta : undefined;
  const kept = withoutOurs(meta);
  return kept === meta ? holder : { ...holder, _meta: kept };
};
