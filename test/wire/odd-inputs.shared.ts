// What odd-inputs.test.ts and odd-inputs.deep.test.ts share: the tools with a call that fits each, and 22 ways in which models get a call
// wrong, each with what must come of it. The fields are taken from the published schemas, so a new argument is tried without being listed here.
import { expect } from 'vitest';
import { isRefusal } from '../../src/proof/result-text.js';
import type { AnyClient, Message } from '../support/serve.js';

/** A call of every tool that fits its schema. */
export const FITTING: Readonly<Record<string, Message>> = {
  server_ping: {},
  server_health: {},
  task_create: { title: 'odd' },
  task_get: { task_id: 'T-0001' },
  task_update: { task_id: 'T-0001' },
  task_list: {},
  task_next_actions: { claim_by: 'odd', task_id: 'T-0001' },
  audit_session_start: { intent: 'odd' },
  thought_record: { type: 'plan', content: 'odd' },
  thought_record_list: {},
  audit_verify_chain: {},
  merkle_finalize: { session_id: 'nobody' },
  merkle_root: { session_id: 'nobody', thought_id: 'nothing' },
  skill_list: {},
  router_score: { tool: 'nobody__nothing' },
  router_call: { server: 'nobody', tool: 'nothing' },
  router_fallback: { route: 'nothing' },
  router_stats: {},
};

/** Arguments that exclude others in the same call, so that one cannot be tried beside the call that fits. */
const APART: Readonly<Record<string, readonly string[]>> = {
  router_score: ['route'],
};

/** The schema of an argument, as a client sees it. */
type Field = Message;

const IDS = new Set(['task_id']);
const isId = (name: string): boolean => IDS.has(name);
const plain = (field: Field): Field => field.anyOf?.find((one: Field) => one.type !== 'null') ?? field;
const isType = (type: string) => (_: string, field: Field) => field.type === type;
const isNumber = isType('integer');
const isBoolean = isType('boolean');
const isEnum = (_: string, field: Field): boolean => Array.isArray(plain(field).enum);
const isIdList = (name: string, field: Field): boolean => field.type === 'array' && name === 'depends_on';
const isObjectField = (name: string): boolean => name === 'arguments';
const isText = (name: string, field: Field): boolean =>
  plain(field).type === 'string' && !isEnum(name, field) && !isId(name) && !isObjectField(name);

const optionsOf = (field: Field): readonly string[] => plain(field).enum;
const aNumber = ({ minimum = 1 }: Field): number => minimum;

/** What must come of an odd value: it is taken, or refused with words that match. */
type Wanted = 'taken' | RegExp;

export interface Oddity {
  readonly name: string;
  /** The arguments in which it is tried. */
  readonly at: (name: string, field: Field) => boolean;
  readonly value: (field: Field) => unknown;
  readonly wanted: Wanted;
}

/** A word of another program for a value of the enum that has the first of these values. */
const WORDS: Readonly<Record<string, readonly [string, string]>> = {
  INIT: ['in_progress', 'APPLY'],
  urgent: ['medium', 'normal'],
  plan: ['lesson', 'reflection'],
  oldest: ['latest', 'newest'],
};

const wordFor = (field: Field): string => WORDS[optionsOf(field)[0] ?? '']?.[0] ?? 'in_progress';

export const ODDITIES: readonly Oddity[] = [
  { name: 'a number as text', at: isNumber, value: (field) => String(aNumber(field)), wanted: 'taken' },
  { name: 'a number as text with blanks', at: isNumber, value: (field) => ` ${aNumber(field)}\n`, wanted: 'taken' },
  { name: 'a number with its unit', at: isNumber, value: () => '5 minutes', wanted: /expected (number|int)/ },
  { name: 'a number too large', at: isNumber, value: () => '1e300', wanted: /expected|Too big/i },
  { name: 'a number as null', at: isNumber, value: () => null, wanted: /received null/ },
  { name: 'a boolean as text', at: isBoolean, value: () => 'false', wanted: 'taken' },
  { name: 'a boolean as Python writes it', at: isBoolean, value: () => 'False', wanted: 'taken' },
  { name: 'a boolean as yes', at: isBoolean, value: () => 'yes', wanted: /expected boolean/ },
  { name: 'an enum in another case', at: isEnum, value: (f) => flipped(optionsOf(f)[0] ?? ''), wanted: 'taken' },
  { name: 'an enum with blanks', at: isEnum, value: (f) => ` ${optionsOf(f)[0]} `, wanted: 'taken' },
  { name: 'an enum by another word', at: isEnum, value: wordFor, wanted: /is not allowed, \w+ is meant/ },
  { name: 'an enum by nonsense', at: isEnum, value: () => 'q9z!', wanted: /"q9z!" is not allowed \(allowed: / },
  { name: 'a list as JSON text', at: isIdList, value: () => '["T-0001"]', wanted: 'taken' },
  { name: 'an empty list as JSON text', at: isIdList, value: () => '[]', wanted: 'taken' },
  { name: 'one value for a list', at: isIdList, value: () => 'T-0001', wanted: 'taken' },
  { name: 'an id with blanks', at: isId, value: () => ' T-0001\n', wanted: 'taken' },
  { name: 'an id as a number', at: isId, value: () => 1, wanted: 'taken' },
  { name: 'an id in small letters', at: isId, value: () => 't-1', wanted: 'taken' },
  { name: 'an object as JSON text', at: isObjectField, value: () => '{"a": 1}', wanted: 'taken' },
  { name: 'an object as other text', at: isObjectField, value: () => 'a=1', wanted: /expected (record|object)/ },
  { name: 'a number for a text', at: isText, value: () => 5, wanted: /expected string/ },
  { name: 'a text that is too long', at: isText, value: () => 'x'.repeat(70_000), wanted: /Too big|longer than|1 to/ },
];

const flipped = (word: string): string => (word === word.toLowerCase() ? word.toUpperCase() : word.toLowerCase());

/** The refusal in an answer, in either pattern. */
const refusalIn = ({ ok, data, error }: Message): Message | undefined =>
  ok ? (data.ok === false ? data.error : undefined) : error;

const isAtTheDoor = ({ code, message }: Message): boolean =>
  code === 'INVALID_PARAMS' && message.startsWith('schema validation failed');

/** Calls a tool; holds that the flag, the text and the envelope of the answer agree; returns what the door refused, if it did. */
export const knock = async (client: AnyClient, tool: string, args: unknown): Promise<Message | undefined> => {
  const result = await client.callTool(tool, args as Message);
  const what = `${tool} ${JSON.stringify(args).slice(0, 200)}`;
  const envelope = result.structuredContent;
  expect(JSON.parse(result.content[0].text), what).toEqual(envelope);
  expect(result.isError === true, what).toBe(isRefusal(envelope));
  const refusal = refusalIn(envelope);
  expect(result.isError === true, what).toBe(refusal !== undefined);
  if (refusal !== undefined) expect(refusal.message.length, what).toBeLessThanOrEqual(300);
  return refusal !== undefined && isAtTheDoor(refusal) ? refusal : undefined;
};

const hold = (refused: Message | undefined, wanted: Wanted, what: string): void => {
  if (wanted === 'taken') expect(refused, what).toBeUndefined();
  else {
    expect(refused?.message, what).toMatch(wanted);
    expect(Array.isArray(refused?.details.issues), what).toBe(true);
  }
};

/** Tools that ignore what they do not know. */
const IGNORING = new Set(['server_ping', 'server_health']);

/** Tries one oddity on a tool: on every argument of its kind, or under a name that the tool does not know. Returns how many calls it took. */
export const tryOddity = async (client: AnyClient, tool: string, schema: Message, oddity: Oddity): Promise<number> => {
  const apart = APART[tool] ?? [];
  const fields = Object.entries<Field>(schema.properties).filter(
    ([name, field]) => !apart.includes(name) && oddity.at(name, field),
  );
  for (const [name, field] of fields) {
    const args = { ...FITTING[tool], [name]: oddity.value(field) };
    hold(await knock(client, tool, args), oddity.wanted, `${oddity.name}: ${tool}.${name}`);
  }
  if (fields.length > 0) return fields.length;
  const args = { ...FITTING[tool], odd: oddity.value({ enum: ['INIT'] }) };
  hold(await knock(client, tool, args), IGNORING.has(tool) ? 'taken' : /unknown key "odd"/, `${oddity.name}: ${tool}`);
  return 1;
};

/** Leaves out each required member in turn, and sends arguments that are no object. Returns how many calls it took. */
export const tryShapes = async (client: AnyClient, tool: string, schema: Message): Promise<number> => {
  const required: readonly string[] = schema.required ?? [];
  for (const name of required) {
    const { [name]: _, ...rest } = FITTING[tool] ?? {};
    hold(await knock(client, tool, rest), new RegExp(`(^|[:;] )${name} is missing`), `${tool} without ${name}`);
  }
  for (const args of ['foo', ['foo'], 5]) hold(await knock(client, tool, args), /./, `${tool} ${JSON.stringify(args)}`);
  hold(await knock(client, tool, FITTING[tool]), 'taken', tool);
  return required.length + 4;
};
