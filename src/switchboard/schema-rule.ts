// The input of a rule, which checks one keyword of JSON Schema, and helpers that several rules share.
import { type Fit, worse } from './schema-fit.js';
import type { Judge, SchemaPlace } from './schema-judge.js';
import type { SchemaObject } from './schema-node.js';

export interface Asked {
  readonly judge: Judge;
  /** The schema that the keyword stands in, for those that depend on each other. */
  readonly schema: SchemaObject;
  readonly value: unknown;
  readonly place: SchemaPlace | undefined;
}

export type Rule = (asked: Asked, operand: unknown) => Fit;

/** The member names of an object; each costs a step. */
export const keysOf = (judge: Judge, value: object): readonly string[] => {
  const keys = Object.keys(value);
  judge.spend(keys.length);
  return keys;
};

/** Checks every item of a list; each costs a step. */
export const all = <T>(judge: Judge, list: readonly T[], ask: (one: T, at: number) => Fit): Fit => {
  judge.spend(list.length);
  let fit: Fit = 'yes';
  for (const [at, one] of list.entries()) fit = worse(fit, ask(one, at));
  return fit;
};
