// The keywords of JSON Schema (2020-12, and their names in older drafts), each as one rule. Keywords that are not in the table are
// ignored. Rules that measure or compare a value are in schema-assertions.ts. Problems are worded as Ajv words them, because models
// know those messages.
// biome-ignore-all lint/suspicious/noThenProperty: a keyword of JSON Schema

import { isObject } from '../proof/canonical-json.js';
import { ASSERTIONS } from './schema-assertions.js';
import type { Asked, Fit, Rule } from './schema-judge.js';
import type { SchemaObject } from './schema-node.js';
import { unevaluatedProperties } from './schema-unevaluated.js';

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
    return judge.malformed('an unknown type');
  return names.some((name) => TYPES[name]?.(value)) ? 'yes' : judge.no(place, `must be ${names.join(',')}`);
};

const required: Rule = ({ judge, value, place }, operand) => {
  if (!Array.isArray(operand)) return judge.malformed('a required that is not a list');
  if (!isObject(value)) return 'yes';
  judge.spend(operand.length);
  const missing = operand.filter((key) => typeof key === 'string' && !Object.hasOwn(value, key));
  for (const key of missing) judge.no(place, `must have required property '${key}'`);
  return missing.length === 0 ? 'yes' : 'no';
};

const allOf: Rule = ({ judge, value, place }, operand) =>
  Array.isArray(operand)
    ? judge.all(operand, (inner) => judge.fits(inner, value, place))
    : judge.malformed('an allOf that is not a list');

const anyOf: Rule = ({ judge, value, place }, operand) => {
  if (!Array.isArray(operand)) return judge.malformed('an anyOf that is not a list');
  const ask = (): readonly Fit[] => operand.map((inner) => judge.fits(inner, value, place));
  const fits = judge.aside(ask, (answers) => answers.every((fit) => fit === 'no'));
  const best = (['yes', 'unknown'] as const).find((fit) => fits.includes(fit));
  return best ?? judge.no(place, 'must match a schema in anyOf');
};

const oneOf: Rule = ({ judge, value, place }, operand) => {
  if (!Array.isArray(operand)) return judge.malformed('a oneOf that is not a list');
  const ask = (): readonly Fit[] => operand.map((inner) => judge.fits(inner, value, place));
  const fits = judge.aside(ask, (answers) => answers.every((fit) => fit === 'no'));
  const [sure, unsure] = (['yes', 'unknown'] as const).map((fit) => fits.filter((one) => one === fit).length);
  if (sure === 1 && unsure === 0) return 'yes';
  return (sure ?? 0) <= 1 && (unsure ?? 0) > 0 ? 'unknown' : judge.no(place, 'must match exactly one schema in oneOf');
};

/** Checks a value against a schema without adding problems to the report. */
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
  if (!isObject(operand)) return judge.malformed('properties that are not an object');
  if (!isObject(value)) return 'yes';
  return judge.all(judge.keysOf(value), (key) =>
    Object.hasOwn(operand, key) ? judge.fits(operand[key], value[key], { key, above: place }) : 'yes',
  );
};

const additionalProperties: Rule = ({ judge, schema, value, place }, operand) => {
  if (!isObject(value) || operand === true) return 'yes';
  const known = isObject(schema.properties) ? schema.properties : {};
  const others = judge.keysOf(value).filter((key) => !Object.hasOwn(known, key));
  judge.spend(others.length);
  if (others.length === 0) return 'yes';
  // `patternProperties` may allow the names that `properties` does not list, but regular expressions are not run here.
  if (Object.hasOwn(schema, 'patternProperties')) return 'unknown';
  if (operand === false) return judge.no(place, 'must NOT have additional properties');
  return judge.all(others, (key) => judge.fits(operand, value[key], { key, above: place }));
};

const propertyNames: Rule = ({ judge, value, place }, operand) =>
  isObject(value) ? judge.all(judge.keysOf(value), (key) => judge.fits(operand, key, { key, above: place })) : 'yes';

/** Makes the rule for a `dependent…` keyword: `apply` checks what the keyword demands for each member name that the value has. */
const dependent =
  (apply: Rule): Rule =>
  (asked, operand) => {
    const { judge, value } = asked;
    if (!isObject(operand)) return judge.malformed('dependencies that are not an object');
    if (!isObject(value)) return 'yes';
    const concerned = judge.keysOf(value).filter((key) => Object.hasOwn(operand, key));
    return judge.all(concerned, (key) => apply(asked, operand[key]));
  };

const dependentSchemas = dependent((asked, inner) =>
  Array.isArray(inner) ? required(asked, inner) : asked.judge.fits(inner, asked.value, asked.place),
);

/** Makes the rule that checks the items of a list from the index that `from` returns: the items before have schemas of their own. */
const itemsFrom =
  (from: (schema: SchemaObject) => number): Rule =>
  ({ judge, schema, value, place }, operand) =>
    Array.isArray(value)
      ? judge.all(value.slice(from(schema)), (item, at) =>
          judge.fits(operand, item, { key: at + from(schema), above: place }),
        )
      : 'yes';

const lengthOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0);

const prefixItems: Rule = ({ judge, value, place }, operand) => {
  if (!Array.isArray(operand)) return judge.malformed('a prefixItems that is not a list');
  if (!Array.isArray(value)) return 'yes';
  return judge.all(value.slice(0, operand.length), (item, at) =>
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
  if (typeof least !== 'number' || typeof most !== 'number') return judge.malformed('a bound that is not a number');
  const fits = value.map((item) => quietly({ judge, schema, value: item, place }, operand));
  const [sure, possible] = [fits.filter((fit) => fit === 'yes').length, fits.filter((fit) => fit !== 'no').length];
  if (sure > most || possible < least) return judge.no(place, `must contain at least ${least} valid item(s)`);
  return sure >= least && possible <= most ? 'yes' : 'unknown';
};

/** The rule for the keywords `$dynamicRef` and `$recursiveRef`, which are not checked: their result is always `unknown`. */
const notAsked: Rule = () => 'unknown';

export const RULES: Readonly<Record<string, Rule>> = {
  ...ASSERTIONS,
  type,
  required,
  dependentRequired: dependent(required),
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
  unevaluatedProperties,
  unevaluatedItems: ({ value }) => (Array.isArray(value) ? 'unknown' : 'yes'),
  $dynamicRef: notAsked,
  $recursiveRef: notAsked,
};
