// Removes our own names (`dev.colibri/…`: receipts, refusals, digests) from the `_meta` of incoming messages. Only Colibri may set them; from
// a server or client they would be forgeries.
import { isObject } from '../proof/json-object.js';

const OURS = /^dev\.colibri\//i;

export const isOurs = (key: string): boolean => OURS.test(key);

/** The members without our names; the same object if it has none. */
export const withoutOurs = <T>(members: T): T =>
  isObject(members) && Object.keys(members).some(isOurs)
    ? (Object.fromEntries(Object.entries(members).filter(([key]) => !isOurs(key))) as T)
    : members;

/** An object whose `_meta` has none of our names; the same object if there is nothing to remove. */
export const withoutOurMeta = <T>(holder: T): T => {
  const meta = isObject(holder) ? holder._meta : undefined;
  const kept = withoutOurs(meta);
  return kept === meta ? holder : { ...holder, _meta: kept };
};
