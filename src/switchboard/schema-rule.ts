// The input of a rule, which checks one keyword of JSON Schema, and helpers that several rules share.
import type { Judge, SchemaPlace } from './schema-judge.js';
import type { SchemaObject } from './schema-node.js';

export interface Asked {
  readonly judge: Judge;
  /** The schema that contains the keyword, for keywords that depend on others beside them. */
  readonly schema: SchemaObject;
  readonly value: unknown;
  readonly place: SchemaPlace | undefined;
}

export type Rule = (asked: Asked, operand: unknown) => Fit;

/** The member names of an object; each name costs a step. */
export const keysOf = (judge: Judge, value: object): readonly string[] => {
  const keys = Object.keys(value);
  judge.spend(keys.length);
  return keys;
};

/** Checks every item of a list; each item costs a step. */
export const all = <T>(judge: Judge, list: readonly T[], ask: (one: T, at: number) => Fit): Fit => {
  judge.spend(list.length);
  let fit: Fit = 'yes';
  for (const [at, one] of list.entries()) fit = worse(fit, ask(one, at));
  return fit;
};

// The three results of checking a value against a schema, and how several results are combined.

/** Whether a value fits a schema. `unknown`: the result depends on a rule that is not checked here. */
export type Fit = 'yes' | 'no' | 'unknown';

const RANK: Readonly<Record<Fit, number>> = { yes: 0, unknown: 1, no: 2 };

/** The combined result if the value must fit both schemas. */
export const worse = (one: Fit, other: Fit): Fit => (RANK[one] >= RANK[other] ? one : other);

/** The combined result if the value must fit one of two schemas. */
export const better = (one: Fit, other: Fit): Fit => (RANK[one] <= RANK[other] ? one : other);
