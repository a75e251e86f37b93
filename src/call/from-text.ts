// Reads a value that a client sent as JSON text in a string, where another type is wanted: some clients send arrays, objects, numbers and
// booleans so.
import { CORE_LIMITS } from '../core/limits.js';
import { quietly } from '../errors.js';
import { isObject, jsonFault } from '../proof/canonical-json.js';

const FITS: Readonly<Record<string, (value: unknown) => boolean>> = {
  array: Array.isArray,
  object: isObject,
  boolean: (value) => typeof value === 'boolean',
  // Parsing an integer that a double cannot hold would change its value.
  number: (value) => typeof value === 'number' && (!Number.isInteger(value) || Number.isSafeInteger(value)),
  integer: (value) => Number.isSafeInteger(value),
};

const parsed = (text: string): unknown => {
  const value: unknown = quietly(() => JSON.parse(text));
  return jsonFault(value, CORE_LIMITS.argumentDepth) === undefined ? value : undefined;
};

/** Parses a string as JSON if the result has one of `types`. Returns other values unchanged, and also a string if `types` allows strings. */
export const repairValue = (types: readonly string[], value: unknown): unknown => {
  if (typeof value !== 'string' || types.includes('string')) return value;
  const wanted = types.filter((type) => Object.hasOwn(FITS, type));
  const read = wanted.length === 0 ? undefined : parsed(value);
  return wanted.some((type) => FITS[type]?.(read)) ? read : value;
};
