// RFC 8785 (JCS) text, the only form in which anything is hashed, and the test whether a value has one.
import canonicalize from 'canonicalize';

/** The RFC 8785 text of a JSON value. Throws where there is none (NaN, a lone surrogate, a cycle). */
export const canonicalJson = (value: unknown): string => {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError(`no JSON form: ${typeof value}`);
  return text;
};

interface Visit {
  readonly value: unknown;
  readonly depth: number;
}

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
 * Says why a parsed JSON value cannot be recorded, or nothing.
 * Walks with a list of its own: 20,000 levels must not cost the stack that canonicalize would need.
 */
export const jsonFault = (root: unknown, maxDepth: number): string | undefined => {
  const open: Visit[] = [{ value: root, depth: 0 }];
  for (let visit = open.pop(); visit !== undefined; visit = open.pop()) {
    const { value, depth } = visit;
    if (value === null || typeof value !== 'object') {
      const fault = scalarFault(value);
      if (fault !== undefined) return fault;
      continue;
    }
    if (depth >= maxDepth) return `nested deeper than ${maxDepth} levels`;
    for (const [key, inner] of Object.entries(value)) {
      const fault = textFault(key);
      if (fault !== undefined) return fault;
      open.push({ value: inner, depth: depth + 1 });
    }
  }
  return undefined;
};
