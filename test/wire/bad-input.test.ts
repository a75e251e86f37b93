// Everything a client should not send. Each line gets its answer, the process goes on, and each tools/call among them
// leaves exactly one pair with the right outcome.
import * as fs from 'node:fs';
import { expect } from 'vitest';
import { deepTest, test } from '../support/by-gate.js';
import { Ledger, receiptOf } from '../support/ledger-check.js';
import { freshPlace, type Message, modernMeta, type Peer, serve, serveWithTools, session } from '../support/serve.js';
import { call, MIB } from './bad-input.shared.js';

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

interface Row {
  readonly line: string | Buffer;
  /** Code of the JSON-RPC error; undefined for a result. */
  readonly error?: number;
  /** The id of the answer; absent if it has none. */
  readonly id?: string | number;
  /** What the ledger must say of the call; absent if it is none. */
  readonly recorded?: string;
  /** How the arguments are recorded. */
  readonly args?: string;
}

const REJECTED = 'server_ping rejected INVALID_PARAMS';

const ROWS: Readonly<Record<string, Row>> = {
  'no JSON': { line: 'hello', error: -32700 },
  'half a line': { line: '{"jsonrpc":"2.0","id":1', error: -32700 },
  'bytes that are no UTF-8': { line: Buffer.from([0x22, 0xff, 0xfe, 0x22]), error: -32700 },
  'a batch': { line: `[${call('in-batch', '{}')}]`, error: -32600 },
  'an empty batch': { line: '[]', error: -32600 },
  'a number': { line: '7', error: -32600 },
  'a fractional id': { line: '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', error: -32600 },
  'a null id': { line: '{"jsonrpc":"2.0","id":null,"method":"ping"}', error: -32600 },
  'an object as id': { line: '{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}', error: -32600 },
  'an id beyond 2^53': { line: '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', error: -32600 },
  'another jsonrpc': { line: '{"jsonrpc":"1.0","id":"v1","method":"ping"}', error: -32600, id: 'v1' },
  'params that are an array': {
    line: '{"jsonrpc":"2.0","id":"pa","method":"ping","params":[]}',
    error: -32600,
    id: 'pa',
  },
  'an unknown method': { line: '{"jsonrpc":"2.0","id":"um","method":"no/such"}', error: -32601, id: 'um' },
  'too long, id first': {
    line: `{"jsonrpc":"2.0","id":"long-1","method":"tools/call","params":{"name":"server_ping","x":"${'x'.repeat(10 * MIB)}"}}`,
    error: -32600,
    id: 'long-1',
  },
  'too long, id last': {
    line: `{"jsonrpc":"2.0","method":"tools/call","params":{"id":"not-me","x":"${'x'.repeat(10 * MIB)}"},"id":"long-2"}`,
    error: -32600,
    id: 'long-2',
  },
  'an unknown tool': {
    line: '{"jsonrpc":"2.0","id":"ut","method":"tools/call","params":{"name":"nope","arguments":{"a":1}}}',
    error: -32602,
    id: 'ut',
    recorded: 'nope rejected TOOL_NOT_FOUND',
    args: 'stored',
  },
  'no tool name': {
    line: '{"jsonrpc":"2.0","id":"nn","method":"tools/call","params":{"arguments":{}}}',
    error: -32602,
    id: 'nn',
    recorded: '? rejected INVALID_PARAMS',
    args: 'empty',
  },
  'no params': {
    line: '{"jsonrpc":"2.0","id":"np","method":"tools/call"}',
    error: -32602,
    id: 'np',
    recorded: '? rejected INVALID_PARAMS',
    args: 'empty',
  },
  'a tool name that is a number': {
    line: '{"jsonrpc":"2.0","id":"nm","method":"tools/call","params":{"name":7}}',
    error: -32602,
    id: 'nm',
    recorded: '? rejected INVALID_PARAMS',
    args: 'empty',
  },
  'a tool name of the prototype': {
    line: '{"jsonrpc":"2.0","id":"pt","method":"tools/call","params":{"name":"__proto__","arguments":{}}}',
    error: -32602,
    id: 'pt',
    recorded: '__proto__ rejected TOOL_NOT_FOUND',
    args: 'empty',
  },
  'a tool name of 1 MB': {
    line: `{"jsonrpc":"2.0","id":"bn","method":"tools/call","params":{"name":"${'n'.repeat(1_000_000)}"}}`,
    error: -32602,
    id: 'bn',
    recorded: `${'n'.repeat(128)} rejected TOOL_NOT_FOUND`,
    args: 'empty',
  },
  'a tool name with half a surrogate pair and U+0000': {
    line: '{"jsonrpc":"2.0","id":"ls","method":"tools/call","params":{"name":"a\\ud800\\u0000"}}',
    error: -32602,
    id: 'ls',
    recorded: 'a\ufffd\ufffd rejected TOOL_NOT_FOUND',
    args: 'empty',
  },
  'arguments "foo"': { line: call('as', '"foo"'), id: 'as', recorded: REJECTED, args: 'stored' },
  'arguments null': { line: call('an', 'null'), id: 'an', recorded: REJECTED, args: 'stored' },
  'arguments []': { line: call('aa', '[]'), id: 'aa', recorded: REJECTED, args: 'stored' },
  'arguments 7': { line: call('a7', '7'), id: 'a7', recorded: REJECTED, args: 'stored' },
  'arguments absent': {
    line: '{"jsonrpc":"2.0","id":"ab","method":"tools/call","params":{"name":"server_ping"}}',
    id: 'ab',
    recorded: 'server_ping ok',
    args: 'empty',
  },
  '20,000 levels': { line: call('d2', `{"a":${nested(20_000)}}`), id: 'd2', recorded: REJECTED, args: 'none' },
  '64 levels': { line: call('d6', `{"a":${nested(63)}}`), id: 'd6', recorded: 'server_ping ok', args: 'stored' },
  '65 levels': { line: call('d7', `{"a":${nested(64)}}`), id: 'd7', recorded: REJECTED, args: 'none' },
  'half a surrogate pair': { line: call('lv', '{"a":"\\ud800"}'), id: 'lv', recorded: REJECTED, args: 'none' },
  'half a surrogate pair as key': { line: call('lk', '{"\\udfff":1}'), id: 'lk', recorded: REJECTED, args: 'none' },
  '1e400': { line: call('in', '{"a":[1e400]}'), id: 'in', recorded: REJECTED, args: 'none' },
  'U+0000': { line: call('u0', '{"a":"\\u0000"}'), id: 'u0', recorded: REJECTED, args: 'none' },
  'keys of the prototype': {
    line: call('pr', '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'),
    id: 'pr',
    recorded: 'server_ping ok',
    args: 'stored',
  },
  'keys whose order depends on UTF-16': {
    line: call('ko', '{"\\ufb33":1,"\\ud83d\\ude00":2,"\\u20ac":3,"\\r":4,"1":5,"a":-0,"b":1e21,"c":1e-7}'),
    id: 'ko',
    recorded: 'server_ping ok',
    args: 'stored',
  },
  '1 MB of arguments': {
    line: call('mb', `{"a":"${'é'.repeat(500_000)}"}`),
    id: 'mb',
    recorded: 'server_ping ok',
    args: 'stored',
  },
  'a _meta that is no object': {
    line: '{"jsonrpc":"2.0","id":"bm","method":"tools/call","params":{"name":"server_ping","_meta":7}}',
    error: -32602,
    id: 'bm',
  },
};

/** Sends a line and returns its answer: the one with its id, or the next one without any. */
const exchange = async (peer: Peer, { line, id }: Row): Promise<Message> => {
  const before = peer.messages.length;
  peer.write(Buffer.concat([Buffer.from(line), Buffer.from('\n')]));
  const find = () => peer.messages.slice(before).find((message) => message.id === id);
  await peer.until(() => find() !== undefined);
  return find() as Message;
};

test('a table of bad lines, one process', async () => {
  const place = freshPlace();
  const { peer, ended } = await session(place, async (peer) => {
    for (const [name, row] of Object.entries(ROWS)) {
      const answer = await exchange(peer, row);
      expect(answer.error?.code, name).toBe(row.error);
      if (row.id === undefined) expect(answer, name).not.toHaveProperty('id');
      expect(JSON.stringify(answer).length, name).toBeLessThan(5_000);
      expect(receiptOf(answer) !== undefined, name).toBe(row.recorded !== undefined);
    }
  });
  expect(ended.code).toBe(0);
  // One answer for each line and the handshake: nothing is answered twice.
  expect(peer.lines).toHaveLength(Object.keys(ROWS).length + 1);

  const recorded = Object.entries(ROWS).filter(([, row]) => row.recorded !== undefined);
  const ledger = new Ledger(place.db);
  expect(ledger.calls).toEqual(recorded.map(([, row]) => row.recorded));
  for (const [index, [name, row]] of recorded.entries()) {
    const { enter, exit } = ledger.pairs[index] ?? {};
    expect(enter?.body.args, name).toBe(row.args);
    expect(enter?.body.effect, name).toBe(row.recorded?.endsWith(' ok') ? 'read' : undefined);
    expect(exit?.body.late, name).toBeUndefined();
  }
  const polluted = ledger.pairs.find(({ enter }) => enter.payload?.json?.includes('polluted'));
  expect(polluted?.enter.payload?.json).toBe(
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  );
  expect(ledger.ofKind('gap')).toEqual([]);
});

test.each([
  ['a JWT that never ends', 'eyJ-'],
  ['a bearer token that never comes', 'Bearer '],
  ['a key that never begins', '-----BEGIN '],
  ['an address without a host', 'a://:'],
])('looking for secrets does not stop the process: %s, 200 KB', async (_name, piece) => {
  const place = freshPlace();
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  const text = piece.repeat(Math.ceil(200_000 / piece.length));
  const began = performance.now();
  await peer.call('server_ping', { text }, 3_000);
  expect(performance.now() - began).toBeLessThan(2_000);
  await peer.kill('SIGKILL');
});

test('a token of 9 MB is taken out like a short one, and the ledger goes on', async () => {
  const place = freshPlace();
  await session(place, async (peer) => {
    await peer.call('server_ping', { text: `sk-${'a'.repeat(9_000_000)}` });
    await peer.call('server_ping', { text: 'after' });
  });
  const ledger = new Ledger(place.db);
  expect(ledger.calls).toEqual(['server_ping ok', 'server_ping ok']);
  const texts = ledger.pairs.map(({ enter }) => enter.payload?.json);
  expect(texts.sort()).toEqual(['{"text":"[redacted]"}', '{"text":"after"}']);
});

test('secrets in arguments are not stored', async () => {
  const place = freshPlace();
  const secret = 'ghp_0123456789abcdefghij';
  await session(place, (peer) =>
    peer.call('server_ping', { password: 'hunter2', note: `use ${secret} for it`, nested: [{ api_key: 'k-1' }] }),
  );
  const [pair] = new Ledger(place.db).pairs;
  expect(pair?.enter.payload?.json).toBe(
    '{"nested":[{"api_key":"[redacted]"}],"note":"use [redacted] for it","password":"[redacted]"}',
  );
  expect(fs.readFileSync(place.db).includes(secret)).toBe(false);
});

test.each([
  ['digest', (json: unknown) => json === null],
  ['none', (json: unknown) => json === undefined],
])('COLIBRI_AUDIT_PAYLOADS=%s keeps no text', async (policy, asExpected) => {
  const place = freshPlace();
  await session(place, (peer) => peer.call('server_ping', { text: 'hello' }), {
    env: { COLIBRI_AUDIT_PAYLOADS: policy },
  });
  const [pair] = new Ledger(place.db).pairs;
  expect(pair?.enter.body.args).toBe(policy);
  expect(asExpected(pair?.enter.payload?.json)).toBe(true);
});

deepTest('two requests with one id are both answered and both recorded', async () => {
  const place = freshPlace();
  const { peer } = await session(place, async (peer) => {
    const before = peer.messages.length;
    peer.write(`${call('same', '{}')}\n${call('same', '{}')}\n`);
    await peer.until(() => peer.messages.length === before + 2);
  });
  expect(peer.messages.filter(({ id }) => id === 'same')).toHaveLength(2);
  expect(new Ledger(place.db).calls).toEqual(['server_ping ok', 'server_ping ok']);
});

deepTest('an unknown protocol version: offered another one, or told which there are', async () => {
  const place = freshPlace();
  const legacy = serve(place);
  const greeting = await legacy.initialize('old', '1999-01-01');
  expect(greeting.result.protocolVersion).toMatch(/^2025-/);
  const modern = serve(place);
  const answer = await modern.request('tools/call', {
    name: 'server_ping',
    _meta: modernMeta('new', '1', '2099-01-01'),
  });
  expect(answer.error.code).toBe(-32022);
  expect(JSON.stringify(answer.error.data)).toContain('2026-07-28');
  await Promise.all([legacy.end(), modern.end()]);
  expect(new Ledger(place.db).calls).toEqual([]);
});

test('stdin closed in the middle of a call: the answer still comes, and is recorded', async () => {
  const place = freshPlace();
  const peer = serveWithTools(place);
  await peer.initialize();
  await peer.phase2();
  const answers = Promise.all([peer.call('sleep_open', { ms: 400 }), peer.call('server_ping', {})]);
  const { code } = await peer.end();
  expect(code).toBe(0);
  const [slept, pinged] = await answers;
  expect(slept.result.structuredContent).toEqual({ ok: true, data: { slept: 400 } });
  const ledger = new Ledger(place.db);
  expect(ledger.pairOf(receiptOf(slept)).exit?.body.outcome).toBe('ok');
  expect(ledger.pairOf(receiptOf(pinged)).exit?.body.outcome).toBe('ok');
  expect(ledger.records.at(-1)?.body).toMatchObject({ kind: 'shutdown', reason: 'stdin closed', abandoned: 0 });
});
