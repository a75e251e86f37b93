// Reads arguments that a tool's schema rejects as they were meant, for ids, enums, numbers, booleans and lists: models write `"5"` for 5,
// `"High"` for `"high"`, `"[]"` for an empty list and blanks around an id. Free text is never touched: a text argument is read leniently only
// if it has a fixed form (`bounded`). Whether the result is valid is for the schema to say.
import * as z from 'zod';
import { quietly } from '../errors.js';
import { isObject, type JsonObject } from '../proof/canonical-json.js';
import { ARGUMENT_DOCS } from './argument.js';
import { repairValue } from './from-text.js';

/** The key by which the schema of a text with a fixed form, such as an id, is marked. Clients do not get it. */
const FORM = 'x-form';

const hasForm = (schema: z.core.$ZodType): boolean => {
  const bound = ARGUMENT_DOCS.get(schema as z.ZodType)?.bound;
  return bound !== undefined && 'form' in bound;
};

const markedSchema = (schema: z.ZodType): unknown =>
  z.toJSONSchema(schema, {
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      if (hasForm(zodSchema)) jsonSchema[FORM] = true;
    },
  });

const typesOf = ({ type }: JsonObject): readonly string[] => [type].flat().filter((one) => typeof one === 'string');

const typeOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

/** Whether a value has a type that the schema names, and is one of its enum. */
const fits = (schema: JsonObject, value: unknown): boolean => {
  if (Array.isArray(schema.enum) && !schema.enum.includes(value)) return false;
  const types = typesOf(schema);
  return types.includes(typeOf(value)) || (types.includes('integer') && Number.isInteger(value));
};

/** The one value of an enum that a text names if case and blanks around it are ignored. */
const inEnum = (values: readonly unknown[], text: string): unknown => {
  const word = text.trim().toLowerCase();
  const named = values.filter((value) => typeof value === 'string' && value.toLowerCase() === word);
  return named.length === 1 ? named[0] : text;
};

const readText = (schema: JsonObject, text: string): unknown => {
  if (Array.isArray(schema.enum)) return inEnum(schema.enum, text);
  const types = typesOf(schema);
  if (types.includes('string')) return schema[FORM] === true ? text.trim() : text;
  const words = types.includes('boolean') ? text.trim().toLowerCase() : text.trim();
  const read = repairValue(types, words);
  return read === words ? text : read;
};

/** A number where an id is wanted: `42` for `"42"`. */
const readNumber = (schema: JsonObject, value: number): unknown =>
  schema[FORM] === true && Number.isSafeInteger(value) ? String(value) : value;

const readOne = (schema: JsonObject, value: unknown): unknown => {
  if (typeof value === 'string') return readText(schema, value);
  return typeof value === 'number' ? readNumber(schema, value) : value;
};

/** A list of one value, if a list is wanted and the value fits as its item; otherwise the value. */
const asList = (schema: JsonObject, value: unknown): unknown => {
  const { items } = schema;
  if (!typesOf(schema).includes('array') || !isObject(items) || fits(schema, value)) return value;
  if (typeof value === 'string' && value.trim() === '') return value;
  return fits(items, readOne(items, value)) ? [value] : value;
};

/** The value as the first branch of an `anyOf` reads it that then fits. */
const inBranch = (branches: readonly unknown[], value: unknown): unknown => {
  for (const branch of branches.filter(isObject)) {
    const read = readAt(branch, value);
    if (fits(branch, read)) return read;
  }
  return value;
};

const readInside = (schema: JsonObject, value: object): unknown => {
  const { items, properties } = schema;
  const members = Object.entries(value);
  const schemaOf = (key: string): unknown =>
    Array.isArray(value) ? items : isObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
  const read = members.map(([key, inner]) => readAt(schemaOf(key), inner));
  if (members.every(([, inner], at) => inner === read[at])) return value;
  return Array.isArray(value) ? read : Object.fromEntries(members.map(([key], at) => [key, read[at]]));
};

const readAt = (schema: unknown, value: unknown): unknown => {
  if (!isObject(schema)) return value;
  if (Array.isArray(schema.anyOf)) return inBranch(schema.anyOf, value);
  const read = asList(schema, readOne(schema, value));
  return typeof read === 'object' && read !== null ? readInside(schema, read) : read;
};

/** Reads arguments as they were meant; returns the same value if there is nothing to read in another way. */
export type ReadArguments = (args: unknown) => unknown;

/** The lenient reading for one schema. The JSON schema that it walks is made when it is first needed. */
export const lenientReading = (schema: z.ZodType): ReadArguments => {
  let marked: unknown;
  return (args) => {
    if (!isObject(args)) return args;
    marked ??= quietly(() => markedSchema(schema)) ?? {};
    return readAt(marked, args);
  };
};
