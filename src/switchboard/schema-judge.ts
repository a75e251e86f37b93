// Does a value fit a JSON Schema that a stranger wrote? Nothing is compiled, and every step is counted: a schema can be made
// to take hours in a few hundred bytes, to compile as well as to ask. Three answers, because not every rule is asked: regular
// expressions are not run, and what we do not follow says nothing. Whatever the schema accepts is never answered with `no`.
import { CORE_LIMITS } from '../core/limits.js';
import { isObject } from '../proof/json-object.js';
import { SWITCHBOARD_LIMITS } from './limits.js';
import { type Fit, worse } from './schema-fit.js';
import { anchorsOf, pointedAt, type SchemaObject } from './schema-node.js';
import { RULES } from './schema-rules.js';

/** Where in the value, from the inside out. Made into a text only where there is a problem. */
export interface SchemaPlace {
  readonly key: string | number;
  readonly above: SchemaPlace | undefined;
}

/** Steps that may still be taken. Several questions may share them. */
export interface Steps {
  left: number;
}

export const newSteps = (left: number = SWITCHBOARD_LIMITS.schemaSteps): Steps => ({ left });

class OutOfSteps extends Error {}

export interface Judgement {
  readonly fit: Fit;
  /** What does not fit, each with its place. */
  readonly problems: readonly string[];
  /** Why the schema, or a part of it, could not be asked. */
  readonly doubt: string | undefined;
}

const isFalse = (schema: unknown): boolean => schema === false;

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

  /** What a local reference points at; looked for once. */
  target(reference: string): unknown {
    if (!this.#targets.has(reference)) this.#targets.set(reference, this.#find(reference));
    return this.#targets.get(reference);
  }

  #find(reference: string): unknown {
    if (!/^#[A-Za-z_]/.test(reference)) return pointedAt(this.document, reference);
    this.#anchors ??= anchorsOf(this.document);
    return this.#anchors.get(reference.slice(1));
  }

  /** One schema against one value: all of its rules. */
  fits(schema: unknown, value: unknown, place: SchemaPlace | undefined): Fit {
    this.spend(1);
    if (schema === true) return 'yes';
    if (isFalse(schema)) return this.no(place, 'boolean schema is false');
    if (!isObject(schema)) return this.malformed('a schema that is no object');
    // References inside start there, and not at the root that we know.
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

  /** Remembers what is wrong, up to as many as a caller is told. */
  no(place: SchemaPlace | undefined, words: string): 'no' {
    if (this.#problems.length < CORE_LIMITS.issues) this.#problems.push(`${textOf(place)} ${words}`);
    return 'no';
  }

  /** A rule that is none says nothing. */
  malformed(what: string): 'unknown' {
    this.doubt ??= `it has ${what}`;
    return 'unknown';
  }

  /** Problems of a part that turned out not to matter are forgotten. */
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
