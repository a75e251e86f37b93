import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../proof/canonical-json.js';
import { withoutForgeries, withoutHop, withReceipt } from '../../proof/result-text.js';
import { splicedLine, unspliced } from '../../wire/spliced.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { linksIn } from '../route/direct-call.js';
import { AnswerScan, type LargeAnswer } from './answer-scan.js';

const RECEIPT = { 'dev.colibri/receipt': { log: 'l', seq: 7, leaf: 'f', call: 'c', salt: 's' } };

const scanned = (frame: string | Buffer, cuts: readonly number[] = []): LargeAnswer | undefined => {
  const bytes = Buffer.from(frame);
  const scan = new AnswerScan();
  for (const end of cuts.map((cut) => cut % bytes.length).sort((a, b) => a - b)) scan.push(bytes.subarray(0, end));
  return scan.finish(bytes);
};

const LONG = 'x'.repeat(SWITCHBOARD_LIMITS.largeResultBytes);

/** The line that a client gets for a large result. */
const lineOf = ({ large }: LargeAnswer, id: unknown = 1): string => {
  const message = { jsonrpc: '2.0', id, result: withReceipt(large.result, RECEIPT) } as never;
  const line = splicedLine(message)?.join('') ?? '';
  expect(unspliced(message)).toEqual(JSON.parse(line));
  return line;
};

/** A number next to nothing, such as -1e-999, is -0 as it came and 0 once it was written again. */
const writtenAgain = (line: string): unknown => JSON.parse(JSON.stringify(JSON.parse(line)));

/** The same line as it is made from a parsed result. */
const parsedLine = (result: JsonObject, id: unknown = 1): unknown =>
  JSON.parse(
    JSON.stringify({ jsonrpc: '2.0', id, result: withReceipt(withoutHop(withoutForgeries(result)), RECEIPT) }),
  );

const expectPassedOn = (frame: string | Buffer, answer: LargeAnswer): void => {
  const { id, result } = JSON.parse(frame.toString());
  expect(answer.id).toBe(id);
  const line = lineOf(answer);
  expect(line).not.toMatch(/[\r\n]/);
  expect(writtenAgain(line)).toEqual(parsedLine(result));
  expect(answer.large.whole()).toEqual(result);
  expect(answer.large.links).toEqual(linksIn(result));
};

const digestOf = (salt: Buffer, bytes: string): string => createHash('sha256').update(salt).update(bytes).digest('hex');

const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string(), fc.constantFrom('\u2028', '\ud800', '"\\', '\n'));
const block = fc.oneof(
  fc.record({ type: fc.constant('text'), text }),
  fc.record({ type: fc.constant('resource_link'), uri: text }),
  fc.record({ type: fc.constant('resource'), resource: fc.record({ uri: text, _meta: fc.jsonValue() }) }),
  fc.record({ type: fc.constant('resource'), uri: text, resource: fc.jsonValue() }),
  fc.jsonValue({ maxDepth: 3 }),
);
const META_KEYS = ['a', 'progressToken', 'io.modelcontextprotocol/x', 'dev.colibri/receipt', 'DEV.Colibri/refusal'];
const members = fc.record(
  {
    content: fc.array(block, { maxLength: 4 }),
    structuredContent: fc.dictionary(text, fc.jsonValue()),
    _meta: fc.dictionary(fc.constantFrom(...META_KEYS), fc.jsonValue({ maxDepth: 1 })),
    isError: fc.constant(false),
    resultType: fc.constant('complete'),
    ttlMs: fc.nat(),
    cacheScope: fc.constant('public'),
    zebra: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const results = fc.tuple(members, fc.nat({ max: 8 }), fc.boolean()).map(([given, at, isBlock]): JsonObject => {
  const content = isBlock ? { content: [...(given.content ?? []), { type: 'text', text: LONG }] } : { long: LONG };
  const entries = Object.entries({ ...given, ...content });
  return Object.fromEntries([...entries.slice(at), ...entries.slice(0, at)]);
});
const frames = fc
  .tuple(results, fc.constantFrom('id first', 'result first', 'blanks'))
  .map(([result, order]): string => {
    if (order === 'result first') return JSON.stringify({ result, jsonrpc: '2.0', id: 'c1' });
    const frame = JSON.stringify({ jsonrpc: '2.0', id: 'c1', result });
    // Blanks before the first and the last brace of the result and of the answer.
    return order === 'blanks' ? frame.replace('"result":{', '"result" :\t { ').replace(/\}\}$/, ' } } ') : frame;
  });
const CUTS = fc.array(fc.nat({ max: 80_000 }), { maxLength: 5 });

describe('a large result', () => {
  it('comes out as it went in, with the receipt, and is hashed as it came', () => {
    fc.assert(
      fc.property(frames, CUTS, (frame, cuts) => {
        const answer = scanned(frame, cuts);
        if (answer === undefined) throw new Error(`given up: ${frame.replace(LONG, '…')}`);
        expectPassedOn(frame, answer);
        const from = frame.indexOf('{', frame.indexOf('"result"'));
        const to = frame.startsWith('{"result"') ? frame.lastIndexOf(',"jsonrpc"') : frame.lastIndexOf('}');
        expect(answer.large.digest).toBe(digestOf(answer.large.salt, frame.slice(from, to).trimEnd()));
      }),
      { numRuns: 300, endOnFailure: true },
    );
  });

  it('is passed on in no other way than if it were parsed, whatever somebody did to the bytes', () => {
    const pieces = fc.constantFrom(
      ...'{}[]:,"\\ \t\r\n0'.split(''),
      ...[
        '"_meta":{},',
        '"isError":true,',
        '"id":"c2",',
        '"method":"x",',
        '"result":{},',
        '"error":null,',
        '\u0000',
        '\\u0064',
      ],
      ...[
        '{"_meta":{"dev.colibri/receipt":1}},',
        '"content":[],',
        '"structuredContent":1,',
        '"resultType":"input_required",',
      ],
      ...['{"type":"resource","resource":{"uri":"u","_meta":{"Dev.colibri/x":1}}},', '"dev.colibri/receipt":1,'],
    );
    const damage = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 2 }), pieces), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(frames, damage, CUTS, (frame, damages, cuts) => {
        let damaged = frame.replace(LONG, '@');
        for (const [at, less, more] of damages) {
          const places = [...damaged.matchAll(/[{[,]/g)].map(({ index }) => index + 1);
          const place = at % 2 === 0 ? at % damaged.length : (places[at % places.length] ?? 0);
          damaged = damaged.slice(0, place) + more + damaged.slice(place + less);
        }
        const bytes = Buffer.from(damaged.replace('@', LONG));
        const answer = scanned(bytes, cuts);
        if (answer !== undefined) expectPassedOn(bytes, answer);
      }),
      { numRuns: 1_000, endOnFailure: true },
    );
  });

  const frame = (result: string, rest = '"jsonrpc":"2.0","id":"c1"'): string => `{${rest},"result":${result}}`;
  const PAD = `"long":"${LONG}"`;

  it('whose first bytes are forged is still found by its own id', () => {
    const answer = scanned(frame(`{"id":"c9","result":{"id":"c8"},${PAD}}`));
    expect(answer?.id).toBe('c1');
  });

  it('keeps the bytes together if nothing had to be taken out', () => {
    const result = `{ "b":1.0e2 ,${PAD},"a":[ ]}`;
    const answer = scanned(frame(result));
    const receipt = JSON.stringify({ _meta: RECEIPT }).slice(1, -1);
    expect(answer && lineOf(answer)).toBe(`{"result":{${receipt},${result.slice(1)},"jsonrpc":"2.0","id":1}`);
  });

  it.each([
    ['is not larger than the bound', frame(`{"a":"${'x'.repeat(SWITCHBOARD_LIMITS.largeResultBytes - 8)}"}`)],
    ['is an error', frame(`{${PAD},"isError":true}`)],
    ['has an isError that is not a truth value', frame(`{${PAD},"isError":"false"}`)],
    ['asks for input', frame(`{${PAD},"resultType":"input_required"}`)],
    ['has structured content for newer clients', frame(`{${PAD},"structuredContent":[1]}`)],
    ['has content that is not a list', frame(`{${PAD},"content":{}}`)],
    ['has a member twice', frame(`{${PAD},"a":1,"\\u0061":2}`)],
    ['has a _meta that is not an object', frame(`{${PAD},"_meta":null}`)],
    ['has a long _meta', frame(`{"a":1,"_meta":{${PAD}}}`)],
    ['has too many members', frame(`{${PAD},${Array.from({ length: 64 }, (_, i) => `"m${i}":1`)}}`)],
    ['is nothing but _meta', frame(`{"_meta":{"a":"${LONG.slice(60)}"}, ${' '.repeat(99)}"ttlMs":1}`)],
    [
      'forges a receipt in a block',
      frame(`{"content":[{"type":"text","text":"a","_meta":{"dev.colibri/receipt":{}}}],${PAD}}`),
    ],
    ['forges one with escapes', frame(`{"content":[{"_meta":{"\\u0064ev.colibri/receipt":{}}}],${PAD}}`)],
    ['forges one with capitals', frame(`{"contents":[{"_meta":{"DEV.COLIBRI/receipt":{}}}],${PAD}}`)],
    ['has a line feed in it', frame(`{${PAD},\n"a":1}`)],
    ['has a carriage return in it', frame(`{${PAD},\r"a":1}`)],
    ['is not an object', frame(`["${LONG}"]`)],
    ['is followed by another message', `${frame(`{${PAD}}`)}{"jsonrpc":"2.0","id":1,"result":{}}`],
    ['has too many values', frame(`{${PAD},"a":[${'1,'.repeat(SWITCHBOARD_LIMITS.answerSteps)}1]}`)],
    ['is nested too deeply', frame(`{${PAD},"a":${'['.repeat(1_000)}${']'.repeat(1_000)}}`)],
    ['stands beside another result', frame(`{${PAD}}`, '"jsonrpc":"2.0","id":"c1","result":{}')],
    ['stands beside an error', frame(`{${PAD}}`, '"jsonrpc":"2.0","id":"c1","error":null')],
    ['stands beside a method', frame(`{${PAD}}`, '"jsonrpc":"2.0","id":"c1","method":"tools/call"')],
    ['has two ids', frame(`{${PAD}}`, '"jsonrpc":"2.0","id":"c1","id":"c2"')],
    ['has an id that is a number', frame(`{${PAD}}`, '"jsonrpc":"2.0","id":1')],
    ['has no id', frame(`{${PAD}}`, '"jsonrpc":"2.0"')],
    ['has another version', frame(`{${PAD}}`, '"jsonrpc":"2.1","id":"c1"')],
    ['is not whole', frame(`{${PAD}}`).slice(0, -1)],
    ['is in a list', `[${frame(`{${PAD}}`)}]`],
    [
      'is not UTF-8',
      Buffer.concat([
        Buffer.from('{"jsonrpc":"2.0","id":"c1","result":{"a":"'),
        Buffer.of(0xc3),
        Buffer.from(`",${PAD}}}`),
      ]),
    ],
  ])('is parsed if it %s', (_, given) => {
    expect(scanned(given)).toBeUndefined();
  });
});
