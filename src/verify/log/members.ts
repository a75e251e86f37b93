// Tests of the values in records. This file and kinds.ts follow docs/audit-format.md and do not use the table from which records are
// written (proof/records.ts), so that a mistake in that table is found.
import { isObject, type JsonObject } from '../../proof/canonical-json.js';

export type ValueTest = (value: unknown) => boolean;

const matches =
  (pattern: RegExp): ValueTest =>
  (value) =>
    typeof value === 'string' && pattern.test(value);

/** The source of a pattern for a month and a day of that month. 29 February is allowed in every year. */
const DAY = '(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|[12]\\d)';
/** The source of a pattern for a time in UTC with milliseconds. */
export const TIME = `\\d{4}-(?:${DAY})T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d\\.\\d{3}Z`;

/** The most characters of the id of a process or a call. */
const ID_CHARS = 128;

const text: ValueTest = (value) => typeof value === 'string';
const id: ValueTest = (value) => typeof value === 'string' && value !== '' && value.length <= ID_CHARS;
const hex32 = matches(/^[0-9a-f]{32}$/);
const digest = matches(/^[0-9a-f]{64}$/);
const time = matches(new RegExp(`^${TIME}$`));
const count: ValueTest = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const some: ValueTest = (value) => count(value) && value !== 0;
const duration: ValueTest = (value) => typeof value === 'number' && value >= 0;
const yes: ValueTest = (value) => value === true;
const truth: ValueTest = (value) => typeof value === 'boolean';
const anything: ValueTest = () => true;

const word = (...words: readonly string[]): ValueTest => {
  const all = new Set<unknown>(words);
  return (value) => all.has(value);
};
const orNull =
  (test: ValueTest): ValueTest =>
  (value) =>
    value === null || test(value);
const list =
  (test: ValueTest): ValueTest =>
  (value) =>
    Array.isArray(value) && value.every(test);

type Tests = Readonly<Record<string, ValueTest>>;

/** Says what is wrong with the members of an object; undefined if nothing is. */
export type MembersFault = (value: JsonObject) => string | undefined;

/** Checks that an object has all members in `needed`, no others except those in `optional`, and that each value passes its test. */
export const membersFault = (needed: Tests, optional: Tests = {}): MembersFault => {
  const tests = new Map(Object.entries({ ...needed, ...optional }));
  const names = Object.keys(needed);
  return (value) => {
    for (const name in value) {
      const test = tests.get(name);
      if (test === undefined)
        return `has a member ${JSON.stringify(name).slice(0, ID_CHARS)} that such records do not have`;
      if (!test(value[name])) return `has a wrong value for ${name}`;
    }
    const absent = names.find((name) => !Object.hasOwn(value, name));
    return absent === undefined ? undefined : `has no ${absent}`;
  };
};

const object = (needed: Tests, optional: Tests = {}): ValueTest => {
  const fault = membersFault(needed, optional);
  return (value) => isObject(value) && fault(value) === undefined;
};

/** All tests of values in records, by the names that kinds.ts uses. */
export const TESTS = {
  ...{ text, id, hex32, digest, time, count, some, duration, yes, truth, anything },
  ...{ word, orNull, list, object },
} as const;
