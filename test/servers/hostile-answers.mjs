// What a hostile server may answer, drawn from a seed: results, errors, notifications and questions that have the structure of
// the protocol and break it in one place or another. Used by random-hostile.mjs.
import { gzipSync } from 'node:zlib';

/** mulberry32, as in test/support/random.ts. */
export const randomFrom = (seed) => {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below) => Math.floor(next() * below);
  return { next, int, pick: (list) => list[int(list.length)], chance: (p) => next() < p };
};

const deep = (levels) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const quoted = JSON.stringify;
const FORGED = '{"dev.colibri/receipt":{"leaf":"forged"},"io.modelcontextprotocol/x":1,"progressToken":9}';

/** JSON text of any kind, seldom what is expected. */
const JUNK = [
  () => 'null',
  () => '[]',
  () => '"text"',
  () => '-0',
  () => '1e400',
  () => '9007199254740993',
  () => '"\\ud800"',
  () => '"\\u0000\\u001b[31m\\u202e"',
  () => '{"__proto__":{"x":1},"constructor":{"prototype":{"y":1}}}',
  (r) => deep(r.pick([10, 500, 999, 1_001, 5_000, 20_000])),
  (r) => quoted('x'.repeat(r.pick([1, 1_000, 100_000]))),
  (r) => `[${Array.from({ length: r.int(2_000) }, (_, at) => at).join(',')}]`,
  () => FORGED,
];
export const junk = (r) => r.pick(JUNK)(r);

const BLOCKS = [
  () => '{"type":"text","text":"fine"}',
  (r) => `{"type":"text","text":${junk(r)}}`,
  (r) => `{"type":${junk(r)}}`,
  (r) => `{"type":"resource_link","uri":${r.pick(['"test://static"', '"file:///etc/passwd"', junk(r)])},"name":"x"}`,
  (r) => `{"type":"resource","resource":{"uri":"x://${r.int(9)}","text":${junk(r)},"_meta":${FORGED}}}`,
  (r) => junk(r),
];
const blocks = (r) => `[${Array.from({ length: r.int(6) }, () => r.pick(BLOCKS)(r)).join(',')}]`;

const input = (r) => {
  const method = () =>
    r.pick(['"elicitation/create"', '"sampling/createMessage"', '"roots/list"', '"tools/call"', junk(r)]);
  const count = r.pick([0, 1, 3, 9, 300]);
  const one = (at) =>
    `"q${at}":${r.chance(0.1) ? junk(r) : `{"method":${method()},"params":${r.chance(0.5) ? '{"message":"?"}' : junk(r)}}`}`;
  return `{"resultType":"input_required","inputRequests":{${Array.from({ length: count }, (_, at) => one(at)).join(',')}},"requestState":${junk(r)}}`;
};

const RESULTS = [
  () => '{"content":[{"type":"text","text":"fine"}]}',
  (r) => `{"content":${blocks(r)},"_meta":${r.pick([FORGED, junk(r)])}}`,
  (r) => `{"content":${blocks(r)},"structuredContent":${junk(r)},"isError":${r.pick(['true', '7', 'null'])}}`,
  (r) => `{"content":${junk(r)}}`,
  (r) => `{"resultType":${junk(r)},"ttlMs":${junk(r)},"content":[]}`,
  (r) => `{"content":[],"x":${deep(r.pick([1_001, 20_000, 200_000]))}}`,
  input,
  (r) => junk(r),
];
const error = (r) =>
  r.chance(0.5)
    ? `{"code":${r.pick([-32603, -32602, -32001, 0, 401])},"message":"no","data":${r.pick([FORGED, junk(r)])}}`
    : `{"code":${junk(r)},"message":${junk(r)}}`;

/** One answer, as JSON text. */
export const answer = (r, id) => {
  const given = quoted(r.chance(0.03) ? 'c999999' : id);
  if (r.chance(0.01))
    return `{"jsonrpc":"2.0","id":${given},"result":{"content":[{"type":"text","text":"${'x'.repeat(11 * 1024 * 1024)}"}]}}`;
  if (r.chance(0.04)) return `{"jsonrpc":"2.0","id":${given},"result":{},"error":${error(r)}}`;
  const body = r.chance(0.2) ? `"error":${error(r)}` : `"result":${r.pick(RESULTS)(r)}`;
  return `{"jsonrpc":${r.chance(0.02) ? '"1.0"' : '"2.0"'},"id":${given},${body}}`;
};

const NOTIFICATIONS = [
  (r) =>
    `"method":"notifications/progress","params":{"progressToken":${r.pick(['"c1"', '"c2"', junk(r)])},"progress":${junk(r)}}`,
  (r) => `"method":"notifications/message","params":{"level":"error","data":${junk(r)}}`,
  (r) => `"method":"notifications/${r.pick(['tools', 'prompts', 'resources'])}/list_changed"`,
  (r) => `"method":"notifications/resources/updated","params":{"uri":${junk(r)}}`,
  (r) => `"method":"notifications/cancelled","params":{"requestId":${junk(r)}}`,
  (r) => `"method":${junk(r)},"params":${junk(r)}`,
  (r) =>
    `"id":${r.pick([`"ask${r.int(1e9)}"`, '7', junk(r)])},"method":"${r.pick(['elicitation/create', 'sampling/createMessage', 'roots/list', 'ping', 'no/such'])}","params":${r.chance(0.7) ? '{"message":"?"}' : junk(r)}`,
];
/** What comes before the answer. */
export const noise = (r) =>
  Array.from({ length: r.chance(0.1) ? 50 : r.int(3) }, () => `{"jsonrpc":"2.0",${r.pick(NOTIFICATIONS)(r)}}`);

const RULES = [
  (_r, inner) => `"allOf":[${inner()},${inner()}]`,
  (_r, inner) => `"anyOf":[${inner()},${inner()}]`,
  (_r, inner) => `"oneOf":[${inner()},${inner()}]`,
  (_r, inner) => `"not":${inner()}`,
  (_r, inner) => `"properties":{"seed":${inner()},"a":${inner()}}`,
  (r, inner) => `"additionalProperties":${r.pick(['true', inner()])}`,
  (r) => `"$ref":${r.pick(['"#"', '"#/$defs/d0"', '"http://x.test/y"', junk(r)])}`,
  () => '"pattern":"^(a+)+$"',
  (r) => `"type":${r.pick(['"object"', '"number"', '["object","null"]', junk(r)])}`,
  (r) => `"enum":${junk(r)}`,
  (r) => `"uniqueItems":true,"required":${junk(r)}`,
];
const schema = (r, depth) =>
  depth === 0 ? r.pick(['{}', 'true', '{"$ref":"#/$defs/d0"}']) : `{${r.pick(RULES)(r, () => schema(r, depth - 1))}}`;
const doubling = Array.from(
  { length: 30 },
  (_, at) => `"d${at}":{"allOf":[{"$ref":"#/$defs/d${at + 1}"},{"$ref":"#/$defs/d${at + 1}"}]}`,
);
/** Tools: `t` is plain, `u` is not, the others are anything. */
export const tools = (r) => {
  const hostile = () => `{"type":"object","$defs":{${doubling.join(',')},"d30":{}},"allOf":[${schema(r, r.int(5))}]}`;
  const any = () =>
    `{"name":${r.pick([`"x${r.int(9)}"`, junk(r)])},"inputSchema":${r.pick([hostile(), junk(r)])},"_meta":${FORGED}}`;
  const others = Array.from({ length: r.int(8) }, any);
  return `[{"name":"t","inputSchema":{"type":"object"}},{"name":"u","inputSchema":${hostile()}},${[...others, junk(r)].join(',')}]`;
};

/** An HTTP answer around a text: status, headers, body. */
export const httpAnswer = (r, text) => {
  const events = r.chance(0.4);
  const end = r.pick(['\n', '\r\n', '\r']);
  const body = events
    ? `${r.pick(['', ': x', 'retry: 0', 'id: 1', junk(r).slice(0, 50)])}${end}data: ${text}${end}${end}`
    : text;
  const status = r.chance(0.75) ? 200 : r.pick([202, 204, 301, 302, 307, 308, 400, 404, 409, 413, 418, 422, 500, 503]);
  const type = events ? 'text/event-stream' : r.pick(['application/json', 'application/json', 'text/html', 'x']);
  const encoding = r.pick([undefined, undefined, undefined, 'gzip', 'gzip, gzip', 'br', 'zstd']);
  const headers = {
    'content-type': type,
    ...(encoding && { 'content-encoding': encoding }),
    ...(status > 300 &&
      status < 400 && { location: r.pick(['/mcp', 'http://127.0.0.1:9/mcp', '//', 'http://a:b@127.0.0.1:9/']) }),
    ...(r.chance(0.1) && { 'x-long': 'x'.repeat(r.pick([100, 20_000])) }),
  };
  const bytes = Buffer.from(body);
  return { status, headers, body: encoding === 'gzip' && r.chance(0.8) ? gzipSync(bytes) : bytes, cut: r.chance(0.03) };
};
