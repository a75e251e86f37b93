// Repairs a call's arguments: some clients send arrays, objects, numbers and booleans as JSON text in a string. If the schema wants one of
// these types and does not allow a string, the string is replaced by its parsed value. Whether the arguments are then valid is not checked here.

import { repairValue } from '../../call/from-text.js';
import { isObject } from '../../proof/canonical-json.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { newSteps, type Steps } from '../schema-judge.js';
import { pointedAt, type SchemaObject } from '../schema-node.js';

/** The schema of a value, and the document that the schema's references (`$ref`) point into. */
interface Wanted {
  readonly schema: unknown;
  readonly document: SchemaObject;
  /** How many schemas may still be looked at. When none may, strings are not parsed any more. */
  readonly steps: Steps;
}

const resolved = (wanted: Wanted, hops = 0): Wanted => {
  const { schema, document } = wanted;
  if (!isObject(schema) || typeof schema.$ref !== 'string') return wanted;
  if (hops >= SWITCHBOARD_LIMITS.schemaRefs) return { ...wanted, schema: undefined };
  return resolved({ ...wanted, schema: pointedAt(document, schema.$ref) }, hops + 1);
};

const typeOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

/**
 * All JSON types that a schema accepts; undefined if the schema does not say, and then strings are not parsed. `seen` holds the schemas that
 * were visited, because schemas that refer to each other would never end.
 */
const typesOf = (wanted: Wanted, seen = new Set<unknown>()): readonly string[] | undefined => {
  const { schema } = resolved(wanted);
  if (!isObject(schema) || --wanted.steps.left < 0) return undefined;
  if (seen.has(schema)) return [];
  seen.add(schema);
  if (typeof schema.type === 'string') return [schema.type];
  if (Array.isArray(schema.type)) return schema.type.filter((type) => typeof type === 'string');
  if (Array.isArray(schema.enum)) return [...new Set(schema.enum.map(typeOf))];
  if (Object.hasOwn(schema, 'const')) return [typeOf(schema.const)];
  const typesIn = (list: readonly unknown[]) => list.map((inner) => typesOf({ ...wanted, schema: inner }, seen));
  const branches = [schema.anyOf, schema.oneOf].find(Array.isArray);
  if (branches !== undefined) return unionOf(typesIn(branches));
  return typesIn(Array.isArray(schema.allOf) ? schema.allOf : []).find((types) => types !== undefined);
};

const unionOf = (all: readonly (readonly string[] | undefined)[]): readonly string[] | undefined =>
  all.includes(undefined) ? undefined : [...new Set(all.flatMap((types) => types ?? []))];

const schemaOfKey = (schema: SchemaObject, key: string): unknown => {
  const { properties } = schema;
  return isObject(properties) && Object.hasOwn(properties, key) ? properties[key] : schema.additionalProperties;
};

const repairInside = (value: object, wanted: Wanted, depth: number): unknown => {
  const { schema } = wanted;
  if (!isObject(schema) || depth >= SWITCHBOARD_LIMITS.repairDepth) return value;
  const inner = (item: unknown, itemSchema: unknown): unknown =>
    repairAt(item, { ...wanted, schema: itemSchema }, depth + 1);
  const items = Object.entries(value);
  const repaired = items.map(([key, item]) =>
    inner(item, Array.isArray(value) ? schema.items : schemaOfKey(schema, key)),
  );
  if (items.every(([, item], at) => item === repaired[at])) return value;
  return Array.isArray(value) ? repaired : Object.fromEntries(items.map(([key], at) => [key, repaired[at]]));
};

const repairAt = (value: unknown, wanted: Wanted, depth: number): unknown => {
  const read = typeof value === 'string' ? repairValue(typesOf(wanted) ?? ['string'], value) : value;
  return typeof read === 'object' && read !== null ? repairInside(read, resolved(wanted), depth) : read;
};

/** Repairs arguments that their schema rejects. Returns `value` itself if nothing was repaired. */
export const repairArguments = (schema: SchemaObject, value: unknown): unknown =>
  repairAt(value, { schema, document: schema, steps: newSteps() }, 0);
