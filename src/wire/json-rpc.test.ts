import { isJSONRPCNotification, isJSONRPCRequest, RELATED_TASK_META_KEY } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readMessage } from './json-rpc.js';

const read = (line: string | Buffer) => readMessage(Buffer.from(line as string));

const PARSE = 'Parse error: ';
const INVALID = 'Invalid Request: ';
const PARAMS = 'Invalid params: ';

// [what, line, code, message, id]; an id of undefined is left out of the answer.
const ANSWERED: readonly [string, string | Buffer, number, string, (string | number)?][] = [
  ['not UTF-8', Buffer.from([0x22, 0xff, 0x22]), -32700, `${PARSE}not UTF-8`],
  ['a cut UTF-8 sequence', Buffer.from('"é"').subarray(0, 2), -32700, `${PARSE}not UTF-8`],
  ['not JSON', 'hello', -32700, `${PARSE}not JSON`],
  ['cut JSON', '{"jsonrpc":"2.0","id":1', -32700, `${PARSE}not JSON`],
  ['two values', '{} {}', -32700, `${PARSE}not JSON`],
  ['a byte order mark', '\ufeff{"jsonrpc":"2.0","id":1,"method":"ping"}', -32700, `${PARSE}not JSON`],
  ['NUL', '\0', -32700, `${PARSE}not JSON`],
  ['an empty batch', '[]', -32600, `${INVALID}batches are not supported`],
  ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, `${INVALID}batches are not supported`],
  ['null', 'null', -32600, `${INVALID}not an object`],
  ['a number', '42', -32600, `${INVALID}not an object`],
  ['a string', '"ping"', -32600, `${INVALID}not an object`],
  ['{}', '{}', -32600, `${INVALID}jsonrpc must be "2.0"`],
  ['no jsonrpc', '{"id":1,"method":"ping"}', -32600, `${INVALID}jsonrpc must be "2.0"`, 1],
  ['jsonrpc 1.0', '{"jsonrpc":"1.0","id":"a","method":"ping"}', -32600, `${INVALID}jsonrpc must be "2.0"`, 'a'],
  ['jsonrpc a number', '{"jsonrpc":2.0,"id":1,"method":"ping"}', -32600, `${INVALID}jsonrpc must be "2.0"`, 1],
  ['neither method nor result', '{"jsonrpc":"2.0","id":0}', -32600, `${INVALID}no method`, 0],
  ['nothing at all', '{"jsonrpc":"2.0"}', -32600, `${INVALID}no method`],
  ...['1.5', 'null', 'true', '{}', '[1]', '9007199254740992', '-9007199254740993', '1e400'].map(
    (id) =>
      [
        `id ${id}`,
        `{"jsonrpc":"2.0","id":${id},"method":"ping"}`,
        -32600,
        `${INVALID}id must be a string or an integer`,
      ] as [string, string, number, string],
  ),
  ...['1', 'null', '{}', '["a"]', 'true'].map(
    (method) =>
      [
        `method ${method}`,
        `{"jsonrpc":"2.0","id":1,"method":${method}}`,
        -32600,
        `${INVALID}method must be a string`,
        1,
      ] as [string, string, number, string, number],
  ),
  [
    'a method that is no string, without id',
    '{"jsonrpc":"2.0","method":1}',
    -32600,
    `${INVALID}method must be a string`,
  ],
  ...['[]', '"foo"', 'null', '1', 'false'].map(
    (params) =>
      [
        `params ${params}`,
        `{"jsonrpc":"2.0","id":1,"method":"ping","params":${params}}`,
        -32600,
        `${INVALID}params must be an object`,
        1,
      ] as [string, string, number, string, number],
  ),
  [
    'a request that is a response',
    '{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}',
    -32600,
    `${INVALID}both a request and a response`,
    1,
  ],
  [
    '_meta no object',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":null}}',
    -32602,
    `${PARAMS}_meta must be an object`,
    1,
  ],
  [
    'progressToken null',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":null}}}',
    -32602,
    `${PARAMS}progressToken must be a string or an integer`,
    1,
  ],
  [
    'related task without taskId',
    `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"${RELATED_TASK_META_KEY}":{}}}}`,
    -32602,
    `${PARAMS}the related task must have a taskId`,
    1,
  ],
];

const UNANSWERED: readonly [string, string, number, string][] = [
  ['a notification of jsonrpc 1.0', '{"jsonrpc":"1.0","method":"x"}', -32600, `${INVALID}jsonrpc must be "2.0"`],
  [
    'a notification with params []',
    '{"jsonrpc":"2.0","method":"x","params":[]}',
    -32600,
    `${INVALID}params must be an object`,
  ],
  [
    'a notification with bad _meta',
    '{"jsonrpc":"2.0","method":"x","params":{"_meta":1}}',
    -32602,
    `${PARAMS}_meta must be an object`,
  ],
  [
    'result and error',
    '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}}',
    -32600,
    `${INVALID}both result and error`,
  ],
  ['a result without id', '{"jsonrpc":"2.0","result":{}}', -32600, `${INVALID}a result without an id`],
  [
    'a response with id null',
    '{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}',
    -32600,
    `${INVALID}id must be a string or an integer`,
  ],
  [
    'an error that is a string',
    '{"jsonrpc":"2.0","id":1,"error":"boom"}',
    -32600,
    `${INVALID}error must have an integer code and a message`,
  ],
  [
    'an error without message',
    '{"jsonrpc":"2.0","id":1,"error":{"code":1}}',
    -32600,
    `${INVALID}error must have an integer code and a message`,
  ],
];

const ACCEPTED: readonly [string, string, unknown?][] = [
  ['a request', '{"jsonrpc":"2.0","id":1,"method":"ping"}'],
  ['an empty string id', '{"jsonrpc":"2.0","id":"","method":"ping"}'],
  ['a negative id', '{"jsonrpc":"2.0","id":-1,"method":"ping"}'],
  ['an empty method', '{"jsonrpc":"2.0","id":1,"method":""}'],
  ['a notification', '{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}'],
  ['a result', '{"jsonrpc":"2.0","id":1,"result":{}}'],
  ['a result that is null', '{"jsonrpc":"2.0","id":1,"result":null}'],
  ['an error', '{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m","data":[1]}}'],
  [
    'a result beside an error that is null',
    '{"jsonrpc":"2.0","id":1,"result":{"a":1},"error":null}',
    { jsonrpc: '2.0', id: 1, result: { a: 1 } },
  ],
  [
    'an error beside a result that is null',
    '{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":-1,"message":"m"}}',
    { jsonrpc: '2.0', id: 1, error: { code: -1, message: 'm' } },
  ],
  ['an error without id', '{"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}}'],
  ['white space and CR', ' \t{"jsonrpc":"2.0","id":1,"method":"ping"} \r', { jsonrpc: '2.0', id: 1, method: 'ping' }],
  ['1e3 as id', '{"jsonrpc":"2.0","id":1e3,"method":"ping"}', { jsonrpc: '2.0', id: 1000, method: 'ping' }],
  [
    'unknown members, which are left out',
    '{"jsonrpc":"2.0","id":1,"method":"ping","extra":1,"__proto__":{"params":1}}',
    { jsonrpc: '2.0', id: 1, method: 'ping' },
  ],
];

describe('readMessage', () => {
  it.each(ANSWERED)('refuses and answers %s', (_what, line, code, message, id) => {
    expect(read(line)).toStrictEqual({ refusal: { code, message, answer: true, ...(id !== undefined && { id }) } });
  });

  it.each(UNANSWERED)('refuses without an answer %s', (_what, line, code, message) => {
    expect(read(line)).toMatchObject({ refusal: { code, message, answer: false } });
  });

  it.each(ACCEPTED)('accepts %s', (_what, line, expected) => {
    expect(read(line)).toStrictEqual({ message: expected ?? JSON.parse(line) });
  });

  it.each(['', '\r', ' \t \r'])('takes %j for blank', (line) => {
    expect(read(line)).toBeUndefined();
  });

  it('survives 20,000 levels, and every level the limit of a line permits', () => {
    for (const depth of [20_000, 2_000_000]) {
      const line = `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}}`;
      expect(Object.keys(read(line) ?? {})).toEqual(['message']);
    }
  });

  it('accepts no request or notification that the SDK would drop without an answer', () => {
    const odd = fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constant({}), fc.constant({ taskId: 't' }));
    const meta = fc.oneof(odd, fc.record({ progressToken: odd, [RELATED_TASK_META_KEY]: odd }, { requiredKeys: [] }));
    const params = fc.oneof(odd, fc.record({ _meta: meta, name: odd }, { requiredKeys: [] }));
    const message = fc.record(
      {
        jsonrpc: fc.oneof({ weight: 5, arbitrary: fc.constant('2.0') }, odd),
        id: fc.oneof(fc.integer(), fc.string(), fc.double(), odd),
        method: fc.oneof({ weight: 5, arbitrary: fc.string() }, odd),
        params,
        extra: odd,
      },
      { requiredKeys: ['jsonrpc', 'method'] },
    );
    let accepted = 0;
    fc.assert(
      fc.property(message, (sent) => {
        const reading = read(JSON.stringify(sent));
        if (reading === undefined || !('message' in reading)) return;
        accepted++;
        const known = isJSONRPCRequest(reading.message) || isJSONRPCNotification(reading.message);
        expect(known).toBe(true);
        expect('id' in reading.message).toBe('id' in sent);
      }),
      { numRuns: 3_000 },
    );
    expect(accepted).toBeGreaterThan(300);
  });
});
