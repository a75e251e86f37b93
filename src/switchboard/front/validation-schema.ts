// The copy of a tool's schema that arguments are held against: without `pattern` and `patternProperties`, whose regular
// expressions come from a stranger and can block the process. The copy accepts whatever the original accepts, so wherever a
// looser part would make the whole stricter (`not`, `if`, `oneOf` …), that part goes too.
import { isObject, type SchemaObject } from '../schema-node.js';

const ONE = [
  'additionalItems',
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
];
const LISTS = ['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems'];
const MAPS = ['$defs', 'definitions', 'dependencies', 'dependentSchemas', 'properties'];
/** Keys whose looser parts change what counts as evaluated beside them. */
const BESIDE = [
  '$dynamicRef',
  '$recursiveRef',
  '$ref',
  'allOf',
  'anyOf',
  'dependentSchemas',
  'else',
  'if',
  'oneOf',
  'then',
];

interface Copy {
  readonly schema: unknown;
  /** Something was removed in it, or may have been in what it refers to. */
  readonly looser: boolean;
}

const copyList = (values: readonly unknown[]): Copy => {
  const copies = values.map(copyOf);
  return { schema: copies.map(({ schema }) => schema), looser: copies.some(({ looser }) => looser) };
};

const copyMap = (values: SchemaObject): Copy => {
  const copies = Object.entries(values).map(([key, value]) => [key, copyOf(value)] as const);
  const schema = Object.fromEntries(copies.map(([key, copy]) => [key, copy.schema]));
  return { schema, looser: copies.some(([, { looser }]) => looser) };
};

/** Only where the key holds schemas: `enum`, `default` and a property called "pattern" are data. */
const copyMember = (key: string, value: unknown): Copy => {
  if (LISTS.includes(key) && Array.isArray(value)) return copyList(value);
  if (MAPS.includes(key) && isObject(value)) return copyMap(value);
  if (ONE.includes(key) && isObject(value)) return copyOf(value);
  return { schema: value, looser: /^\$(dynamic|recursive)?ref$/i.test(key) };
};

const copyOf = (schema: unknown): Copy => {
  if (!isObject(schema)) return { schema, looser: false };
  const members = new Map(Object.entries(schema).map(([key, value]) => [key, copyMember(key, value)]));
  const looser =
    members.has('pattern') || members.has('patternProperties') || [...members.values()].some((one) => one.looser);
  return { schema: Object.fromEntries(loosened(members)), looser };
};

const loosened = (members: Map<string, Copy>): [string, unknown][] => {
  const isLooser = (key: string): boolean => members.get(key)?.looser === true;
  const dropped = new Set(['pattern', 'patternProperties']);
  const drop = (...keys: readonly string[]): void => keys.forEach((key) => void dropped.add(key));
  if (members.has('patternProperties')) drop('additionalProperties', 'unevaluatedProperties');
  if (isLooser('not')) drop('not');
  if (isLooser('if')) drop('if', 'then', 'else');
  if (isLooser('contains')) drop('maxContains', 'unevaluatedItems');
  if (BESIDE.some(isLooser)) drop('unevaluatedProperties', 'unevaluatedItems');
  const kept = [...members]
    .filter(([key]) => !dropped.has(key))
    .map(([key, copy]): [string, unknown] => [key, copy.schema]);
  return isLooser('oneOf') ? asAnyOf(kept) : kept;
};

/** Of looser branches more than one may fit. */
const asAnyOf = (kept: [string, unknown][]): [string, unknown][] => {
  const all = Object.fromEntries(kept);
  const others = kept.filter(([key]) => key !== 'oneOf' && key !== 'allOf');
  return [...others, ['allOf', [...(Array.isArray(all.allOf) ? all.allOf : []), { anyOf: all.oneOf }]]];
};

const hasPatterns = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(hasPatterns)
    : isObject(value) &&
      (Object.hasOwn(value, 'pattern') ||
        Object.hasOwn(value, 'patternProperties') ||
        Object.values(value).some(hasPatterns));

/** The same object when there is nothing to remove. The schema must have passed safeSchema: its depth is bounded. */
export const validationSchema = (schema: SchemaObject): SchemaObject =>
  hasPatterns(schema) ? (copyOf(schema).schema as SchemaObject) : schema;
