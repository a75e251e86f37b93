// The JSON Schema keywords that measure a value (such as `maxLength`) or compare it (such as `enum`).

import { isObject } from '../proof/canonical-json.js';
import type { Judge, Rule } from './schema-judge.js';
import type { SchemaObject } from './schema-node.js';

/** Whether two JSON values are equal, compared deeply; every compared value costs a step. */
const isSame = (judge: Judge, one: unknown, other: unknown): boolean => {
  judge.spend(1);
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = judge.keysOf(one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every(
    (key) => Object.hasOwn(other, key) && isSame(judge, (one as SchemaObject)[key], (other as SchemaObject)[key]),
  );
};

const equal =
  (listed: (operand: unknown) => unknown, words: string): Rule =>
  ({ judge, value, place }, operand) => {
    const allowed = listed(operand);
    if (!Array.isArray(allowed)) return judge.malformed('an enum that is not a list');
    return allowed.some((one) => isSame(judge, one, value)) ? 'yes' : judge.no(place, words);
  };

/** Makes the rule for a keyword that bounds a measure of the value, such as its length. `measure` returns undefined if the bound does not apply. */
const bound =
  (
    measure: (value: unknown, judge: Judge) => number | undefined,
    holds: (is: number, most: number) => boolean,
    words: (bound: number) => string,
  ): Rule =>
  ({ judge, value, place }, operand) => {
    if (typeof operand !== 'number') return judge.malformed('a bound that is not a number');
    const is = measure(value, judge);
    return is === undefined || holds(is, operand) ? 'yes' : judge.no(place, words(operand));
  };

const atLeast = (is: number, least: number): boolean => is >= least;
const atMost = (is: number, most: number): boolean => is <= most;
const above = (is: number, least: number): boolean => is > least;
const below = (is: number, most: number): boolean => is < most;
const multiple = (is: number, of: number): boolean => Number.isInteger(is / of);

const CHARS_PER_STEP = 64;

const isPair = (text: string, at: number): boolean => (text.codePointAt(at) ?? 0) > 0xffff;

/** The length of a text in code points; undefined for other values. */
const length = (value: unknown, judge: Judge): number | undefined => {
  if (typeof value !== 'string') return undefined;
  judge.spend(value.length / CHARS_PER_STEP);
  let pairs = 0;
  for (let at = 0; at < value.length; at++) if (isPair(value, at)) pairs++;
  return value.length - pairs;
};
const items = (value: unknown): number | undefined => (Array.isArray(value) ? value.length : undefined);
const members = (value: unknown, judge: Judge): number | undefined =>
  isObject(value) ? judge.keysOf(value).length : undefined;
const size = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

const uniqueItems: Rule = ({ judge, value, place }, operand) => {
  if (operand !== true || !Array.isArray(value)) return 'yes';
  judge.spend(value.length);
  const plain = value.filter((item) => typeof item !== 'object' || item === null);
  const nested = value.filter((item) => typeof item === 'object' && item !== null);
  const isTwice =
    new Set(plain).size < plain.length ||
    nested.some((item, at) => nested.slice(0, at).some((other) => isSame(judge, item, other)));
  return isTwice ? judge.no(place, 'must NOT have duplicate items') : 'yes';
};

export const ASSERTIONS: Readonly<Record<string, Rule>> = {
  enum: equal((operand) => operand, 'must be equal to one of the allowed values'),
  const: equal((operand) => [operand], 'must be equal to constant'),
  minimum: bound(size, atLeast, (least) => `must be >= ${least}`),
  maximum: bound(size, atMost, (most) => `must be <= ${most}`),
  exclusiveMinimum: bound(size, above, (least) => `must be > ${least}`),
  exclusiveMaximum: bound(size, below, (most) => `must be < ${most}`),
  multipleOf: bound(size, multiple, (of) => `must be multiple of ${of}`),
  minLength: bound(length, atLeast, (least) => `must NOT have fewer than ${least} characters`),
  maxLength: bound(length, atMost, (most) => `must NOT have more than ${most} characters`),
  minItems: bound(items, atLeast, (least) => `must NOT have fewer than ${least} items`),
  maxItems: bound(items, atMost, (most) => `must NOT have more than ${most} items`),
  minProperties: bound(members, atLeast, (least) => `must NOT have fewer than ${least} properties`),
  maxProperties: bound(members, atMost, (most) => `must NOT have more than ${most} properties`),
  uniqueItems,
};
