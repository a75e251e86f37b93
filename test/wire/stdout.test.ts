// stdout belongs to the protocol: a long session with good and bad traffic of both eras, and every line of it is one
// JSON-RPC message.
import { expect, test } from 'vitest';
import { Ledger } from '../support/ledger-check.js';
import { freshPlace, type Message, modernMeta, type Peer, type Place, serveWithTools } from '../support/serve.js';

const has = (message: Message, key: string): boolean => Object.hasOwn(message, key);

/** Says what is wrong with a line; JSON-RPC 2.0 §4, §5 and MCP's rule that an id is never null. */
const faultOf = (line: string): string | undefined => {
  let message: Message;
  try {
    message = JSON.parse(line) as Message;
  } catch {
    return 'not JSON';
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return 'not an object';
  if (message.jsonrpc !== '2.0') return 'not JSON-RPC 2.0';
  const unknown = Object.keys(message).filter(
    (key) => !['jsonrpc', 'id', 'method', 'params', 'result', 'error'].includes(key),
  );
  if (unknown.length > 0) return `unknown members ${unknown}`;
  if (has(message, 'id') && typeof message.id !== 'string' && !Number.isSafeInteger(message.id)) return 'a bad id';
  if (has(message, 'method'))
    return has(message, 'result') || has(message, 'error') ? 'request and response' : undefined;
  if (has(message, 'result')) {
    if (has(message, 'error')) return 'result and error';
    return has(message, 'id') && typeof message.result === 'object' ? undefined : 'a bad result';
  }
  const { error } = message;
  return Number.isSafeInteger(error?.code) && typeof error?.message === 'string' ? undefined : 'a bad error';
};

type Speak = (method: string, params: Message) => Message;

const legacy: Speak = (method, params) => ({ jsonrpc: '2.0', method, params });
const modern: Speak = (method, params) => ({
  jsonrpc: '2.0',
  method,
  params: { ...params, _meta: { ...modernMeta('mixed'), ...(params._meta as Message | undefined) } },
});

const TOOL_CALLS: readonly Message[] = [
  { name: 'server_ping' },
  { name: 'server_ping', arguments: { text: 'line\nfeed\r\u2028\u2029 "quoted" \\ é 😀' } },
  { name: 'server_health', arguments: {} },
  { name: 'server_ping', arguments: 'foo' },
  { name: 'server_ping', arguments: { a: '\u0000' } },
  { name: 'nope\n{"jsonrpc":"2.0"}' },
  { arguments: {} },
  { name: 'scratch_write', arguments: { text: 'one\ntwo' } },
  { name: 'scratch_write', arguments: { text: 'x', ending: 'no' } },
  { name: 'scratch_write', arguments: { text: 'x', ending: 'crash' } },
  { name: 'scratch_read', arguments: {} },
  { name: 'sleep_open', arguments: { ms: 5 } },
  { name: 'throw_open' },
  { name: 'server_ping', _meta: { progressToken: 'p', 'vscode.conversationId': 'c' } },
];

const REQUESTS: readonly (readonly [method: string, params: Message])[] = [
  ['tools/list', {}],
  ['ping', {}],
  ['resources/list', {}],
  ['prompts/get', { name: 'x' }],
  ['completion/complete', {}],
  ['logging/setLevel', { level: 'debug' }],
  ['no/such/method', {}],
  ['server/discover', {}],
];

const NOISE: readonly string[] = [
  '',
  '   ',
  'noise',
  '[]',
  '[1,2]',
  '{}',
  'null',
  '{"jsonrpc":"2.0","id":null,"method":"ping"}',
  '{"jsonrpc":"2.0","id":"r","result":{}}',
  '{"jsonrpc":"2.0","id":"e","error":{"code":1,"message":"m"}}',
  '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"nobody"}}',
  '{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}',
  '{"jsonrpc":"2.0","method":"no/such/notification","params":{}}',
];

const mixedSession = async (place: Place, speak: Speak, greet: (peer: Peer) => Promise<unknown>): Promise<Peer> => {
  const peer = serveWithTools(place, { COLIBRI_LOG_LEVEL: 'debug' });
  await greet(peer);
  const ids: string[] = [];
  for (let round = 0; round < 20; round++) {
    const requests = [...REQUESTS, ...TOOL_CALLS.map((params) => ['tools/call', params] as const)];
    for (const [n, [method, params]] of requests.entries()) {
      const id = `${round}-${n}`;
      ids.push(id);
      peer.send({ ...speak(method, params), id });
    }
    for (const line of NOISE) peer.send(line);
    if (round === 10) await peer.phase2();
  }
  const answered = () => new Set(peer.messages.map(({ id }) => id));
  await peer.until(() => {
    const seen = answered();
    return ids.every((id) => seen.has(id));
  });
  await peer.end();
  expect(peer.messages.filter(({ id }) => ids.includes(id))).toHaveLength(ids.length);
  return peer;
};

test.each([
  ['old era', legacy, (peer: Peer) => peer.initialize()],
  ['new era', modern, (peer: Peer) => peer.request('server/discover', { _meta: modernMeta('mixed') })],
])('%s: every line on stdout is a JSON-RPC message', async (_era, speak, greet) => {
  const place = freshPlace();
  const peer = await mixedSession(place, speak, greet);
  expect(peer.lines.map((line) => [faultOf(line), line]).filter(([fault]) => fault !== undefined)).toEqual([]);
  expect(peer.unfinished).toBe('');
  expect(peer.stderr).not.toMatch(/unhandledRejection|uncaughtException/);

  const ledger = new Ledger(place.db);
  expect(ledger.pairs).toHaveLength(20 * TOOL_CALLS.length);
  expect(ledger.pairs.every(({ exit }) => exit !== undefined)).toBe(true);
});
