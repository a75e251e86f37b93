// Are the arguments of a proxied call what its server's schema wants? Schemas come from strangers: each is compiled when it
// is first needed, in an engine of its own, and one that does not compile turns the check off for its tool alone.
import { createHash } from 'node:crypto';
import type { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import type { CheckedArguments } from '../../call/context.js';
import { CORE_LIMITS } from '../../core/limits.js';
import { nearest } from '../../core/nearest.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { isObject, type SchemaObject } from '../schema-node.js';
import { repairArguments } from './repair.js';
import { validationSchema } from './validation-schema.js';

type Verdict = (args: unknown) => { readonly valid: boolean; readonly errorMessage?: string | undefined };

/** What in the arguments we could not forward as it was meant: an integer that a double does not hold, too many levels. */
export const notToForward = (args: unknown): string | undefined => {
  const left: { readonly value: unknown; readonly path: string; readonly depth: number }[] = [
    { value: args, path: '', depth: 0 },
  ];
  for (let item = left.pop(); item !== undefined; item = left.pop()) {
    const { value, path, depth } = item;
    if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
      return `${path} is an integer beyond 2^53 - 1; send it as a text`;
    if (typeof value !== 'object' || value === null) continue;
    if (depth === SWITCHBOARD_LIMITS.proxiedDepth) return `the arguments are nested deeper than ${depth} levels`;
    for (const [key, inner] of Object.entries(value)) {
      left.push({ value: inner, path: path === '' ? key : `${path}.${key}`, depth: depth + 1 });
    }
  }
  return undefined;
};

/** The engine says `data` where a caller would say arguments. */
const inCallersWords = (message: string): string => message.replace(/(^|, )data(?=[/ ])/g, '$1arguments');

/** The engine does not name keys that are too many. */
const unknownKeys = (schema: SchemaObject, args: SchemaObject): string => {
  const { properties, additionalProperties } = schema;
  if (additionalProperties !== false || !isObject(properties)) return '';
  const known = Object.keys(properties);
  const unknown = Object.keys(args).filter((key) => !known.includes(key));
  const hints = unknown.slice(0, CORE_LIMITS.issues).map((key) => {
    const near = nearest(key, known);
    return near === undefined ? JSON.stringify(key) : `${JSON.stringify(key)} (did you mean ${JSON.stringify(near)}?)`;
  });
  return hints.length === 0 ? '' : `; unknown: ${hints.join(', ')}`;
};

export interface ArgumentRules {
  readonly schema: SchemaObject;
  readonly validate: 'repair' | 'strict' | 'off';
}

/** `null`: the schema does not compile, so nothing can be said. */
const judged = (
  verdict: Verdict | null,
  given: SchemaObject,
  { schema, validate }: ArgumentRules,
): CheckedArguments => {
  if (verdict === null) return { args: given };
  const first = verdict(given);
  if (first.valid) return { args: given };
  const { value, repaired } = validate === 'repair' ? repairArguments(schema, given) : { value: given, repaired: [] };
  if (repaired.length > 0 && isObject(value) && verdict(value).valid) return { args: value };
  const message = inCallersWords(first.errorMessage ?? 'they do not fit');
  return { problem: `schema validation failed: ${message}${unknownKeys(schema, given)}` };
};

export class ArgumentChecks {
  readonly #compiled = new Map<string, Verdict | null>();
  /** Most calls come with a schema that was seen before, as the same object. */
  readonly #known = new WeakMap<SchemaObject, Verdict | null>();
  readonly #warn: (text: string) => void;
  #engine: Promise<typeof AjvJsonSchemaValidator> | undefined;

  constructor(warn: (text: string) => void) {
    this.#warn = warn;
  }

  /** At once where the schema is known. */
  check(args: unknown, { schema, validate }: ArgumentRules): CheckedArguments | Promise<CheckedArguments> {
    const given = args === undefined ? {} : args;
    if (!isObject(given)) return { problem: 'schema validation failed: the arguments must be an object' };
    const fault = notToForward(given);
    if (fault !== undefined) return { problem: `schema validation failed: ${fault}` };
    if (validate === 'off') return { args: given };
    const known = this.#known.get(schema);
    if (known !== undefined) return judged(known, given, { schema, validate });
    return this.#verdictFor(schema).then((verdict) => judged(verdict, given, { schema, validate }));
  }

  async #verdictFor(schema: SchemaObject): Promise<Verdict | null> {
    const key = createHash('sha256').update(JSON.stringify(schema)).digest('hex');
    this.#engine ??= import('@modelcontextprotocol/server/validators/ajv').then(
      (loaded) => loaded.AjvJsonSchemaValidator,
    );
    const Engine = await this.#engine;
    const verdict = this.#compiled.get(key) ?? this.#compile(Engine, schema);
    if (this.#compiled.size >= SWITCHBOARD_LIMITS.compiledSchemas) this.#compiled.clear();
    this.#compiled.set(key, verdict);
    this.#known.set(schema, verdict);
    return verdict;
  }

  /** Each schema gets an engine of its own: names it gives itself (`$id`) must not meet those of another. */
  #compile(Engine: typeof AjvJsonSchemaValidator, schema: SchemaObject): Verdict | null {
    try {
      return new Engine().getValidator(validationSchema(schema) as never);
    } catch (thrown) {
      this.#warn(`a schema does not compile, arguments go unchecked: ${(thrown as Error).message}`);
      return null;
    }
  }
}
