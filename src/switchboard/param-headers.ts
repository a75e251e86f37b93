// Arguments of a call that are also sent as HTTP headers, so that a proxy can route the call without reading its body. The tool's input
// schema says which ones, with `x-mcp-header` (MCP 2026-07-28, Streamable HTTP, "Custom Headers from Tool Parameters"). Pure.
import { CORE_LIMITS } from '../core/limits.js';
import { isObject } from '../proof/canonical-json.js';
import { SWITCHBOARD_LIMITS } from './limits.js';
import { excessOf, type SchemaObject } from './schema-node.js';

const ANNOTATION = 'x-mcp-header';

export interface ParamHeader {
  /** The whole name of the header, such as `Mcp-Param-Region`. */
  readonly name: string;
  /** The names of the members that lead to the value in a call's arguments. */
  readonly path: readonly string[];
}

/** The headers that a tool's parameters ask for, or why the tool's definition must be rejected. */
export type ParamHeaders = { readonly params: readonly ParamHeader[] } | { readonly fault: string };

/** One schema inside an input schema. `path`: undefined if other keywords than `properties` lead to it. */
interface Place {
  readonly schema: SchemaObject;
  readonly path: readonly string[] | undefined;
}

/** JSON Schema keywords that hold schemas by name. */
const SCHEMA_MAPS: ReadonlySet<string> = new Set([
  ...['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas', 'dependencies'],
]);

/** JSON Schema keywords that hold a schema, or a list of schemas. */
const SCHEMAS: ReadonlySet<string> = new Set([
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains', 'contentSchema'],
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames'],
  ...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'],
]);

const membersOf = (value: unknown): readonly [string, unknown][] => (isObject(value) ? Object.entries(value) : []);

const placeOf = (schema: unknown, path?: readonly string[]): readonly Place[] =>
  isObject(schema) ? [{ schema, path }] : [];

/** The schemas directly inside a schema. */
const placesIn = ({ schema, path }: Place): readonly Place[] =>
  membersOf(schema).flatMap(([keyword, value]) => {
    if (SCHEMAS.has(keyword)) return [value].flat().flatMap((inner) => placeOf(inner));
    if (!SCHEMA_MAPS.has(keyword)) return [];
    const isParameter = keyword === 'properties' && path !== undefined;
    return membersOf(value).flatMap(([name, inner]) => placeOf(inner, isParameter ? [...path, name] : undefined));
  });

/** All schemas inside an input schema that have the annotation. */
const annotatedIn = (inputSchema: SchemaObject): readonly Place[] => {
  const found: Place[] = [];
  const left: Place[] = [{ schema: inputSchema, path: [] }];
  for (let place = left.pop(); place !== undefined; place = left.pop()) {
    if (Object.hasOwn(place.schema, ANNOTATION)) found.push(place);
    left.push(...placesIn(place).toReversed());
  }
  return found;
};

/** A header's name, RFC 9110 §5.1: one or more `tchar`. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: readonly unknown[] = ['string', 'integer', 'boolean'];

const quoted = (path: readonly string[]): string =>
  JSON.stringify(path.join('.')).slice(0, CORE_LIMITS.quotedChars).toWellFormed();

/** Why an annotation is invalid; undefined if it is valid. `taken`: the names of headers that the tool has already, in lower case. */
const faultOf = ({ schema, path }: Place, taken: ReadonlySet<string>): string | undefined => {
  if (path === undefined || path.length === 0) return 'it has an x-mcp-header in a place other than a parameter';
  const name = schema[ANNOTATION];
  const parameter = `its parameter ${quoted(path)} has an x-mcp-header`;
  if (typeof name !== 'string' || !TOKEN.test(name)) return `${parameter} that is not the name of a header`;
  if (!TYPES.includes(schema.type)) return `${parameter} and is not of type string, integer or boolean`;
  return taken.has(name.toLowerCase()) ? `${parameter} that another parameter has, too` : undefined;
};

/** The headers that the parameters of a tool ask for. A schema that is too big is not searched: a tool with such a schema is not listed. */
export const paramHeadersOf = (inputSchema: unknown): ParamHeaders => {
  if (!isObject(inputSchema) || excessOf(inputSchema) !== undefined) return { params: [] };
  const params: ParamHeader[] = [];
  const taken = new Set<string>();
  for (const place of annotatedIn(inputSchema)) {
    const fault = faultOf(place, taken);
    if (fault !== undefined) return { fault };
    const name = String(place.schema[ANNOTATION]);
    taken.add(name.toLowerCase());
    params.push({ name: `Mcp-Param-${name}`, path: place.path ?? [] });
  }
  return { params };
};

const valueAt = (args: unknown, path: readonly string[]): unknown =>
  path.reduce((value, key) => (isObject(value) ? value[key] : undefined), args);

/**
 * The text of an argument in a header; undefined if there is no header for it. Objects and lists have none: they are no values for such a
 * parameter, and the server says so better than a header could.
 */
const textOf = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value;
  const isNumber = typeof value === 'number' && (Number.isSafeInteger(value) || !Number.isInteger(value));
  return isNumber || typeof value === 'boolean' ? String(value) : undefined;
};

/** Visible ASCII with blanks inside. Everything else is encoded, even what RFC 9110 allows: a tab, and a value without characters. */
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const [OPEN, CLOSE] = ['=?base64?', '?='];

const encoded = (text: string): string => {
  const isPlain = PLAIN.test(text) && !(text.startsWith(OPEN) && text.endsWith(CLOSE));
  return isPlain ? text : `${OPEN}${Buffer.from(text).toString('base64')}${CLOSE}`;
};

const TOO_LONG = `all such headers of the call together would have more than ${SWITCHBOARD_LIMITS.paramHeaderBytes} bytes`;

/** The headers of one call, or why the call cannot be sent: a header would not say what its argument says, or would be too long. */
export type CallHeaders = { readonly headers: Readonly<Record<string, string>> } | { readonly fault: string };

export const headersFor = (params: readonly ParamHeader[], args: unknown): CallHeaders => {
  const headers: Record<string, string> = {};
  let left: number = SWITCHBOARD_LIMITS.paramHeaderBytes;
  for (const { name, path } of params) {
    const text = textOf(valueAt(args, path));
    if (text === undefined) continue;
    const argument = `The argument ${quoted(path)} cannot be sent as an HTTP header, which the tool requires`;
    if (!text.isWellFormed()) return { fault: `${argument}: it has half of a surrogate pair` };
    const value = encoded(text);
    left -= name.length + value.length;
    if (left < 0) return { fault: `${argument}: ${TOO_LONG}` };
    headers[name] = value;
  }
  return { headers };
};
