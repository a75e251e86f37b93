// JSON objects whose writer is not trusted. Every room may import this file: it stands here because proof/ may import no other.

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The members of a JSON object; undefined where it is not the text of one. */
export const parsedObject = (text: unknown): JsonObject | undefined => {
  if (typeof text !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** The same, without members where it is not the text of one. */
export const parseObject = (text: string): JsonObject => parsedObject(text) ?? {};
