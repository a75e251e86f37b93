// Large results pass through as the bytes that came, from servers of both eras over pipes and HTTP to clients of both eras.
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutForgeries, withoutHop } from '../../src/proof/result-text.js';
import { SWITCHBOARD_LIMITS } from '../../src/switchboard/limits.js';
import { colibri } from '../support/command-line.js';
import { httpFake } from '../support/http-server.js';
import { Ledger, receiptOf } from '../support/ledger-check.js';
import { freshPlace, MAIN, type Message, modernMeta, type Peer, type Place, serve } from '../support/serve.js';
import { fakeServer, type ServerEntry, untilHealthy, writeBoard } from '../support/switchboard-file.js';

const ERAS = ['legacy', 'modern'] as const;
const SERVERS = ERAS.flatMap((era) =>
  (['stdio', 'json', 'sse'] as const).map((how) => [`${how}-${era}`, how, era] as const),
);
const RECEIPT_KEY = 'dev.colibri/receipt';
const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';

const entriesIn = async (place: Place): Promise<Record<string, ServerEntry>> => {
  const entries = SERVERS.map(async ([name, how, era]): Promise<[string, ServerEntry]> => {
    const env = { HOW: how, ERA: era, NAME: name };
    if (how === 'stdio') return [name, fakeServer('file-answers', env)];
    const { url } = await httpFake({ logFile: join(place.dir, 'log') } as never, 'file-answers', env);
    return [name, { url }];
  });
  return Object.fromEntries(await Promise.all(entries));
};

/** Random results of 70 to 300 KB, and two of a kind that a server might send. */
const resultsFor = (seed: number): readonly Message[] => {
  const random = fc.sample(
    fc.record({
      content: fc.array(fc.record({ type: fc.constant('text'), text: fc.string({ unit: 'grapheme' }) })),
      zebra: fc.jsonValue(),
      _meta: fc.dictionary(
        fc.constantFrom('a', RECEIPT_KEY, 'progressToken', 'io.modelcontextprotocol/y'),
        fc.jsonValue(),
      ),
      resultType: fc.constant('complete'),
      structuredContent: fc.dictionary(fc.string(), fc.jsonValue()),
    }),
    { numRuns: 2, seed },
  );
  const long = random.map((result, i) => ({ ...result, long: `é\u2028"\\${'y'.repeat(70_000 * (i + 1))}` }));
  const blob = { uri: 'x:y', blob: 'A'.repeat(500_000) };
  return [
    ...long,
    {
      content: [{ type: 'resource', resource: blob }],
      structuredContent: { rows: Array(9_000).fill({ a: 1, b: null }) },
    },
    { content: [{ type: 'text', text: 'small' }] },
    { content: [{ type: 'text', text: 'forged', _meta: { [RECEIPT_KEY]: {} } }], long: 'z'.repeat(70_000) },
  ];
};
const FORMS = ['bytes', 'bytes', 'bytes', undefined, undefined];

const expected = (result: Message): Message => JSON.parse(JSON.stringify(withoutHop(withoutForgeries(result))));

/** A received result without what this hop adds to it. */
const received = ({ result }: Message, isModern: boolean): Message => {
  const { [RECEIPT_KEY]: receipt, [SERVER_INFO]: info, ...meta } = result._meta;
  const { resultType, ttlMs: _ttl, cacheScope: _scope, _meta, ...members } = result;
  expect(receipt).toMatchObject({ seq: expect.any(Number) });
  expect([info !== undefined, resultType]).toEqual(isModern ? [true, 'complete'] : [false, undefined]);
  return Object.keys(meta).length > 0 ? { ...members, _meta: meta } : members;
};

const requests = (server: string, file: string, meta: object): readonly [method: string, params: object][] => [
  // The first calls of a client take the way through the SDK, and so does every reading of a resource; further calls do not.
  ['tools/call', { name: `${server}__file`, arguments: { file }, ...meta }],
  ['resources/read', { uri: `${server}:${file}`, ...meta }],
  ['tools/call', { name: `${server}__file`, arguments: { file }, ...meta }],
];

const opened = async (place: Place, era: (typeof ERAS)[number]): Promise<{ peer: Peer; meta: object }> => {
  const peer = serve(place);
  const meta = era === 'modern' ? { _meta: modernMeta('raw') } : {};
  if (era === 'legacy') await peer.initialize();
  else await peer.request('server/discover', meta);
  await peer.phase2();
  await untilHealthy(peer, ...SERVERS.map(([name]) => name));
  return { peer, meta };
};

const digestOf = (salt: string, bytes: Buffer): string =>
  createHash('sha256').update(Buffer.from(salt, 'hex')).update(bytes).digest('hex');

export const largeResults = (era: (typeof ERAS)[number]): void =>
  test(`large results reach a client of the ${era} era unchanged, with receipts`, { timeout: 120_000 }, async () => {
    const place = freshPlace();
    writeBoard(place, await entriesIn(place));
    const { peer, meta } = await opened(place, era);
    const results = resultsFor(7);
    const kept: { receipt: Message; file: string; form: string | undefined }[] = [];
    for (const [i, result] of results.entries()) {
      const file = join(place.dir, `result-${i}.json`);
      fs.writeFileSync(file, JSON.stringify(result));
      const asked = SERVERS.flatMap(([server]) => requests(server, file, meta));
      const answers = await Promise.all(asked.map(([method, params]) => peer.request(method, params)));
      for (const answer of answers) {
        expect(answer.error).toBeUndefined();
        expect(received(answer, era === 'modern')).toEqual(expected(result));
        kept.push({ receipt: receiptOf(answer) as Message, file, form: FORMS[i] });
      }
    }
    await peer.end();
    for (const line of peer.lines) expect(() => JSON.parse(line)).not.toThrow();

    const outcomes = new Map(new Ledger(place.db).records.map(({ kind, body }) => [`${kind} ${body.call}`, body]));
    for (const { receipt, file, form } of kept) {
      const record = outcomes.get(`call.exit ${receipt.call}`);
      expect(record).toMatchObject({ outcome: 'ok', result_digest: expect.any(String) });
      expect(record?.form).toBe(form);
      if (form === 'bytes') expect(record?.result_digest).toBe(digestOf(receipt.salt, fs.readFileSync(file)));
    }
    const [first] = kept;
    const verdictOn = async (entry: object) => {
      const receipts = join(place.dir, 'receipts.json');
      fs.writeFileSync(receipts, JSON.stringify(entry));
      return colibri(place, ['verify', '--receipts', receipts]);
    };
    const bytes = fs.readFileSync(first?.file ?? '', 'utf8');
    expect(await verdictOn({ receipt: first?.receipt, bytes })).toMatchObject({ code: 0 });
    expect(await verdictOn({ receipt: first?.receipt, bytes: bytes.replace('yyy', 'yyz') })).toMatchObject({
      code: 20,
    });
  });

export const largeResultAsBytes = (): void =>
  test('a large result is neither parsed nor written again', { timeout: 60_000 }, async () => {
    const place = freshPlace();
    writeBoard(place, { far: fakeServer('file-answers', { HOW: 'stdio', ERA: 'legacy', NAME: 'far' }) });
    const sizes = join(place.dir, 'sizes.json');
    const preload = fileURLToPath(new URL('../children/json-sizes.mjs', import.meta.url));
    const peer = serve(place, { args: ['--import', preload, MAIN, 'serve'], env: { JSON_SIZES: sizes } });
    await peer.initialize();
    await peer.phase2();
    await untilHealthy(peer, 'far');
    const answerOf = async (result: Message): Promise<Message> => {
      const file = join(place.dir, 'result.json');
      fs.writeFileSync(file, JSON.stringify(result));
      const call = await peer.call('far__file', { file });
      const read = await peer.request('resources/read', { uri: `far:${file}` });
      expect(read.result.content).toEqual(call.result.content);
      return call.result;
    };
    const content = [{ type: 'text', text: 'x'.repeat(1_000_000) }];
    expect((await answerOf({ content })).content).toEqual(content);
    const unparsed = JSON.parse(fs.readFileSync(sizes, 'utf8'));
    expect(Math.max(unparsed.parse, unparsed.stringify)).toBeLessThan(SWITCHBOARD_LIMITS.largeResultBytes);
    // A result that must be parsed shows that the sizes are noticed.
    expect((await answerOf({ content, isError: true })).content).toEqual(content);
    expect(JSON.parse(fs.readFileSync(sizes, 'utf8')).parse).toBeGreaterThan(1_000_000);
  });
