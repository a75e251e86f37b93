// The keywords of JSON Schema (2020-12, and their names in older drafts), each as one rule. Keywords that are not in the table are
// ignored. The rules here apply other schemas; rules that check the value itself are in schema-assertions.ts.
// biome-ignore-all lint/suspicious/noThenProperty: a keyword of JSON Schema

import { isObject } from '../proof/json-object.js';
import { ASSERTIONS, required } from './schema-assertions.js';
import type { SchemaObject } from './schema-node.js';
import { type Asked, all, better, type Fit, keysOf, type Rule } from './schema-rule.js';
import { unevaluatedProperties } from './schema-unevaluated.js';

const allOf: Rule = ({ judge, value, place }, operand) =>
  Array.isArray(operand)
    ? all(judge, operand, (inner) => judge.fits(inner, value, place))
    : judge.malformed('an allOf that is not a list');

const anyOf: Rule = ({ judge, value, place }, operand) => {
  if (!Array.isArray(operand)) return judge.malformed('an anyOf that is not a list');
  const ask = (): Fit => operand.reduce<Fit>((fit, inner) => better(fit, judge.fits(inner, value, place)), 'no');
  const fit = judge.aside(ask, (answer) => answer === 'no');
  return fit === 'no' ? judge.no(place, 'must match a schema in anyOf') : fit;
};

const oneOf: Rule = ({ judge, value, place }, operand) => {
  if (!Array.isArray(operand)) return judge.malformed('a oneOf that is not a list');
  const ask = (): readonly Fit[] => operand.map((inner) => judge.fits(inner, value, place));
  const fits = judge.aside(ask, (answers) => answers.every((fit) => fit === 'no'));
  const [sure, unsure] = (['yes', 'unknown'] as const).map((fit) => fits.filter((one) => one === fit).length);
  if (sure === 1 && unsure === 0) return 'yes';
  return (sure ?? 0) <= 1 && (unsure ?? 0) > 0 ? 'unknown' : judge.no(place, 'must match exactly one schema in oneOf');
};

/** Applies a schema without adding the problems that it finds. */
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
  // patternProperties may allow these names, and regular expressions are not run.
  if (Object.hasOwn(schema, 'patternProperties')) return 'unknown';
  if (operand === false) return judge.no(place, 'must NOT have additional properties');
  return all(judge, others, (key) => judge.fits(operand, value[key], { key, above: place }));
};

const propertyNames: Rule = ({ judge, value, place }, operand) =>
  isObject(value) ? all(judge, keysOf(judge, value), (key) => judge.fits(operand, key, { key, above: place })) : 'yes';

const dependentSchemas: Rule = (asked, operand) => {
  const { judge, value, place } = asked;
  if (!isObject(operand)) return judge.malformed('dependent schemas that are not an object');
  if (!isObject(value)) return 'yes';
  const concerned = keysOf(judge, value).filter((key) => Object.hasOwn(operand, key));
  return all(judge, concerned, (key) =>
    Array.isArray(operand[key]) ? required(asked, operand[key]) : judge.fits(operand[key], value, place),
  );
};

/** The index of the first list item that `items` applies to: after the list of item schemas, whose keyword differs between drafts. */
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
  if (!Array.isArray(operand)) return judge.malformed('a prefixItems that is not a list');
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
  if (typeof least !== 'number' || typeof most !== 'number') return judge.malformed('a bound that is not a number');
  const fits = value.map((item) => quietly({ judge, schema, value: item, place }, operand));
  const [sure, possible] = [fits.filter((fit) => fit === 'yes').length, fits.filter((fit) => fit !== 'no').length];
  if (sure > most || possible < least) return judge.no(place, `must contain at least ${least} valid item(s)`);
  return sure >= least && possible <= most ? 'yes' : 'unknown';
};

/** The rule for keywords that are not checked: they depend on regular expressions, dynamic scopes or the results of other rules. */
const notAsked: Rule = () => 'unknown';

export const RULES: Readonly<Record<string, Rule>> = {
  ...ASSERTIONS,
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
