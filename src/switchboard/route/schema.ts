// What callers of a route are asked for: the schema of the first provider that takes arguments as they come, else the names
// that the mappings use. Pure.

import { isObject } from '../../proof/json-object.js';
import type { Route } from '../config/routes.js';
import type { SchemaObject } from '../schema-node.js';
import { argumentNames } from './argument-names.js';
import { type Use, usesOf } from './arguments.js';

/** The schemas of a route's providers, in order; undefined where nobody has read it yet. */
export type ProviderSchemas = readonly (SchemaObject | undefined)[];

export interface RouteSchema {
  readonly schema: SchemaObject;
  /** The provider whose own schema it is; null: made from the mappings. */
  readonly source: number | null;
}

/** A reference inside leads nowhere once the property stands in another document. */
const holdsReference = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.some(holdsReference);
  if (!isObject(value)) return false;
  return (
    Object.hasOwn(value, '$ref') || Object.hasOwn(value, '$dynamicRef') || Object.values(value).some(holdsReference)
  );
};

const propertyOf = (schema: SchemaObject | undefined, name: string): SchemaObject | undefined => {
  const properties = schema?.properties;
  const property = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isObject(property) && !holdsReference(property) ? property : undefined;
};

interface Mapped {
  readonly uses: readonly Use[];
  readonly schema: SchemaObject | undefined;
}

/** As the first provider describes it that takes it whole. */
const describedBy = (name: string, mapped: readonly Mapped[]): SchemaObject => {
  for (const { uses, schema } of mapped) {
    const use = uses.find((one) => one.name === name && one.whole);
    const property = use && propertyOf(schema, use.into);
    if (property !== undefined) return property;
  }
  return {};
};

/** It goes into an argument that the target cannot do without, and nothing stands in for it. */
const isNeeded = (name: string, { uses, schema }: Mapped): boolean => {
  const { required } = argumentNames(schema ?? {});
  return uses.some((use) => use.name === name && use.whole && !use.hasDefault && required.includes(use.into));
};

const fromMappings = (mapped: readonly Mapped[]): SchemaObject => {
  const names = [...new Set(mapped.flatMap(({ uses }) => uses.map(({ name }) => name)))];
  const required = names.filter((name) => mapped.every((one) => isNeeded(name, one)));
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, describedBy(name, mapped)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
};

/** Any arguments, until the tools of a provider that decides are known. */
const UNKNOWN: SchemaObject = { type: 'object' };

export const routeSchema = ({ providers }: Route, schemas: ProviderSchemas): RouteSchema => {
  const plain = [...providers.keys()].filter((at) => providers[at]?.arguments === null);
  const source = plain.find((at) => schemas[at] !== undefined) ?? plain[0];
  if (source !== undefined) return { schema: schemas[source] ?? UNKNOWN, source };
  const mapped = providers.map((provider, at) => ({ uses: usesOf(provider.arguments), schema: schemas[at] }));
  return { schema: fromMappings(mapped), source: null };
};
