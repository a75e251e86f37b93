// Makes the arguments for one provider of a route (a tool of one server) from the arguments of a call to the route. All functions are pure.
//
// A value of a mapping is `"$name"` (the argument of that name), `"$$text"` (the text "$text"), `{"from": "name", "default": v}`,
// or a constant. Strings inside lists and objects are read the same way. If the argument was not given, the reference is left out.
import { isObject, type JsonObject } from '../../proof/canonical-json.js';

/** The values of the provider's arguments by name; null if the route's arguments are passed on unchanged. */
export type Mapping = JsonObject | null;

/** A place where the mapping of a provider (how its arguments are made from the route's arguments) uses an argument of the route. */
export interface Use {
  readonly name: string;
  /** The name of the provider's argument whose value uses the route's argument. */
  readonly into: string;
  /** True if the route's argument is the whole value, not a part of a list or object. */
  readonly whole: boolean;
  readonly hasDefault: boolean;
}

interface Reference {
  readonly from: unknown;
  readonly default?: unknown;
}

const ABSENT = Symbol('absent');

/** Whether a value is `{"from": name}`, with or without a default, and nothing else. */
const isReference = (value: unknown): value is Reference =>
  isObject(value) &&
  Object.hasOwn(value, 'from') &&
  Object.keys(value).every((key) => ['from', 'default'].includes(key));

/** The name of the argument that a text of a mapping refers to; undefined if it refers to none. */
const nameIn = (text: string): string | undefined =>
  text.startsWith('$') && !text.startsWith('$$') ? text.slice(1) : undefined;

const given = (args: JsonObject, name: string): unknown => (Object.hasOwn(args, name) ? args[name] : ABSENT);

const filledText = (text: string, args: JsonObject): unknown => {
  const name = nameIn(text);
  if (name !== undefined) return given(args, name);
  return text.startsWith('$$') ? text.slice(1) : text;
};

const isThere = (value: unknown): boolean => value !== ABSENT;

const filled = (value: unknown, args: JsonObject): unknown => {
  if (typeof value === 'string') return filledText(value, args);
  if (Array.isArray(value)) return value.map((item) => filled(item, args)).filter(isThere);
  return isObject(value) ? filledObject(value, (inner) => filled(inner, args)) : value;
};

const filledObject = (value: JsonObject, fill: (inner: unknown) => unknown): JsonObject =>
  Object.fromEntries(
    Object.entries(value)
      .map(([key, inner]) => [key, fill(inner)] as const)
      .filter(([, inner]) => isThere(inner)),
  );

const referred = ({ from, ...rest }: Reference, args: JsonObject): unknown => {
  const value = typeof from === 'string' ? given(args, from) : ABSENT;
  return value === ABSENT && Object.hasOwn(rest, 'default') ? rest.default : value;
};

export const mapArguments = (mapping: Mapping, args: JsonObject): JsonObject =>
  mapping === null
    ? args
    : filledObject(mapping, (value) => (isReference(value) ? referred(value, args) : filled(value, args)));

const textsInside = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsInside);
  return isObject(value) ? Object.values(value).flatMap(textsInside) : [];
};

/** Every place where a provider's mapping uses an argument of the route, in the order of the mapping. */
export const usesOf = (mapping: Mapping): readonly Use[] =>
  Object.entries(mapping ?? {}).flatMap(([into, value]): Use[] => {
    if (isReference(value)) {
      const hasDefault = Object.hasOwn(value, 'default');
      return typeof value.from === 'string' ? [{ name: value.from, into, whole: true, hasDefault }] : [];
    }
    const whole = typeof value === 'string';
    const names = textsInside(value).flatMap((text) => nameIn(text) ?? []);
    return names.map((name) => ({ name, into, whole, hasDefault: false }));
  });

/** What is wrong with one value in a provider's mapping of arguments; undefined if the value is valid. */
export const mappingFault = (value: unknown): string | undefined => {
  if (!isReference(value))
    return textsInside(value).includes('$') ? '"$" does not name an argument; write "$$" for the text "$"' : undefined;
  if (typeof value.from !== 'string' || value.from === '') return '"from" must name an argument';
  return value.from.startsWith('$') ? '"from" must name an argument without "$"' : undefined;
};
