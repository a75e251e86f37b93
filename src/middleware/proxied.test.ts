// Calls of other servers' tools through the five stages: what is recorded, what goes out, what happens when the ledger will
// not take the outcome.
import { describe, expect, it } from 'vitest';
import { requestOf } from '../../test/support/requests.js';
import { ledgerWith, openLedger, temporaryFolder } from '../../test/support/stores.js';
import { type Answer, type NativeResult, REFUSAL_KEY } from '../call/answer.js';
import type { ColibriServerContext, ProxiedTool } from '../call/context.js';
import type { CallRequest } from '../call/request.js';
import { ColibriError } from '../errors.js';
import { Backlog } from '../ledger/calls/backlog.js';
import { saltedDigest } from '../ledger/hashes.js';
import { canonicalJson } from '../proof/canonical-json.js';
import { createServer } from '../server.js';
import { fiveStages } from './chain.js';
import { RECEIPT_KEY, type Receipt, type Reply } from './envelope.js';

const TEXT = { content: [{ type: 'text', text: 'hi' }] };

const setup = async (answer: (args: NativeResult, request: CallRequest) => Answer | Promise<Answer>) => {
  const { store, ledger, records } = await openLedger(temporaryFolder());
  const tool: ProxiedTool = {
    check: (args) => (args === null ? { problem: 'no' } : { args: { ...(args as object) } }),
    call: async (args, call) => answer(args, call),
    refusal: (error) => ({ isError: true, content: [], _meta: { refused: error } }),
  };
  const ctx: ColibriServerContext = {
    ...createServer({ mode: 'FULL', logger: () => {}, installGlobalHandlers: false }),
    db: store,
    ledger,
    backlog: new Backlog(),
    switchboard: {
      isThere: true,
      router: async () => undefined,
      listed: async () => [],
      find: async (name) => (name === 'other__tool' ? tool : undefined),
      names: () => ['other__tool'],
      opened: () => {},
      onChange: () => () => {},
      relay: { find: async () => tool, request: async () => ({}), rootsChanged: () => {}, listens: () => {} },
    },
  };
  const run = fiveStages(ctx);
  const call = (args: unknown = {}, signal?: AbortSignal, meta?: unknown) =>
    run(requestOf({ name: 'other__tool', args, signal, meta }));
  const calls = async () => (await records()).filter((record) => 'sequence_no' in record);
  return { ctx, store, ledger, call, calls, run };
};

const resultOf = (reply: Reply): NativeResult => {
  if (!('result' in reply)) throw new Error(JSON.stringify(reply));
  return reply.result;
};

const receiptOf = (reply: Reply): Receipt =>
  (resultOf(reply)._meta as NativeResult | undefined)?.[RECEIPT_KEY] as Receipt;

describe('an answer', () => {
  it('is handed on untouched, digested, recorded as proxy', async () => {
    const result = { ...TEXT, structuredContent: [1], isError: true, _meta: { mine: 1 }, extra: { z: 1, a: 2 } };
    const { call, calls } = await setup(() => ({ kind: 'result', result }));
    const reply = await call({ a: 1 });
    const { _meta, ...rest } = resultOf(reply);
    const receipt = receiptOf(reply);
    expect(rest).toEqual({ ...TEXT, structuredContent: [1], isError: true, extra: { z: 1, a: 2 } });
    expect(_meta).toEqual({ mine: 1, [RECEIPT_KEY]: receipt });
    const [enter, exit] = await calls();
    expect(enter).toMatchObject({ effect: 'proxy', tool: 'other__tool', args: 'stored' });
    expect(exit).toMatchObject({ outcome: 'ok', seq: receipt.seq });
    expect(exit).not.toHaveProperty('form');
    expect(exit?.result_digest).toBe(saltedDigest(Buffer.from(receipt.salt, 'hex'), canonicalJson(result)));
  });

  it('loses what belongs to one hop, and is digested without it', async () => {
    const hop = { resultType: 'complete', ttlMs: 5, cacheScope: 'public' };
    const meta = { 'io.modelcontextprotocol/serverInfo': { name: 'x' }, progressToken: 1 };
    const { call, calls } = await setup(() => ({ kind: 'result', result: { ...TEXT, ...hop, _meta: meta } }));
    const reply = await call();
    expect(Object.keys(resultOf(reply))).toEqual(['content', '_meta']);
    const receipt = receiptOf(reply);
    const digest = saltedDigest(Buffer.from(receipt.salt, 'hex'), canonicalJson(TEXT));
    expect((await calls())[1]?.result_digest).toBe(digest);
  });

  it('without a canonical form is digested as ECMAScript writes it', async () => {
    const result = { content: [{ type: 'text', text: '\ud800' }] };
    const { call, calls } = await setup(() => ({ kind: 'result', result }));
    const receipt = receiptOf(await call());
    const digest = saltedDigest(Buffer.from(receipt.salt, 'hex'), JSON.stringify(result));
    expect((await calls())[1]).toMatchObject({ form: 'json', result_digest: digest });
  });

  it.each([
    [undefined, undefined],
    [{ why: 1 }, { why: 1 }],
    [[1], { data: [1] }],
  ])('that is a JSON-RPC error with data %j stays one', async (data, shown) => {
    const error = { code: -32099, message: 'no', ...(data !== undefined && { data }) };
    const { call, calls } = await setup(() => ({ kind: 'error', error }));
    const reply = await call();
    if (!('error' in reply)) throw new Error('a result');
    expect(reply.error).toMatchObject({ code: -32099, message: 'no', data: { ...shown } });
    expect(reply.error.data).toHaveProperty([RECEIPT_KEY]);
    const [, exit] = await calls();
    expect(exit).toMatchObject({ outcome: 'domain_error', code: '-32099' });
    expect(exit).not.toHaveProperty('result_digest');
  });
});

describe('a refusal', () => {
  const error = { code: 'TOOL_BUSY', message: 'busy', details: {} };
  const text = { type: 'text', text: 'hi' } as const;
  const refusal = { isError: true, content: [text, text], _meta: { [REFUSAL_KEY]: { ok: false, error } } } as const;
  const refused = (sent: boolean): Answer => ({ kind: 'refused', refusal, code: 'TOOL_BUSY', sent });

  it.each([
    [false, 'refused'],
    [true, 'failed'],
  ] as const)('sent: %j is recorded as %s', async (sent, outcome) => {
    const { call, calls } = await setup(() => refused(sent));
    const reply = await call();
    expect(resultOf(reply).content).toEqual(refusal.content);
    expect((await calls())[1]).toMatchObject({ outcome, code: 'TOOL_BUSY', result_digest: expect.any(String) });
    expect(receiptOf(reply)).toBeDefined();
  });

  it('of ours takes the form of its tool', async () => {
    const { call, calls } = await setup(() => {
      throw new Error('a mistake of ours');
    });
    const wrong = resultOf(await call(null));
    expect(wrong).toMatchObject({ isError: true, _meta: { refused: { code: 'INVALID_PARAMS' } } });
    expect(wrong).not.toHaveProperty('structuredContent');
    expect(resultOf(await call())).toMatchObject({ _meta: { refused: { code: 'HANDLER_ERROR' } } });
    expect((await calls()).filter(({ kind }) => kind === 'call.exit')).toMatchObject([
      { outcome: 'rejected', code: 'INVALID_PARAMS' },
      { outcome: 'failed', code: 'HANDLER_ERROR' },
    ]);
  });

  it('where the intent cannot be written: the server is not asked', async () => {
    let asked = 0;
    const { ctx, call, ledger } = await setup(() => {
      asked++;
      return { kind: 'result', result: TEXT };
    });
    ctx.ledger = ledgerWith(ledger, { enter: () => Promise.reject(new ColibriError('STORE_FULL', 'full')) });
    expect(resultOf(await call())).toMatchObject({ _meta: { refused: { code: 'AUDIT_ENTER_FAILED' } } });
    expect(asked).toBe(0);
  });
});

it('an outcome the ledger will not take leaves the result, without a receipt, and waits', async () => {
  const { ctx, store, call, calls, ledger } = await setup(() => ({ kind: 'result', result: TEXT }));
  ctx.ledger = ledgerWith(ledger, { exit: () => Promise.reject(new ColibriError('STORE_FULL', 'full')) });
  expect(resultOf(await call())).toEqual(TEXT);
  expect(await calls()).toMatchObject([{ kind: 'call.enter' }]);
  await ctx.backlog?.flush(store, ledger);
  expect((await calls())[1]).toMatchObject({ outcome: 'ok', late: true, result_digest: expect.any(String) });
});

it('a cancelled call is cancelled, whatever the server says then', async () => {
  const aborter = new AbortController();
  const { call, calls } = await setup((_args, { cancellation }) => {
    aborter.abort();
    expect(cancellation.aborted).toBe(true);
    return { kind: 'result', result: TEXT };
  });
  await call({}, aborter.signal);
  expect((await calls())[1]).toMatchObject({ outcome: 'cancelled' });
});

it('calls of one tool overlap, and the `_meta` of each goes along', async () => {
  let running = 0;
  let most = 0;
  const metas: unknown[] = [];
  const { call } = await setup(async (_args, { meta }) => {
    metas.push(meta);
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 20));
    running--;
    return { kind: 'result', result: TEXT };
  });
  const meta = { traceparent: 't' };
  await Promise.all([call({}, undefined, meta), call(), call()]);
  expect(most).toBe(3);
  expect(metas).toEqual([{ traceparent: 't' }, undefined, undefined]);
});
