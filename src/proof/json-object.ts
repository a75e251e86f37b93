// Helpers for JSON objects from untrusted sources. Every room may import this file; it is here because proof/ may not import any other room.

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object that a JSON text holds; undefined if the text does not hold an object. */
export const parsedObject = (text: unknown): JsonObject | undefined => {
  if (typeof text !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** The object that a JSON text holds; an empty object if the text does not hold an object. */
export const parseObject = (text: string): JsonObject => parsedObject(text) ?? {};

// Checks how deep a value is nested. A text of a few kilobytes can be nested too deep for any recursive program to serialize.

/** Whether a value is nested deeper than `levels`. Stops at that depth, so a value with 100,000 levels needs no more stack than an allowed one. */
export const isDeeperThan = (value: unknown, levels: number): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const key in value) if (isDeeperThan((value as Record<string, unknown>)[key], levels - 1)) return true;
  return false;
};
