// What a tool's schema says about the names of its arguments. Where it does not say, nothing is held against anybody. Pure.
import { isObject } from '../../proof/json-object.js';
import type { SchemaObject } from '../schema-node.js';

export interface ArgumentNames {
  /** Null: any name may be meant. */
  readonly known: readonly string[] | null;
  readonly required: readonly string[];
}

/** Rules that may allow or want names beyond `properties`. */
const ELSEWHERE = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas', 'patternProperties'];

/**
 * A name that stands in no `properties` is unknown, even where more would be let through: servers drop such arguments without
 * a word. Only a schema that asks for more (`additionalProperties: true` or a schema) takes any name.
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
