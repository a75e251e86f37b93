// Small schemas of JSON values, from which both the parser of the switchboard file and the JSON Schema for editors are made, so that
// the two cannot differ. A shape returns a value, or reports a problem and returns its fallback; a shape never throws.
import { nearest } from '../../core/nearest.js';
import { type JsonNode, type ObjectNode, plainValue } from '../../files/json-text.js';
import type { JsonObject } from '../../proof/canonical-json.js';
import { inside, type TextPlace, warnRepeated } from './problem.js';

export interface Shape<T> {
  readonly schema: JsonObject;
  /** The value that is used if the key is missing or its value does not fit the shape. */
  readonly fallback: T;
  /** Reads the value of a JSON node; undefined if the node does not fit the shape. Problems inside the node are reported with their own place. */
  read(node: JsonNode, place: TextPlace): T | undefined;
  /** The values that are allowed, as an error message says it after "must be". */
  readonly wanted: string;
}

export type ValueOf<S> = S extends Shape<infer T> ? T : never;
export type Keys = Readonly<Record<string, Shape<unknown>>>;
export type ValuesOf<K extends Keys> = { readonly [N in keyof K]: ValueOf<K[N]> };

/** Reads a value; if the value does not fit the shape, reports a problem and returns the shape's fallback. */
export const readOr = <T>(shape: Shape<T>, node: JsonNode, place: TextPlace): T => {
  const value = shape.read(node, place);
  if (value === undefined) place.problems.error(place.path, node.at, `must be ${shape.wanted}`);
  return value ?? shape.fallback;
};

export const integer = (min: number, max: number, fallback: number, words: string): Shape<number> => ({
  schema: { type: 'integer', minimum: min, maximum: max, default: fallback, description: words },
  fallback,
  wanted: `a whole number, ${min}–${max}`,
  read: (node) =>
    node.kind === 'number' && Number.isInteger(node.value) && node.value >= min && node.value <= max
      ? node.value
      : undefined,
});

/** A whole number without a default: its value is null if the key is missing. */
export const wholeNumber = (min: number, max: number, words: string): Shape<number | null> => {
  const { schema, wanted, read } = integer(min, max, min, words);
  const { default: _none, ...plain } = schema;
  return { schema: plain, wanted, read, fallback: null };
};

export const flag = (fallback: boolean, words: string): Shape<boolean> => ({
  schema: { type: 'boolean', default: fallback, description: words },
  fallback,
  wanted: 'true or false',
  read: (node) => (node.kind === 'boolean' ? node.value : undefined),
});

/** A flag without a fixed default: its value is null if the key is missing. */
export const undecided = (words: string): Shape<boolean | null> => ({
  schema: { type: 'boolean', description: words },
  fallback: null,
  wanted: 'true or false',
  read: (node) => (node.kind === 'boolean' ? node.value : undefined),
});

export const textShape = (words: string): Shape<string | null> => ({
  schema: { type: 'string', minLength: 1, description: words },
  fallback: null,
  wanted: 'a string that is not empty',
  read: (node) => (node.kind === 'string' && node.value !== '' ? node.value : undefined),
});

export const choice = <const T extends string, F extends T | null>(
  values: readonly T[],
  fallback: F,
  words: string,
): Shape<T | F> => ({
  schema: { enum: values, ...(fallback !== null && { default: fallback }), description: words },
  fallback,
  wanted: `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`,
  read: (node) => (node.kind === 'string' ? values.find((value) => value === node.value) : undefined),
});

export const texts = (fallback: readonly string[], words: string): Shape<readonly string[]> => ({
  schema: { type: 'array', items: { type: 'string' }, default: fallback, description: words },
  fallback,
  wanted: 'a list of strings',
  read: (node, place) => {
    if (node.kind !== 'array') return undefined;
    return node.items.flatMap((item, index) => {
      if (item.kind === 'string') return [item.value];
      place.problems.error(inside(place, index).path, item.at, 'must be a string');
      return [];
    });
  },
});

/** A list of words, each one of `words`. */
export const wordList = <const T extends string>(
  words: readonly T[],
  fallback: readonly T[],
  says: string,
): Shape<readonly T[]> => ({
  schema: { type: 'array', items: { enum: words }, minItems: 1, default: fallback, description: says },
  fallback,
  wanted: `a list with at least one of ${words.map((value) => JSON.stringify(value)).join(', ')}`,
  read: (node) => {
    if (node.kind !== 'array' || node.items.length === 0) return undefined;
    const found = node.items.flatMap(
      (item) => words.find((word) => item.kind === 'string' && item.value === word) ?? [],
    );
    return found.length === node.items.length ? found : undefined;
  },
});

export const textMap = (words: string): Shape<Readonly<Record<string, string>>> => ({
  schema: { type: 'object', additionalProperties: { type: 'string' }, description: words },
  fallback: {},
  wanted: 'an object of strings',
  read: (node, place) => {
    if (node.kind !== 'object') return undefined;
    const entries = [...node.members.values()].flatMap(({ key, node: inner }) => {
      if (inner.kind === 'string') return [[key, inner.value] as const];
      place.problems.error(inside(place, key).path, inner.at, 'must be a string; put it in quotes');
      return [];
    });
    return Object.fromEntries(entries);
  },
});

/** The shape of any JSON object, whose members are not checked. */
export const anyObject = (words: string): Shape<JsonObject | null> => ({
  schema: { type: 'object', description: words },
  fallback: null,
  wanted: 'an object',
  read: (node) => (node.kind === 'object' ? (plainValue(node) as Record<string, unknown>) : undefined),
});

/** A shape for values that fit one of two shapes. A value that fits both is read by the first. */
export const either = <A, B>(first: Shape<A>, second: Shape<B>, words: string): Shape<A | B> => ({
  schema: { anyOf: [first.schema, second.schema], default: first.fallback, description: words },
  fallback: first.fallback,
  wanted: `${first.wanted}, or ${second.wanted}`,
  read: (node, place) => first.read(node, place) ?? second.read(node, place),
});

/** Warns about keys of a JSON object that are not known, and about keys that are written twice. */
export const warnOfKeys = (node: ObjectNode, known: readonly string[], place: TextPlace): void => {
  for (const { key, at } of node.members.values()) {
    if (known.includes(key)) continue;
    const meant = nearest(key, known);
    const hint = meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`;
    place.problems.warn(inside(place, key).path, at, `unknown key, ignored${hint}`);
  }
  warnRepeated(node, place);
};

const valuesOf = <K extends Keys>(keys: K, take: (name: string, shape: Shape<unknown>) => unknown): ValuesOf<K> =>
  Object.fromEntries(Object.entries(keys).map(([name, shape]) => [name, take(name, shape)])) as ValuesOf<K>;

export const object = <K extends Keys>(keys: K, words: string): Shape<ValuesOf<K>> & { readonly keys: K } => ({
  keys,
  schema: {
    type: 'object',
    properties: Object.fromEntries(Object.entries(keys).map(([name, shape]) => [name, shape.schema])),
    description: words,
  },
  fallback: valuesOf(keys, (_name, shape) => shape.fallback),
  wanted: 'an object',
  read: (node, place) => {
    if (node.kind !== 'object') return undefined;
    warnOfKeys(node, Object.keys(keys), place);
    return valuesOf(keys, (name, shape) => {
      const member = node.members.get(name);
      return member === undefined ? shape.fallback : readOr(shape, member.node, inside(place, name));
    });
  },
});

/** Makes a shape optional: its value is null if the key is missing. */
export const optional = <T>(shape: Shape<T>): Shape<T | null> => ({ ...shape, fallback: null });

/** Adds to the JSON object `over` the members of `under` that `over` lacks, at every depth. Other values of `over`, also lists, stay as they are. */
export const mergeNodes = (under: JsonNode | undefined, over: JsonNode): JsonNode => {
  if (under?.kind !== 'object' || over.kind !== 'object') return over;
  const members = new Map(under.members);
  for (const [key, member] of over.members)
    members.set(key, { ...member, node: mergeNodes(under.members.get(key)?.node, member.node) });
  return { ...over, members };
};
