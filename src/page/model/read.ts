// Reads members of values that anybody may have written: a member of another type counts as absent.
import { isObject, type JsonObject } from '../../proof/canonical-json.js';

export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');
export const numberIn = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
export const objectIn = (value: unknown): JsonObject => (isObject(value) ? value : {});
export const objectsIn = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];
export const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

/** Whether a text is a moment. Whoever writes a record of another version may write anything. */
export const isTime = (text: string): boolean => !Number.isNaN(Date.parse(text));

/** The values by the key of each, in their order. */
export const grouped = <T>(values: readonly T[], keyOf: (value: T) => string): ReadonlyMap<string, readonly T[]> => {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group === undefined) groups.set(keyOf(value), [value]);
    else group.push(value);
  }
  return groups;
};
