// The rule for the JSON Schema keyword `unevaluatedProperties`. The check does not keep which other rules passed, so a member name counts as
// evaluated if any rule could have evaluated it. Only names that no rule mentions are refused.
import { isObject } from '../proof/canonical-json.js';
import type { Asked, Rule } from './schema-judge.js';
import type { SchemaObject } from './schema-node.js';

const LISTS = ['allOf', 'anyOf', 'oneOf'];
const SINGLE = ['if', 'then', 'else'];
/** Keywords that evaluate member names without listing them, or that refer to schemas which are not followed here. */
const OPEN = [
  'additionalProperties',
  'patternProperties',
  'unevaluatedProperties',
  '$dynamicRef',
  '$recursiveRef',
  '$id',
];

const valuesOf = (value: unknown): readonly unknown[] => (isObject(value) ? Object.values(value) : []);

/** The schemas inside a schema that are checked against the same value, such as those in `allOf`. */
const besides = ({ judge }: Asked, schema: SchemaObject): readonly unknown[] => [
  ...LISTS.flatMap((key) => (Array.isArray(schema[key]) ? schema[key] : [])),
  ...SINGLE.map((key) => schema[key]),
  ...valuesOf(schema.dependentSchemas),
  ...valuesOf(schema.dependencies),
  ...(typeof schema.$ref === 'string' ? [judge.target(schema.$ref) ?? { $dynamicRef: '' }] : []),
];

/** Every schema inside `asked.schema`, at any depth, that is checked against the same value as `asked.schema`; each is listed once. */
const allBesides = (asked: Asked): readonly SchemaObject[] => {
  const found = new Set<SchemaObject>();
  const left: unknown[] = [...besides(asked, asked.schema)];
  while (left.length > 0) {
    const next = left.pop();
    asked.judge.spend(1);
    if (!isObject(next) || found.has(next)) continue;
    found.add(next);
    left.push(...besides(asked, next));
  }
  return [...found];
};

const knows = (schema: SchemaObject, key: string): boolean =>
  isObject(schema.properties) && Object.hasOwn(schema.properties, key);

export const unevaluatedProperties: Rule = (asked, operand) => {
  const { judge, schema, value, place } = asked;
  if (!isObject(value) || operand === true) return 'yes';
  const unlisted = judge.keysOf(value).filter((key) => !knows(schema, key));
  if (unlisted.length === 0) return 'yes';
  const others = allBesides(asked);
  const isOpen =
    Object.hasOwn(schema, 'patternProperties') ||
    Object.hasOwn(schema, 'additionalProperties') ||
    others.some((other) => OPEN.some((key) => Object.hasOwn(other, key)));
  judge.spend(unlisted.length * others.length);
  const unseen = isOpen ? [] : unlisted.filter((key) => !others.some((other) => knows(other, key)));
  if (unseen.length > 0 && operand === false) return judge.no(place, 'must NOT have unevaluated properties');
  const fit = judge.all(unseen, (key) => judge.fits(operand, value[key], { key, above: place }));
  return unseen.length < unlisted.length && fit === 'yes' ? 'unknown' : fit;
};
