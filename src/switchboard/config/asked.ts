// Splits a server's entry into keys that need the user's consent and keys that do not: timeouts, intervals, concurrency and `disabled` grant
// a server nothing, every other key does. Both parts keep the values as the switchboard file has them, with variables not filled in.
import { quietly } from '../../errors.js';
import { type ObjectNode, plainValue } from '../../files/json-text.js';
import { canonicalJson, isObject, type JsonObject } from '../../proof/canonical-json.js';
import { SERVER_KEYS } from './keys.js';
import type { Keys } from './shape.js';

export interface AskedServer {
  /** The part of a server's entry that needs the user's consent: known keys only, with the file's `defaults` merged in. */
  readonly entry: JsonObject;
  /** The part of a server's entry that needs no consent. */
  readonly free: JsonObject;
}

/** Keys of a server's entry that need no consent, at any depth. Every other key needs consent, also a key that a later version adds. */
const FREE: readonly string[] = ['timeoutMs', 'intervalMs', 'startTimeoutMs', 'concurrency', 'disabled'];

/** Whether a value has canonical JSON text. A value without such a text (half a surrogate pair, for instance) cannot be approved or recorded. */
export const hasDigest = (value: unknown): boolean => quietly(() => canonicalJson(value)) !== undefined;

export const NO_DIGEST = 'holds a text or a number that JSON cannot carry';

/** The members of a JSON object that need consent (`part` is 'entry') or that need none ('free'); undefined if there are no such members. */
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

/** Splits a server's entry by what needs consent. `merged`: the entry with the `defaults` of its switchboard file filled in. */
export const askedOf = (merged: ObjectNode): AskedServer => ({
  entry: partOf(merged, SERVER_KEYS.keys, 'entry') ?? {},
  free: partOf(merged, SERVER_KEYS.keys, 'free') ?? {},
});

/** A server's approved entry, with the switchboard file's current values of the keys that need no consent. */
export const withFree = (entry: JsonObject, free: JsonObject): JsonObject => {
  const members = Object.entries(free).flatMap(([name, value]): [string, unknown][] => {
    const known = entry[name];
    // The interval and timeout of a capability check mean nothing if the check itself is not approved.
    if (name === 'capability' && known === undefined) return [];
    return [[name, isObject(value) ? withFree(isObject(known) ? known : {}, value) : value]];
  });
  return { ...entry, ...Object.fromEntries(members) };
};
