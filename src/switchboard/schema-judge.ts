// Checks whether a value fits a JSON Schema from an untrusted server. Nothing is compiled, and every step is counted, because a
// schema of a few hundred bytes can take hours to compile or to check. Some rules are not checked (regular expressions, remote
// references); their result is `unknown`. A value that the schema accepts never gets `no`.
import { CORE_LIMITS } from '../core/limits.js';
import { isObject } from '../proof/canonical-json.js';
import { SWITCHBOARD_LIMITS } from './limits.js';
import { anchorsOf, pointedAt, type SchemaObject } from './schema-node.js';
import { RULES } from './schema-rules.js';

/** Whether a value fits a schema. `unknown`: the result depends on a rule that is not checked here. */
export type Fit = 'yes' | 'no' | 'unknown';

const RANK: Readonly<Record<Fit, number>> = { yes: 0, unknown: 1, no: 2 };

/** The combined result of two checks that must both pass. */
const worse = (one: Fit, other: Fit): Fit => (RANK[one] >= RANK[other] ? one : other);

/** Checks one keyword of JSON Schema. */
export type Rule = (asked: Asked, operand: unknown) => Fit;

export interface Asked {
  readonly judge: Judge;
  /** The schema that contains the keyword, because some keywords depend on other keywords of the same schema. */
  readonly schema: SchemaObject;
  readonly value: unknown;
  readonly place: SchemaPlace | undefined;
}

/** A path in the checked value: the innermost key, and the path above it. The path is turned into text only if a problem is reported. */
export interface SchemaPlace {
  readonly key: string | number;
  readonly above: SchemaPlace | undefined;
}

/** The number of steps that checking a value against a schema may still take. Several checks may share one count. */
export interface Steps {
  left: number;
}

export const newSteps = (left: number = SWITCHBOARD_LIMITS.schemaSteps): Steps => ({ left });

class OutOfSteps extends Error {}

export interface Judgement {
  readonly fit: Fit;
  /** What in the value does not fit the schema, each problem with its path. */
  readonly problems: readonly string[];
  /** Why the schema, or a part of it, could not be checked; undefined if all of it was checked. */
  readonly doubt: string | undefined;
}

export class Judge {
  readonly document: SchemaObject;
  readonly #steps: Steps;
  readonly #targets = new Map<string, unknown>();
  #anchors: ReadonlyMap<unknown, unknown> | undefined;
  #problems: string[] = [];
  #depth = 0;
  doubt: string | undefined;

  constructor(document: SchemaObject, steps: Steps) {
    this.document = document;
    this.#steps = steps;
  }

  get problems(): readonly string[] {
    return this.#problems;
  }

  spend(steps: number): void {
    this.#steps.left -= steps;
    if (this.#steps.left < 0) throw new OutOfSteps();
  }

  /** The member names of an object; each name counts as one step of the bounded check. */
  keysOf(value: object): readonly string[] {
    const keys = Object.keys(value);
    this.spend(keys.length);
    return keys;
  }

  /** Checks every item of a list; each item counts as one step of the bounded check. */
  all<T>(list: readonly T[], ask: (one: T, at: number) => Fit): Fit {
    this.spend(list.length);
    let fit: Fit = 'yes';
    for (const [at, one] of list.entries()) fit = worse(fit, ask(one, at));
    return fit;
  }

  /** The schema that a local reference points to. Found schemas are cached. */
  target(reference: string): unknown {
    if (!this.#targets.has(reference)) this.#targets.set(reference, this.#find(reference));
    return this.#targets.get(reference);
  }

  #find(reference: string): unknown {
    if (!/^#[A-Za-z_]/.test(reference)) return pointedAt(this.document, reference);
    this.#anchors ??= anchorsOf(this.document);
    return this.#anchors.get(reference.slice(1));
  }

  /** Checks one value against all rules of one schema. */
  fits(schema: unknown, value: unknown, place: SchemaPlace | undefined): Fit {
    this.spend(1);
    if (schema === true) return 'yes';
    if (schema === false) return this.no(place, 'boolean schema is false');
    if (!isObject(schema)) return this.malformed('a schema that is not an object');
    // An inner schema with an `$id` is not checked, because references inside it are relative to it and not to the document.
    if (typeof schema.$id === 'string' && schema !== this.document) return 'unknown';
    if (this.#depth >= SWITCHBOARD_LIMITS.proxiedDepth) throw new OutOfSteps();
    this.#depth++;
    let fit: Fit = 'yes';
    for (const key in schema) {
      this.spend(1);
      const rule = Object.hasOwn(RULES, key) ? RULES[key] : undefined;
      if (rule !== undefined) fit = worse(fit, rule({ judge: this, schema, value, place }, schema[key]));
    }
    this.#depth--;
    return fit;
  }

  /** Adds a problem, unless there are already as many problems as a caller is told. */
  no(place: SchemaPlace | undefined, words: string): 'no' {
    if (this.#problems.length < CORE_LIMITS.issues) this.#problems.push(`${textOf(place)} ${words}`);
    return 'no';
  }

  /** Notes that a rule of the schema is malformed and was not applied. */
  malformed(what: string): 'unknown' {
    this.doubt ??= `it has ${what}`;
    return 'unknown';
  }

  /** Runs `ask`. The problems that it reports are kept only if `matters` returns true for its answer. */
  aside<T>(ask: () => T, matters: (answer: T) => boolean): T {
    const before = this.#problems.length;
    const answer = ask();
    if (!matters(answer)) this.#problems.length = before;
    return answer;
  }
}

const textOf = (place: SchemaPlace | undefined): string => {
  const keys: string[] = [];
  for (let at = place; at !== undefined && keys.length < CORE_LIMITS.argumentDepth; at = at.above)
    keys.unshift(String(at.key).slice(0, CORE_LIMITS.nearestChars));
  return ['arguments', ...keys].join('/');
};

export const judgeSchema = (schema: SchemaObject, value: unknown, steps: Steps = newSteps()): Judgement => {
  const judge = new Judge(schema, steps);
  try {
    const fit = judge.fits(schema, value, undefined);
    return { fit, problems: judge.problems, doubt: judge.doubt };
  } catch (thrown) {
    if (!(thrown instanceof OutOfSteps)) throw thrown;
    return { fit: 'unknown', problems: [], doubt: TOO_COSTLY };
  }
};

export const TOO_COSTLY = 'checking arguments against it would take too long';
