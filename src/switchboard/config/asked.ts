// What of a server's entry needs the user's consent, and what does not: how long things take and how many run at a time grant
// nothing, everything else does. Both parts are as they are written, variables not filled in.
import { type ObjectNode, plainValue } from '../../files/json-text.js';
import { canonicalJson } from '../../proof/canonical-json.js';
import { isObject, type JsonObject } from '../../proof/json-object.js';
import { SERVER_KEYS } from './keys.js';
import type { Keys } from './shape.js';

export interface AskedServer {
  /** With `defaults` merged in, of known keys only. */
  readonly entry: JsonObject;
  readonly free: JsonObject;
}

/** Keys that need no consent, wherever the file has them. A key that is added to the file's keys needs it unless it is listed. */
const FREE: readonly string[] = ['timeoutMs', 'intervalMs', 'startTimeoutMs', 'concurrency', 'disabled'];

/** What has no canonical text (half of a surrogate pair, for instance) can be neither agreed to nor recorded. */
export const hasDigest = (value: unknown): boolean => {
  try {
    canonicalJson(value);
    return true;
  } catch {
    return false;
  }
};

export const NO_DIGEST = 'holds a text or a number that JSON cannot carry';

/** Undefined where nothing of it is in this part. */
const partOf = (node: ObjectNode, keys: Keys, part: keyof AskedServer): JsonObject | undefined => {
  const members = Object.entries(keys).flatMap(([name, shape]): [string, unknown][] => {
    const value = node.members.get(name)?.node;
    if (value === undefined) return [];
    const inner = 'keys' in shape && value.kind === 'object' ? (shape.keys as Keys) : undefined;
    if (FREE.includes(name)) return part === 'free' ? [[name, plainValue(value)]] : [];
    if (inner === undefined || value.kind !== 'object') return part === 'entry' ? [[name, plainValue(value)]] : [];
    const found = partOf(value, inner, part);
    return found === undefined ? [] : [[name, found]];
  });
  return members.length === 0 ? undefined : Object.fromEntries(members);
};

/** `merged`: the server's node with the defaults of its file under it. */
export const askedOf = (merged: ObjectNode): AskedServer => ({
  entry: partOf(merged, SERVER_KEYS.keys, 'entry') ?? {},
  free: partOf(merged, SERVER_KEYS.keys, 'free') ?? {},
});

/** An entry that was approved, with what the file says now of all that needs no consent. */
export const withFree = (entry: JsonObject, free: JsonObject): JsonObject => {
  const members = Object.entries(free).flatMap(([name, value]): [string, unknown][] => {
    const known = entry[name];
    // The times of a check that was not approved belong to nothing.
    if (name === 'capability' && known === undefined) return [];
    return [[name, isObject(value) ? withFree(isObject(known) ? known : {}, value) : value]];
  });
  return { ...entry, ...Object.fromEntries(members) };
};
