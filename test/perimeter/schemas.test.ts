// Schemas that take hours, from a server that lists them: its tools are listed and called, unchecked and with a note, and the
// server beside it does not notice.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { deepTest, test } from '../support/by-gate.js';
import { colibri } from '../support/command-line.js';
import { freshPlace, serve } from '../support/serve.js';
import { fakeServer, untilHealthy, writeBoard } from '../support/switchboard-file.js';
import { namesOf, verify } from '../switchboard/wire.shared.js';

const doubling = (keyword: string, levels: number, wrap: (inner: object) => unknown): object => ({
  type: 'object',
  allOf: [{ $ref: '#/$defs/d0' }],
  $defs: Object.fromEntries(
    Array.from({ length: levels }, (_, at) => [
      `d${at}`,
      { [keyword]: wrap(at === levels - 1 ? {} : { $ref: `#/$defs/d${at + 1}` }) },
    ]),
  ),
});
/** The first of these took 7 seconds, the others hours; a busy machine answers late, but not that late. */
const STANDSTILL_MS = 5_000;
const twice = (inner: object): object[] => [inner, inner];
const many = (count: number, one: (at: number) => unknown): unknown[] =>
  Array.from({ length: count }, (_, at) => one(at));
const named = (count: number, one: unknown): object =>
  Object.fromEntries(many(count, (at) => [`p${at}`, one]) as [string, unknown][]);

/** A schema, arguments for it, and whether it is too costly for any arguments. */
const ATTACKS: Readonly<Record<string, readonly [object, object, boolean]>> = {
  all_of_30: [doubling('allOf', 30, twice), {}, true],
  all_of_40: [doubling('allOf', 40, twice), { a: 1 }, true],
  one_of: [doubling('oneOf', 30, twice), {}, true],
  not: [doubling('not', 40, (inner) => ({ allOf: [inner, { not: inner }] })), {}, true],
  // These took the compiler of schemas seconds, whatever the arguments were.
  compile_one_of: [{ type: 'object', oneOf: many(2_000, (at) => ({ required: [`x${at}`] })) }, { x1: 1 }, false],
  compile_properties: [{ type: 'object', properties: named(6_000, { type: 'string' }) }, { p1: 'x' }, false],
  compile_refs: [
    {
      type: 'object',
      $defs: { d: { properties: named(100, { type: 'string' }) } },
      properties: named(100, { $ref: '#/$defs/d' }),
    },
    { p1: {} },
    false,
  ],
  unique: [{ type: 'object', properties: { a: { uniqueItems: true } } }, { a: many(20_000, (at) => ({ at })) }, false],
  dynamic: [{ type: 'object', $dynamicAnchor: 'x', allOf: [{ $dynamicRef: '#x' }, { $dynamicRef: '#x' }] }, {}, false],
  levels: [
    { type: 'object', properties: { a: { allOf: [{ $ref: '#' }, { $ref: '#' }] } } },
    many(60, () => 0).reduce<object>((inner) => ({ a: inner }), {}),
    false,
  ],
  names: [{ type: 'object', properties: named(6_000, {}), additionalProperties: false }, { p1: 1 }, false],
};

test('a schema that would take hours slows nobody', { timeout: 60_000 }, async () => {
  const place = freshPlace();
  const tools = Object.entries(ATTACKS).map(([name, [inputSchema]]) => ({ name, inputSchema }));
  const file = join(place.dir, 'tools.json');
  fs.writeFileSync(file, JSON.stringify(tools));
  writeBoard(place, { evil: fakeServer('lists', { TOOLS: file }), plain: fakeServer('plain') });
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  await untilHealthy(peer, 'evil', 'plain');
  expect(namesOf(await peer.request('tools/list'))).toEqual(
    expect.arrayContaining(Object.keys(ATTACKS).map((name) => `evil__${name}`)),
  );
  const slow: string[] = [];
  for (const [name, [, args]] of Object.entries(ATTACKS)) {
    const answer = peer.call(`evil__${name}`, args, 8_000);
    const begun = performance.now();
    expect((await peer.call('plain__echo', { name }, 8_000)).result.content[0].text).toBe(JSON.stringify({ name }));
    if (performance.now() - begun > STANDSTILL_MS) slow.push(`${name}: ${performance.now() - begun}`);
    expect((await answer).result.content[0].text, name).toBe('called');
  }
  expect(slow).toEqual([]);
  const { stdout } = await colibri(place, ['switchboard', '--json']);
  for (const [name, [, , always]] of Object.entries(ATTACKS))
    expect(stdout.includes(`${name}: its arguments go unchecked`), name).toBe(always);
  expect((await peer.end()).code).toBe(0);
  expect(await verify(place)).toBe(0);
});

deepTest('a thousand such schemas cost no more than a few', { timeout: 60_000 }, async () => {
  const place = freshPlace();
  const tools = many(1_000, (at) => ({ name: `t${at}`, inputSchema: doubling('allOf', 25, twice) }));
  const file = join(place.dir, 'tools.json');
  fs.writeFileSync(file, JSON.stringify(tools));
  writeBoard(place, { evil: fakeServer('lists', { TOOLS: file }), plain: fakeServer('plain') });
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  await untilHealthy(peer, 'plain');
  let slowest = 0;
  for (let n = 0; n < 40 || !peer.stderr.includes('evil: STARTING → HEALTHY'); n++) {
    const begun = performance.now();
    await peer.call('plain__echo', { n });
    slowest = Math.max(slowest, performance.now() - begun);
  }
  expect(slowest).toBeLessThan(2 * STANDSTILL_MS); // each for itself they would take a minute
  expect((await peer.end()).code).toBe(0);
});
