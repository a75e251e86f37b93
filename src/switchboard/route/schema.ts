// Makes the input schema of a route: it is the schema of the first provider without a mapping or, if all have mappings, a schema made from the
// names that the mappings use. All functions are pure.
import { isObject } from '../../proof/canonical-json.js';
import type { Route } from '../config/routes.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { shortened } from '../refusal.js';
import type { SchemaObject } from '../schema-node.js';
import { type Use, usesOf } from './arguments.js';
import type { KnownServer } from './check.js';

/** The input schemas of a route's providers, in order; undefined if a schema was not read yet. */
export type ProviderSchemas = readonly (SchemaObject | undefined)[];

export interface RouteSchema {
  readonly schema: SchemaObject;
  /** The index of the provider whose schema the route has; null if the schema was made from the mappings. */
  readonly source: number | null;
}

/** Whether a property's schema contains a reference. Such a schema cannot be copied, because in another schema the reference points to nothing. */
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

/** The schema of a route's argument, taken from a provider: from the argument that the first provider fills with the route's argument alone. */
const describedBy = (name: string, mapped: readonly Mapped[]): SchemaObject => {
  for (const { uses, schema } of mapped) {
    const use = uses.find((one) => one.name === name && one.whole);
    const property = use && propertyOf(schema, use.into);
    if (property !== undefined) return property;
  }
  return {};
};

/** Whether a provider needs the route's argument: it is the only value, without a default, for an argument that the provider's tool requires. */
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

/** A schema that accepts any arguments. A route has this schema until the tool list with its provider's schema was read. */
const UNKNOWN: SchemaObject = { type: 'object' };

export const routeSchema = ({ providers }: Route, schemas: ProviderSchemas): RouteSchema => {
  const plain = [...providers.keys()].filter((at) => providers[at]?.arguments === null);
  const source = plain.find((at) => schemas[at] !== undefined) ?? plain[0];
  if (source !== undefined) return { schema: schemas[source] ?? UNKNOWN, source };
  const mapped = providers.map((provider, at) => ({ uses: usesOf(provider.arguments), schema: schemas[at] }));
  return { schema: fromMappings(mapped), source: null };
};

// Reads from a tool's schema which argument names it knows and which it requires. If the schema does not say, every name is allowed.

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

// Makes the entry of a route in `tools/list`.

export interface ListedRoute {
  readonly name: string;
  readonly [key: string]: unknown;
}

/** The description of a tool, made well-formed Unicode and cut to `routeToolChars`. */
const ownWords = (definition: SchemaObject | undefined): string =>
  typeof definition?.description === 'string'
    ? shortened(definition.description.trim(), SWITCHBOARD_LIMITS.routeToolChars)
    : '';

export interface RouteListing extends RouteSchema {
  /** The route's public name. */
  readonly name: string;
  readonly servers: ReadonlyMap<string, KnownServer>;
}

/** The route's entry in `tools/list`. It says read-only only if every provider is. It has no `outputSchema`, because providers' results differ. */
export const listedRoute = (route: Route, { name, servers, schema, source }: RouteListing): ListedRoute => {
  const toolAt = (at: number) => {
    const provider = route.providers[at];
    return provider && servers.get(provider.server)?.tools?.get(provider.tool);
  };
  const order = route.providers.map(({ server, tool }) => `${tool} of ${server}`.toWellFormed()).join(', then ');
  const words = ownWords(toolAt(source ?? 0)?.definition);
  return {
    name,
    description: `Route ${route.name}: served by the first of its providers that is healthy: ${order}.${words === '' ? '' : `\n\n${words}`}`,
    inputSchema: schema,
    annotations: {
      readOnlyHint: route.providers.every((_, at) => toolAt(at)?.readOnly === true),
      openWorldHint: true,
    },
  };
};
