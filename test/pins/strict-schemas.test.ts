// The published input schemas follow the rules of clients that only take strict schemas (OpenAI's strict mode): every object names all
// its members, every value has a type, and only a few keywords are used. Read from the pins, which are what is listed.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: schemas are looked at member by member
type Schema = Record<string, any>;

const read = (name: string): Schema[] =>
  JSON.parse(readFileSync(new URL(`./${name}.json`, import.meta.url), 'utf8')) as Schema[];

/** The keywords that a schema without `anyOf` may have. */
const PLAIN = new Set([
  ...['type', 'description', 'default', 'enum', 'properties', 'required', 'additionalProperties'],
  ...['items', 'minItems', 'maxItems', 'minLength', 'maxLength', 'minimum', 'maximum', 'pattern'],
]);
const UNION = new Set(['anyOf', 'description', 'default']);

const faultsIn = (schema: Schema, place: string): string[] => {
  const keywords = schema.anyOf === undefined ? PLAIN : UNION;
  const odd = Object.keys(schema).filter((key) => !keywords.has(key));
  const inner: [string, Schema][] = [
    ...Object.entries<Schema>(schema.properties ?? {}),
    ...(schema.anyOf ?? []).map((branch: Schema, i: number): [string, Schema] => [`anyOf ${i}`, branch]),
    ...(schema.items === undefined ? [] : [['items', schema.items] as [string, Schema]]),
  ];
  return [
    ...odd.map((key) => `${place}: ${key}`),
    ...(schema.anyOf === undefined && schema.type === undefined ? [`${place}: no type`] : []),
    ...(schema.type === 'object' && schema.additionalProperties !== false ? [`${place}: open`] : []),
    ...inner.flatMap(([key, one]) => faultsIn(one, `${place}.${key}`)),
  ];
};

it('of all tools', () => {
  const tools = [...read('tools-list'), ...read('router-tools'), ...read('toolset-tools')];
  expect(tools).toHaveLength(27);
  expect(tools.flatMap(({ name, inputSchema }) => faultsIn(inputSchema, name))).toEqual([]);
  expect(tools.map(({ outputSchema }) => outputSchema.properties.data.type)).toEqual(tools.map(() => 'object'));
});

it('a schema that breaks the rules is found', () => {
  expect(faultsIn({ type: 'object', properties: { a: { type: 'object' }, b: {}, c: { oneOf: [] } } }, 't')).toEqual([
    ...['t: open', 't.a: open', 't.b: no type', 't.c: oneOf', 't.c: no type'],
  ]);
});
