// Reads from a tool's schema which argument names are known and which are required. If the schema does not say, every name is allowed. Pure.
import { isObject } from '../../proof/json-object.js';
import type { SchemaObject } from '../schema-node.js';

export interface ArgumentNames {
  /** The known argument names; null if every name is allowed. */
  readonly known: readonly string[] | null;
  readonly required: readonly string[];
}

/** JSON Schema keywords that may allow or require names beyond `properties`. */
const ELSEWHERE = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas', 'patternProperties'];

/**
 * The argument names that a schema knows. A name outside `properties` is unknown even if the schema does not forbid it, because servers
 * ignore such arguments silently. Only `additionalProperties: true`, or a schema in its place, allows every name.
 */
const knownIn = (schema: SchemaObject): readonly string[] | null => {
  const { properties, additionalProperties } = schema;
  if (ELSEWHERE.some((key) => Object.hasOwn(schema, key))) return null;
  if (additionalProperties === true || isObject(additionalProperties)) return null;
  if (isObject(properties)) return Object.keys(properties);
  return additionalProperties === false ? [] : null;
};

export const argumentNames = (schema: SchemaObject): ArgumentNames => ({
  known: knownIn(schema),
  required: Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string') : [],
});

export const isKnown = ({ known }: Pick<ArgumentNames, 'known'>, name: string): boolean =>
  known === null || known.includes(name);
