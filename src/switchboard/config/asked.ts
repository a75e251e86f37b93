// Splits a server's entry into what needs the user's consent and what does not: timeouts, intervals, concurrency and `disabled` grant a
// server nothing, everything else does. Both parts keep the text of the file, with variables not filled in.
import { type ObjectNode, plainValue } from '../../files/json-text.js';
import { canonicalJson } from '../../proof/canonical-json.js';
import { isObject, type JsonObject } from '../../proof/json-object.js';
import { SERVER_KEYS } from './keys.js';
import type { Keys } from './shape.js';

export interface AskedServer {
  /** What needs consent: known keys only, with `defaults` merged in. */
  readonly entry: JsonObject;
  /** What needs no consent. */
  readonly free: JsonObject;
}

/** Keys that need no consent, at any depth of the entry. Every other key needs it, also one that is added later. */
const FREE: readonly string[] = ['timeoutMs', 'intervalMs', 'startTimeoutMs', 'concurrency', 'disabled'];

/** A value without canonical JSON (half of a surrogate pair, for instance) can be neither approved nor recorded. */
export const hasDigest = (value: unknown): boolean => {
  try {
    canonicalJson(value);
    return true;
  } catch {
    return false;
  }
};

export const NO_DIGEST = 'holds a text or a number that JSON cannot carry';

/** The members of `node` that belong to `part`; undefined if there are none. */
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

/** `merged`: the server's entry with the `defaults` of its file filled in. */
export const askedOf = (merged: ObjectNode): AskedServer => ({
  entry: partOf(merged, SERVER_KEYS.keys, 'entry') ?? {},
  free: partOf(merged, SERVER_KEYS.keys, 'free') ?? {},
});

/** An approved entry, with the file's current values of the keys that need no consent. */
export const withFree = (entry: JsonObject, free: JsonObject): JsonObject => {
  const members = Object.entries(free).flatMap(([name, value]): [string, unknown][] => {
    const known = entry[name];
    // Without an approved capability check its interval and timeout mean nothing.
    if (name === 'capability' && known === undefined) return [];
    return [[name, isObject(value) ? withFree(isObject(known) ? known : {}, value) : value]];
  });
  return { ...entry, ...Object.fromEntries(members) };
};
