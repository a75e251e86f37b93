// Writes canonical JSON (RFC 8785, JCS), the only form in which JSON is hashed, and reads and tests values from untrusted sources. No
// library is used, for speed: every record is written in this form twice. A test compares the results with an independent implementation.

/** Matches ASCII texts without quotes, backslashes and control characters. Most texts are like that and need no escaping. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** The RFC 8785 §3.2.2 text of a scalar: strings and numbers as ECMAScript writes them. Throws for values that I-JSON does not have. */
const scalar = (value: unknown): string => {
  if (typeof value === 'string') {
    if (PLAIN.test(value)) return `"${value}"`;
    if (!value.isWellFormed()) throw new TypeError('no JSON form: half of a surrogate pair');
    return JSON.stringify(value);
  }
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`no JSON form: ${value}`);
    return String(Object.is(value, -0) ? 0 : value);
  }
  if (typeof value === 'boolean' || value === null) return String(value);
  throw new TypeError(`no JSON form: ${typeof value}`);
};

/** The most keys of an object for which an insertion sort is faster than the built-in sort. */
const FEW = 32;

/**
 * Sorts keys by their UTF-16 units (RFC 8785 §3.2.3), as ECMAScript compares strings. Most objects have few members, and Colibri's records
 * have them in order already, so this insertion sort moves nothing.
 */
const sorted = (keys: string[]): readonly string[] => {
  if (keys.length > FEW) return keys.sort();
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i] as string;
    let at = i;
    for (; at > 0 && (keys[at - 1] as string) > key; at--) keys[at] = keys[at - 1] as string;
    keys[at] = key;
  }
  return keys;
};

const members = (value: Readonly<Record<string, unknown>>): string => {
  let text = '';
  for (const key of sorted(Object.keys(value))) {
    const inner = value[key];
    if (inner === undefined) continue;
    text += `${text === '' ? '' : ','}${scalar(key)}:${canonicalJson(inner)}`;
  }
  return `{${text}}`;
};

/** The RFC 8785 text of a JSON value. Throws if the value has none (NaN, half of a surrogate pair, a cycle, a function). */
export const canonicalJson = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return scalar(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  return members(value as Readonly<Record<string, unknown>>);
};

const textFault = (text: string): string | undefined => {
  if (!text.isWellFormed()) return 'a string holds half of a surrogate pair';
  if (text.includes('\u0000')) return 'a string holds U+0000';
  return undefined;
};

const scalarFault = (value: unknown): string | undefined => {
  if (typeof value === 'string') return textFault(value);
  if (typeof value === 'number' && !Number.isFinite(value)) return 'a number is beyond the range of a double';
  return undefined;
};

/**
 * Why a parsed JSON value cannot be recorded, or undefined if it can. The depth is checked before descending, so 20,000 levels need no more
 * stack than the allowed ones.
 */
export const jsonFault = (value: unknown, maxDepth: number): string | undefined => {
  const faultAt = (inner: unknown, depth: number): string | undefined => {
    if (inner === null || typeof inner !== 'object') return scalarFault(inner);
    if (depth >= maxDepth) return `nested deeper than ${maxDepth} levels`;
    return Array.isArray(inner) ? itemFault(inner, depth + 1) : memberFault(inner, depth + 1);
  };
  const itemFault = (items: readonly unknown[], depth: number): string | undefined => {
    for (const item of items) {
      const fault = faultAt(item, depth);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
  const memberFault = (members: object, depth: number): string | undefined => {
    for (const [key, member] of Object.entries(members)) {
      const fault = textFault(key) ?? faultAt(member, depth);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
  return faultAt(value, 0);
};

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
