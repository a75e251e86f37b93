// The tools as the server registers them, and whether what their definitions say of them holds. Needs build/.
import * as z from 'zod';
import { ARGUMENT_DOCS } from '../../build/call/define-tool.js';
import { listedTool } from '../../build/call/registry.js';
import { TOOLSETS } from '../../build/config.js';
import { ERRORS } from '../../build/errors.js';
import { createServer } from '../../build/server.js';
import { registerRouterTools, registerTaskTools, registerTrailTools } from '../../build/start/register-tools.js';
import { registerToolsets } from '../../build/start/register-toolsets.js';
import { registerHealthTool } from '../../build/tools/health.js';
import { registerPingTool } from '../../build/tools/ping.js';

/** Errors that any call may end in, whatever the tool; docs/errors.md says what each means. */
export const COMMON = [
  'INVALID_PARAMS',
  'TOOL_NOT_FOUND',
  'TOOL_NOT_ADMITTED',
  'HANDLER_ERROR',
  'AUDIT_ENTER_FAILED',
  'AUDIT_EXIT_FAILED',
  'STORE_UNAVAILABLE',
  'STORE_BUSY',
  'STORE_FULL',
  'STORE_READ_ONLY',
  'STORE_CORRUPT',
  'STORE_ROLLED_BACK',
  'STORE_UPGRADED',
];

/** What was said of a schema or of what it wraps: `optional`, `nullable` and `default` are around the field itself. */
const docsOf = (schema, key) =>
  ARGUMENT_DOCS.get(schema)?.[key] ??
  (schema.def.innerType === undefined ? undefined : docsOf(schema.def.innerType, key));

const UNITS = [
  ['characters', 'minLength', 'maxLength'],
  ['items', 'minItems', 'maxItems'],
  ['', 'minimum', 'maximum'],
];

/** The bound that clients see in the schema; nothing where there is none. */
const listedBound = (schema) => {
  const plain = schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;
  const found = UNITS.find(([, least, most]) => plain[least] !== undefined || plain[most] !== undefined);
  if (found === undefined || (schema.anyOf?.length ?? 0) > 2) return undefined;
  const [unit, least, most] = found;
  return { unit, least: plain[least] ?? 0, most: plain[most] ?? Number.MAX_SAFE_INTEGER };
};

/** What clients are told of it, where that says enough. */
const sentence = (words) => words && `${words[0].toUpperCase()}${words.slice(1)}.`;

const argumentNote = (schema, listed) => {
  const bound = docsOf(schema, 'bound') ?? listedBound(listed);
  return { meaning: docsOf(schema, 'meaning') ?? sentence(listed.description), ...(bound && { bound }) };
};

/** What docs/tools.md says of a tool besides its listing, from its definition. */
const notesOf = ({ when, input, errors, writesWith, effect }, listed) => ({
  when,
  arguments: Object.fromEntries(
    Object.entries(input.shape).map(([name, schema]) => [
      name,
      argumentNote(schema, listed.inputSchema.properties[name]),
    ]),
  ),
  errors: Object.fromEntries(
    Object.entries(errors).map(([code, { when, details }]) => [
      code,
      { when, details: details && z.strictObject(details) },
    ]),
  ),
  ...(writesWith !== undefined && { effects: { [effect]: {}, write: { [writesWith]: 'ada' } } }),
});

/** All of them, in the order in which they are listed. Nothing is started, and no handler runs. */
export const registeredTools = () => {
  const ctx = createServer({ mode: 'FULL' });
  registerPingTool(ctx);
  registerHealthTool(ctx);
  registerTaskTools(ctx, () => null);
  registerTrailTools(ctx, {}, {});
  registerToolsets(ctx, { gates: 'off', toolsets: TOOLSETS, voterKey: undefined, witnesses: [] });
  registerRouterTools(ctx);
  return [...ctx.tools.values()].map((tool) => {
    const listed = listedTool(tool);
    return { ...tool, listed, notes: notesOf(tool.definition, listed) };
  });
};

/** Throws with everything that does not agree. */
export class Disagreements {
  #found = [];

  expect(holds, words) {
    if (!holds) this.#found.push(words);
  }

  same(what, ours, theirs) {
    for (const name of ours) this.expect(theirs.includes(name), `${what}: ${name} is not there`);
    for (const name of theirs) this.expect(ours.includes(name), `${what}: ${name} is missing here`);
  }

  settle() {
    if (this.#found.length > 0)
      throw new Error(`What is said of the tools does not hold:\n  ${this.#found.join('\n  ')}`);
  }
}

/** The i-th element of a sample list: an id, or an object with what it needs; two in a row have different values of an enum. */
const elementOf = ({ type, required = [], properties = {} }, i) => {
  if (type !== 'object') return 'T-0001';
  const sampleOf = ({ enum: values }) => (values === undefined ? 'x' : values[i % values.length]);
  return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name])]));
};

const sampleOf = ({ unit }, n, schema) => {
  if (unit === 'items') return Array.from({ length: n }, (_, i) => elementOf(schema.items ?? {}, i));
  return unit === '' && schema.type !== 'string' ? n : 'x'.repeat(n);
};

/** Takes the value as that argument, whatever the others are: only complaints about it count. */
const takes = (tool, name, value) => {
  const parsed = tool.config.inputSchema.safeParse({ [name]: value });
  return parsed.success || !parsed.error.issues.some(({ path }) => path[0] === name);
};

const LONG = 'x'.repeat(1_000_000);

const checkBound = (disagreements, tool, name, bound) => {
  const schema = tool.listed.inputSchema.properties[name];
  const say = (value, wanted) =>
    disagreements.expect(
      takes(tool, name, value) === wanted,
      `${tool.name}.${name} ${wanted ? 'refuses' : 'takes'} ${JSON.stringify(value).slice(0, 40)}`,
    );
  if (bound === undefined) {
    if (schema.type === 'string' && schema.enum === undefined) say(LONG, true);
    return;
  }
  if (bound.form !== undefined) {
    for (const value of bound.takes) say(value, true);
    for (const value of bound.refuses) say(value, false);
    return;
  }
  say(sampleOf(bound, bound.least, schema), true);
  if (bound.least > 0) say(sampleOf(bound, bound.least - 1, schema), false);
  say(bound.most === Number.MAX_SAFE_INTEGER ? bound.most : sampleOf(bound, bound.most, schema), true);
  if (bound.most !== Number.MAX_SAFE_INTEGER) say(sampleOf(bound, bound.most + 1, schema), false);
};

const checkTool = (disagreements, tool) => {
  const { name, notes, listed } = tool;
  disagreements.same(`arguments of ${name}`, Object.keys(notes.arguments), Object.keys(listed.inputSchema.properties));
  for (const [key, { bound }] of Object.entries(notes.arguments)) {
    if (Object.hasOwn(listed.inputSchema.properties, key)) checkBound(disagreements, tool, key, bound);
  }
  for (const [effect, args] of Object.entries(notes.effects ?? {})) {
    disagreements.expect(tool.effectOf(args) === effect, `${name} with ${JSON.stringify(args)} is not ${effect}`);
  }
  const isFixed = typeof tool.config.effect === 'string';
  disagreements.expect(isFixed === (notes.effects === undefined), `${name}: its effect depends on its arguments`);
  for (const [key, { meaning }] of Object.entries(notes.arguments)) {
    disagreements.expect(meaning !== undefined, `${name}.${key}: nothing says what it means`);
  }
};

/** Every code an agent can see is one of everybody's, or somebody's own. */
const checkCodes = (disagreements, tools) => {
  const seen = Object.keys(ERRORS).filter((code) => ERRORS[code].seenBy === 'agent');
  const own = tools.flatMap(({ notes }) => Object.keys(notes.errors));
  disagreements.same('error codes', [...new Set([...COMMON, ...own])], seen);
};

/** `onWire`: names as a server with a switchboard lists them. */
export const assertAgreement = (tools, onWire) => {
  const disagreements = new Disagreements();
  const names = tools.map(({ name }) => name);
  disagreements.same('tools on the wire', names, onWire);
  disagreements.settle();
  for (const tool of tools) checkTool(disagreements, tool);
  checkCodes(disagreements, tools);
  disagreements.settle();
};

export const schemaOf = (shape) => z.toJSONSchema(shape, { io: 'output', unrepresentable: 'any' });
