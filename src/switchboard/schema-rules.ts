// The keywords of JSON Schema (2020-12, and what older drafts called otherwise), each as one rule. A keyword that is not in the
// table says nothing. The words of a problem are those that Ajv uses: models know them.
// biome-ignore-all lint/suspicious/noThenProperty: a keyword of JSON Schema
import { isObject } from '../proof/json-object.js';
import { better, type Fit, worse } from './schema-fit.js';
import type { Judge, Place } from './schema-judge.js';
import type { SchemaObject } from './schema-node.js';

export interface Asked {
  readonly judge: Judge;
  /** The schema that the keyword stands in, for those that depend on each other. */
  readonly schema: SchemaObject;
  readonly value: unknown;
  readonly place: Place | undefined;
}

type Rule = (asked: Asked, operand: unknown) => Fit;

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  string: (value) => typeof value === 'string',
  array: Array.isArray,
  object: isObject,
};

const type: Rule = ({ judge, value, place }, operand) => {
  const names = Array.isArray(operand) ? operand : [operand];
  judge.spend(names.length);
  if (names.some((name) => typeof name !== 'string' || !Object.hasOwn(TYPES, name)))
    return judge.malformed('a type that there is not');
  return names.some((name) => TYPES[name]?.(value)) ? 'yes' : judge.no(place, `must be ${names.join(',')}`);
};

/** Names of a value, each at the cost of a step. */
const keysOf = (judge: Judge, value: object): readonly string[] => {
  const keys = Object.keys(value);
  judge.spend(keys.length);
  return keys;
};

/** Deep, and every value that is looked at costs a step. */
const isSame = (judge: Judge, one: unknown, other: unknown): boolean => {
  judge.spend(1);
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = keysOf(judge, one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every(
    (key) => Object.hasOwn(other, key) && isSame(judge, (one as SchemaObject)[key], (other as SchemaObject)[key]),
  );
};

const equal =
  (listed: (operand: unknown) => unknown, words: string): Rule =>
  ({ judge, value, place }, operand) => {
    const allowed = listed(operand);
    if (!Array.isArray(allowed)) return judge.malformed('an enum that is no list');
    return allowed.some((one) => isSame(judge, one, value)) ? 'yes' : judge.no(place, words);
  };

/** A bound on something that is counted or measured; `undefined` where the value has none of it. */
const bound =
  (
    measure: (value: unknown, judge: Judge) => number | undefined,
    holds: (is: number, most: number) => boolean,
    words: (bound: number) => string,
  ): Rule =>
  ({ judge, value, place }, operand) => {
    if (typeof operand !== 'number') return judge.malformed('a bound that is no number');
    const is = measure(value, judge);
    return is === undefined || holds(is, operand) ? 'yes' : judge.no(place, words(operand));
  };

const atLeast = (is: number, least: number): boolean => is >= least;
const atMost = (is: number, most: number): boolean => is <= most;

const CHARS_PER_STEP = 64;

const isPair = (text: string, at: number): boolean => (text.codePointAt(at) ?? 0) > 0xffff;

/** Counted as code points. */
const length = (value: unknown, judge: Judge): number | undefined => {
  if (typeof value !== 'string') return undefined;
  judge.spend(value.length / CHARS_PER_STEP);
  let pairs = 0;
  for (let at = 0; at < value.length; at++) if (isPair(value, at)) pairs++;
  return value.length - pairs;
};
const items = (value: unknown): number | undefined => (Array.isArray(value) ? value.length : undefined);
const members = (value: unknown, judge: Judge): number | undefined =>
  isObject(value) ? keysOf(judge, value).length : undefined;
const size = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

const uniqueItems: Rule = ({ judge, value, place }, operand) => {
  if (operand !== true || !Array.isArray(value)) return 'yes';
  judge.spend(value.length);
  const plain = value.filter((item) => typeof item !== 'object' || item === null);
  const nested = value.filter((item) => typeof item === 'object' && item !== null);
  const isTwice =
    new Set(plain).size < plain.length ||
    nested.some((item, at) => nested.slice(0, at).some((other) => isSame(judge, item, other)));
  return isTwice ? judge.no(place, 'must NOT have duplicate items') : 'yes';
};

const required: Rule = ({ judge, value, place }, operand) => {
  if (!Array.isArray(operand)) return judge.malformed('a required that is no list');
  if (!isObject(value)) return 'yes';
  judge.spend(operand.length);
  const missing = operand.filter((key) => typeof key === 'string' && !Object.hasOwn(value, key));
  for (const key of missing) judge.no(place, `must have required property '${key}'`);
  return missing.length === 0 ? 'yes' : 'no';
};

const dependentRequired: Rule = (asked, operand) => {
  const { judge, value } = asked;
  if (!isObject(operand)) return judge.malformed('a dependentRequired that is no object');
  if (!isObject(value)) return 'yes';
  return all(
    judge,
    keysOf(judge, value).filter((key) => Object.hasOwn(operand, key)),
    (key) => required(asked, operand[key]),
  );
};

/** Every one of a list, each at the cost of a step. */
const all = <T>(judge: Judge, list: readonly T[], ask: (one: T, at: number) => Fit): Fit => {
  judge.spend(list.length);
  let fit: Fit = 'yes';
  for (const [at, one] of list.entries()) fit = worse(fit, ask(one, at));
  return fit;
};

const allOf: Rule = ({ judge, value, place }, operand) =>
  Array.isArray(operand)
    ? all(judge, operand, (inner) => judge.fits(inner, value, place))
    : judge.malformed('an allOf that is no list');

const anyOf: Rule = ({ judge, value, place }, operand) => {
  if (!Array.isArray(operand)) return judge.malformed('an anyOf that is no list');
  const ask = (): Fit => operand.reduce<Fit>((fit, inner) => better(fit, judge.fits(inner, value, place)), 'no');
  const fit = judge.aside(ask, (answer) => answer === 'no');
  return fit === 'no' ? judge.no(place, 'must match a schema in anyOf') : fit;
};

const oneOf: Rule = ({ judge, value, place }, operand) => {
  if (!Array.isArray(operand)) return judge.malformed('a oneOf that is no list');
  const ask = (): readonly Fit[] => operand.map((inner) => judge.fits(inner, value, place));
  const fits = judge.aside(ask, (answers) => answers.every((fit) => fit === 'no'));
  const [sure, unsure] = (['yes', 'unknown'] as const).map((fit) => fits.filter((one) => one === fit).length);
  if (sure === 1 && unsure === 0) return 'yes';
  return (sure ?? 0) <= 1 && (unsure ?? 0) > 0 ? 'unknown' : judge.no(place, 'must match exactly one schema in oneOf');
};

/** What a part says, without what it says about it. */
const quietly = ({ judge, value, place }: Asked, schema: unknown): Fit =>
  judge.aside(
    () => judge.fits(schema, value, place),
    () => false,
  );

const not: Rule = (asked, operand) => {
  const fit = quietly(asked, operand);
  if (fit === 'unknown') return 'unknown';
  return fit === 'no' ? 'yes' : asked.judge.no(asked.place, 'must NOT be valid');
};

const condition: Rule = (asked, operand) => {
  const { judge, schema, value, place } = asked;
  const fit = quietly(asked, operand);
  const branch = (key: 'then' | 'else'): Fit =>
    Object.hasOwn(schema, key) ? judge.fits(schema[key], value, place) : 'yes';
  if (fit === 'unknown') {
    const both = judge.aside(
      () => [branch('then'), branch('else')],
      () => false,
    );
    return both.every((one) => one === 'yes') ? 'yes' : 'unknown';
  }
  return branch(fit === 'yes' ? 'then' : 'else');
};

const reference: Rule = ({ judge, value, place }, operand) => {
  const target = typeof operand === 'string' ? judge.target(operand) : undefined;
  return target === undefined ? 'unknown' : judge.fits(target, value, place);
};

const properties: Rule = ({ judge, value, place }, operand) => {
  if (!isObject(operand)) return judge.malformed('properties that are no object');
  if (!isObject(value)) return 'yes';
  return all(judge, keysOf(judge, value), (key) =>
    Object.hasOwn(operand, key) ? judge.fits(operand[key], value[key], { key, above: place }) : 'yes',
  );
};

const additionalProperties: Rule = ({ judge, schema, value, place }, operand) => {
  if (!isObject(value) || operand === true) return 'yes';
  const known = isObject(schema.properties) ? schema.properties : {};
  const others = keysOf(judge, value).filter((key) => !Object.hasOwn(known, key));
  judge.spend(others.length);
  if (others.length === 0) return 'yes';
  // They may be the others' business: their names are held against regular expressions.
  if (Object.hasOwn(schema, 'patternProperties')) return 'unknown';
  if (operand === false) return judge.no(place, 'must NOT have additional properties');
  return all(judge, others, (key) => judge.fits(operand, value[key], { key, above: place }));
};

const propertyNames: Rule = ({ judge, value, place }, operand) =>
  isObject(value) ? all(judge, keysOf(judge, value), (key) => judge.fits(operand, key, { key, above: place })) : 'yes';

const dependentSchemas: Rule = (asked, operand) => {
  const { judge, value, place } = asked;
  if (!isObject(operand)) return judge.malformed('dependent schemas that are no object');
  if (!isObject(value)) return 'yes';
  const concerned = keysOf(judge, value).filter((key) => Object.hasOwn(operand, key));
  return all(judge, concerned, (key) =>
    Array.isArray(operand[key]) ? required(asked, operand[key]) : judge.fits(operand[key], value, place),
  );
};

/** From which place on `items` counts: behind the list, whatever the draft calls it. */
const itemsFrom =
  (from: (schema: SchemaObject) => number): Rule =>
  ({ judge, schema, value, place }, operand) =>
    Array.isArray(value)
      ? all(judge, value.slice(from(schema)), (item, at) =>
          judge.fits(operand, item, { key: at + from(schema), above: place }),
        )
      : 'yes';

const lengthOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0);

const prefixItems: Rule = ({ judge, value, place }, operand) => {
  if (!Array.isArray(operand)) return judge.malformed('a prefixItems that is no list');
  if (!Array.isArray(value)) return 'yes';
  return all(judge, value.slice(0, operand.length), (item, at) =>
    judge.fits(operand[at], item, { key: at, above: place }),
  );
};

const itemsOrList: Rule = (asked, operand) =>
  Array.isArray(operand)
    ? prefixItems(asked, operand)
    : itemsFrom(({ prefixItems: list }) => lengthOf(list))(asked, operand);

const additionalItems: Rule = (asked, operand) =>
  Array.isArray(asked.schema.items) ? itemsFrom(({ items: list }) => lengthOf(list))(asked, operand) : 'yes';

const contains: Rule = ({ judge, schema, value, place }, operand) => {
  if (!Array.isArray(value)) return 'yes';
  const { minContains: least = 1, maxContains: most = Number.POSITIVE_INFINITY } = schema;
  if (typeof least !== 'number' || typeof most !== 'number') return judge.malformed('a bound that is no number');
  const fits = value.map((item) => quietly({ judge, schema, value: item, place }, operand));
  const [sure, possible] = [fits.filter((fit) => fit === 'yes').length, fits.filter((fit) => fit !== 'no').length];
  if (sure > most || possible < least) return judge.no(place, `must contain at least ${least} valid item(s)`);
  return sure >= least && possible <= most ? 'yes' : 'unknown';
};

/** Asked by nobody: what they say rests on regular expressions, on scopes or on what other rules have seen. */
const notAsked: Rule = () => 'unknown';

export const RULES: Readonly<Record<string, Rule>> = {
  type,
  enum: equal((operand) => operand, 'must be equal to one of the allowed values'),
  const: equal((operand) => [operand], 'must be equal to constant'),
  minimum: bound(size, atLeast, (least) => `must be >= ${least}`),
  maximum: bound(size, atMost, (most) => `must be <= ${most}`),
  exclusiveMinimum: bound(
    size,
    (is, least) => is > least,
    (least) => `must be > ${least}`,
  ),
  exclusiveMaximum: bound(
    size,
    (is, most) => is < most,
    (most) => `must be < ${most}`,
  ),
  multipleOf: bound(
    size,
    (is, of) => Number.isInteger(is / of),
    (of) => `must be multiple of ${of}`,
  ),
  minLength: bound(length, atLeast, (least) => `must NOT have fewer than ${least} characters`),
  maxLength: bound(length, atMost, (most) => `must NOT have more than ${most} characters`),
  minItems: bound(items, atLeast, (least) => `must NOT have fewer than ${least} items`),
  maxItems: bound(items, atMost, (most) => `must NOT have more than ${most} items`),
  minProperties: bound(members, atLeast, (least) => `must NOT have fewer than ${least} properties`),
  maxProperties: bound(members, atMost, (most) => `must NOT have more than ${most} properties`),
  uniqueItems,
  required,
  dependentRequired,
  dependentSchemas,
  dependencies: dependentSchemas,
  allOf,
  anyOf,
  oneOf,
  not,
  if: condition,
  $ref: reference,
  properties,
  additionalProperties,
  propertyNames,
  prefixItems,
  items: itemsOrList,
  additionalItems,
  contains,
  pattern: ({ value }) => (typeof value === 'string' ? 'unknown' : 'yes'),
  format: ({ value }) => (typeof value === 'string' ? 'unknown' : 'yes'),
  patternProperties: ({ value }) => (isObject(value) ? 'unknown' : 'yes'),
  unevaluatedProperties: ({ value }) => (isObject(value) ? 'unknown' : 'yes'),
  unevaluatedItems: ({ value }) => (Array.isArray(value) ? 'unknown' : 'yes'),
  $dynamicRef: notAsked,
  $recursiveRef: notAsked,
};
