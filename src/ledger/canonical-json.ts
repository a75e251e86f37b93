// RFC 8785 (JCS) text, the only form in which anything is hashed, and the test whether a value has one. Written by us
// because every record passes here twice; a test holds it to an independent implementation.

/** ASCII without quotes, backslashes and controls: most of what we write, and it needs no escaping. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** RFC 8785 §3.2.2: strings and numbers as ECMAScript writes them; what I-JSON does not have is refused. */
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

/** RFC 8785 §3.2.3: members sorted by the UTF-16 units of their names, which is how ECMAScript sorts. */
const members = (value: Readonly<Record<string, unknown>>): string => {
  let text = '';
  for (const key of Object.keys(value).sort()) {
    const inner = value[key];
    if (inner === undefined) continue;
    text += `${text === '' ? '' : ','}${scalar(key)}:${inOrder(inner)}`;
  }
  return `{${text}}`;
};

/** Where the members stand in order already, ECMAScript's own writer makes the same text, and makes it faster. */
const isInOrder = (value: unknown): boolean => {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object') return typeof value === 'boolean';
  if (value === null) return true;
  if (Array.isArray(value)) return value.every(isInOrder);
  return Object.getPrototypeOf(value) === Object.prototype && areInOrder(value as Readonly<Record<string, unknown>>);
};

const areInOrder = (value: Readonly<Record<string, unknown>>): boolean => {
  let before = '';
  for (const key of Object.keys(value)) {
    const inner = value[key];
    if (inner === undefined) continue;
    if (key < before || !key.isWellFormed() || !isInOrder(inner)) return false;
    before = key;
  }
  return true;
};

/** The RFC 8785 text of a JSON value. Throws where there is none (NaN, a lone surrogate, a cycle, a function). */
export const canonicalJson = (value: unknown): string => (isInOrder(value) ? JSON.stringify(value) : inOrder(value));

const inOrder = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return scalar(value);
  if (Array.isArray(value)) return `[${value.map((inner) => inOrder(inner)).join(',')}]`;
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
 * Says why a parsed JSON value cannot be recorded, or nothing. The depth is tested before it is entered: 20,000 levels
 * cost no more stack than the allowed ones.
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
