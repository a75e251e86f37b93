// Tests the five stages over a real store: what is recorded, what is rolled back, which calls wait for which.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { requestOf } from '../../test/support/requests.js';
import { ledgerWith, openLedger, temporaryFolder } from '../../test/support/stores.js';
import type { ColibriServerContext, ColibriToolConfig, HandlerExtra } from '../call/context.js';
import { createGate } from '../call/gate.js';
import { registerColibriTool } from '../call/registry.js';
import { ColibriError } from '../errors.js';
import { Backlog } from '../ledger/calls/backlog.js';
import { saltedDigest } from '../ledger/hashes.js';
import { createServer } from '../server.js';
import type { Store } from '../store/store.js';
import { registerPingTool } from '../tools/ping.js';
import { fiveStages } from './chain.js';
import { DomainError, RECEIPT_KEY, type Receipt, type Reply } from './envelope.js';

type Handler = (args: { [key: string]: unknown }, extra: HandlerExtra) => unknown;

const setup = async () => {
  const { store, ledger, records } = await openLedger(temporaryFolder());
  const lines: unknown[][] = [];
  const ctx: ColibriServerContext = {
    ...createServer({ mode: 'FULL', logger: (...line) => void lines.push(line), installGlobalHandlers: false }),
    db: store,
    ledger,
    backlog: new Backlog(),
  };
  const run = fiveStages(ctx);
  const tool = (name: string, handler: Handler, config: Partial<ColibriToolConfig> = {}) =>
    registerColibriTool(ctx, name, { inputSchema: z.looseObject({}), ...config }, handler);
  const call = (name: string, args: unknown = {}, signal?: AbortSignal) => run(requestOf({ name, args, signal }));
  const calls = async () => (await records()).filter((record) => 'sequence_no' in record);
  // A table of ours that holds no evidence.
  const rows = () => store.read((tx) => tx.all(`SELECT version AS text FROM server_eras ORDER BY rowid`));
  const scratch = async () => (await rows()).map((row) => row.text);
  const insert: Handler = async ({ text }, { tx }) => {
    const id = crypto.randomUUID();
    await tx?.run(`INSERT INTO server_eras (connection, era, version, at) VALUES (?, 'x', ?, 0)`, id, String(text));
    return { text };
  };
  return { ctx, store, ledger, lines, tool, call, calls, records, scratch, insert };
};

const storeLike = (store: Store): Store => ({
  read: (fn) => store.read(fn),
  write: (fn, options) => store.write(fn, options),
  migrate: (record) => store.migrate(record),
  backup: () => store.backup(),
  tableCount: store.tableCount,
  instances: store.instances,
  close: () => store.close(),
});

const resultOf = (reply: Reply) => {
  if (!('result' in reply)) throw new Error(JSON.stringify(reply));
  return reply.result;
};
const receiptOf = (reply: Reply) => resultOf(reply)._meta?.[RECEIPT_KEY] as Receipt | undefined;
const errorOf = (reply: Reply) => {
  const { structuredContent } = resultOf(reply);
  return structuredContent.ok ? undefined : structuredContent.error;
};

describe('what is recorded', () => {
  it('one pair for a call, its intent before the handler, its receipt in the reply', async () => {
    const { tool, call, calls } = await setup();
    let before: unknown[] = [];
    tool('look', async () => {
      before = await calls();
      return { seen: before.length };
    });
    const reply = await call('look', { a: 1 });
    expect(before).toMatchObject([{ kind: 'call.enter', tool: 'look', effect: 'open', args: 'stored' }]);
    const [enter, exit] = await calls();
    expect(exit).toMatchObject({ kind: 'call.exit', outcome: 'ok', sequence_no: enter?.seq, call: enter?.call });
    const receipt = receiptOf(reply);
    const text = resultOf(reply).content[0]?.text ?? '';
    expect(receipt).toMatchObject({ log: enter?.log, seq: exit?.seq, call: enter?.call });
    expect(exit?.result_digest).toBe(saltedDigest(Buffer.from(receipt?.salt ?? '', 'hex'), text));
    expect(JSON.parse(text)).toEqual(resultOf(reply).structuredContent);
  });

  it.each([
    ['an unknown tool', 'nobody', {}, { outcome: 'rejected', code: 'TOOL_NOT_FOUND' }],
    ['a call without a name', '?', {}, { outcome: 'rejected', code: 'INVALID_PARAMS' }],
    ['null arguments', 'strict', null, { outcome: 'rejected', code: 'INVALID_PARAMS' }],
    ['an unknown key', 'strict', { titel: 'x' }, { outcome: 'rejected', code: 'INVALID_PARAMS' }],
    ['a lone surrogate', 'strict', { title: '\ud800' }, { outcome: 'rejected', code: 'INVALID_PARAMS' }],
  ])('a pair for %s', async (_, name, args, exit) => {
    const { tool, call, calls } = await setup();
    tool('strict', () => 1, { inputSchema: z.strictObject({ title: z.string() }) });
    await call(name, args);
    const pair = await calls();
    expect(pair.map((record) => record.kind)).toEqual(['call.enter', 'call.exit']);
    expect(pair[0]).not.toHaveProperty('effect');
    expect(pair[1]).toMatchObject(exit);
  });

  it('names the key that was probably meant', async () => {
    const { tool, call } = await setup();
    tool('strict', () => 1, { inputSchema: z.strictObject({ title: z.string().optional() }) });
    expect(errorOf(await call('strict', { titel: 'x' }))?.message).toContain('did you mean "title"?');
  });

  it('an effect that throws is a recorded failure', async () => {
    const { tool, call, calls } = await setup();
    const effect = () => {
      throw new Error('no effect');
    };
    tool('odd', () => 1, { effect });
    expect(errorOf(await call('odd'))).toEqual({ code: 'HANDLER_ERROR', message: 'no effect' });
    expect((await calls())[1]).toMatchObject({ outcome: 'failed', code: 'HANDLER_ERROR' });
  });

  it('a hundred thousand unknown keys make a short refusal', async () => {
    const { tool, call } = await setup();
    tool('strict', () => 1, { inputSchema: z.strictObject({ title: z.string().optional() }) });
    const args = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`key${i}`.padEnd(50, 'x'), 1]));
    const { structuredContent } = resultOf(await call('strict', args));
    expect(Buffer.byteLength(JSON.stringify(structuredContent))).toBeLessThan(24 * 1024);
  });

  it('cuts a name of a megabyte in the record and in the message', async () => {
    const { call, calls } = await setup();
    const reply = await call('x'.repeat(1_000_000));
    expect((await calls()).map((record) => String(record.tool).length)).toEqual([128, 128]);
    expect('error' in reply && reply.error.message.length).toBeLessThanOrEqual(300);
  });
});

describe('a writing tool', () => {
  it('commits its write and its outcome together', async () => {
    const { tool, call, scratch, insert, calls } = await setup();
    tool('insert', insert, { effect: 'write' });
    expect(receiptOf(await call('insert', { text: 'a' }))).toBeDefined();
    expect(await scratch()).toEqual(['a']);
    expect((await calls())[0]).toMatchObject({ effect: 'write' });
  });

  it.each([
    ['throws', new Error('no'), { outcome: 'failed', code: 'HANDLER_ERROR' }],
    ['says no', new DomainError('ERR_BLOCKED', 'wait', { by: 1 }), { outcome: 'domain_error', code: 'ERR_BLOCKED' }],
  ])('that %s leaves nothing but its pair', async (_, thrown, exit) => {
    const { tool, call, calls, scratch, insert } = await setup();
    const handler: Handler = async (args, extra) => {
      await insert(args, extra);
      throw thrown;
    };
    tool('insert', handler, { effect: 'write', errorPattern: 'B' });
    expect(receiptOf(await call('insert', { text: 'a' }))).toBeDefined();
    expect(await scratch()).toEqual([]);
    expect((await calls())[1]).toMatchObject(exit);
  });

  it('whose output is not what it promised is rolled back', async () => {
    const { tool, call, scratch, insert } = await setup();
    tool('insert', insert, { effect: 'write', outputSchema: z.object({ number: z.number() }) });
    expect(errorOf(await call('insert', { text: 'a' }))?.code).toBe('HANDLER_ERROR');
    expect(await scratch()).toEqual([]);
  });

  it('whose result has no JSON form is rolled back', async () => {
    const { tool, call, scratch, insert } = await setup();
    const handler: Handler = async (args, extra) => {
      await insert(args, extra);
      return { text: '\ud800' };
    };
    tool('insert', handler, { effect: 'write' });
    expect(errorOf(await call('insert', { text: 'a' }))?.code).toBe('HANDLER_ERROR');
    expect(await scratch()).toEqual([]);
  });

  it('whose outcome cannot be recorded is rolled back, AUDIT_EXIT_FAILED', async () => {
    const { ctx, tool, call, calls, scratch, insert, store, ledger } = await setup();
    tool('insert', insert, { effect: 'write' });
    const down = () => Promise.reject(new Error('ledger down'));
    ctx.ledger = ledgerWith(ledger, { exit: down, exitIn: down });
    const reply = await call('insert', { text: 'a' });
    expect(errorOf(reply)?.code).toBe('AUDIT_EXIT_FAILED');
    expect(receiptOf(reply)).toBeUndefined();
    expect(await scratch()).toEqual([]);
    // The refusal itself waits and is recorded as soon as the ledger takes it.
    await ctx.backlog?.flush(store, ledger);
    expect((await calls())[1]).toMatchObject({ outcome: 'failed', code: 'AUDIT_EXIT_FAILED', late: true });
  });

  it('whose commit fails carries no receipt of what was rolled back', async () => {
    const { ctx, tool, call, scratch, insert, store, ledger } = await setup();
    tool('insert', insert, { effect: 'write' });
    const full = new ColibriError('STORE_FULL', 'The disk is full.');
    const losesCommit: typeof store.write = async (fn, options) => {
      await store.write(async (tx) => {
        await fn(tx);
        throw full;
      }, options);
      throw full;
    };
    ctx.db = { ...storeLike(store), write: losesCommit };
    ctx.ledger = ledgerWith(ledger, { exit: () => Promise.reject(full) });
    const reply = await call('insert', { text: 'a' });
    expect(errorOf(reply)?.code).toBe('STORE_FULL');
    expect(receiptOf(reply)).toBeUndefined();
    expect(await scratch()).toEqual([]);
  });

  it('that fails in a group loses only itself', async () => {
    const { tool, call, scratch, insert, calls } = await setup();
    const handler: Handler = async (args, extra) => {
      const data = await insert(args, extra);
      if (args.text === 'bad') throw new Error('bad');
      return data;
    };
    tool('insert', handler, { effect: 'write' });
    const texts = ['a', 'bad', 'b', 'bad', 'c'];
    await Promise.all(texts.map((text) => call('insert', { text })));
    expect(await scratch()).toEqual(['a', 'b', 'c']);
    const exits = (await calls()).filter((record) => record.kind === 'call.exit');
    expect(exits.map((record) => record.outcome).toSorted()).toEqual(['failed', 'failed', 'ok', 'ok', 'ok']);
  });
});

describe('error patterns', () => {
  const says = () => {
    throw new DomainError('ERR_NOT_FOUND', 'no such task', { next: [] });
  };

  it('A: the code is in the message of a HANDLER_ERROR', async () => {
    const { tool, call } = await setup();
    tool('a', says);
    const result = resultOf(await call('a'));
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { ok: false, error: { code: 'HANDLER_ERROR', message: 'ERR_NOT_FOUND: no such task' } },
    });
  });

  it('B, returned by the handler itself: flagged like one that was thrown', async () => {
    const { tool, call } = await setup();
    const returned = { ok: false, error: { code: 'OWN_CODE', message: 'no' } };
    tool('b', () => returned);
    expect(resultOf(await call('b'))).toMatchObject({ isError: true, structuredContent: { ok: true, data: returned } });
    tool('c', () => ({ ok: false }));
    expect(resultOf(await call('c')).isError).toBeUndefined();
  });

  it('B: the error is inside data', async () => {
    const { tool, call } = await setup();
    tool('b', says, { errorPattern: 'B' });
    const result = resultOf(await call('b'));
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toEqual({
      ok: true,
      data: { ok: false, error: { code: 'ERR_NOT_FOUND', message: 'no such task', details: { next: [] } } },
    });
  });
});

describe('order', () => {
  it('handlers of one tool start in arrival order and never overlap', async () => {
    const { tool, call } = await setup();
    const events: string[] = [];
    tool('slow', async ({ n }) => {
      events.push(`start ${n}`);
      await sleep(5 - Number(n));
      events.push(`end ${n}`);
    });
    await Promise.all([0, 1, 2, 3].map((n) => call('slow', { n })));
    expect(events).toEqual([0, 1, 2, 3].flatMap((n) => [`start ${n}`, `end ${n}`]));
  });

  it('one tool does not wait for another', async () => {
    const { tool, call } = await setup();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    tool('held', () => held);
    tool('free', () => 1);
    const waiting = call('held');
    await call('free');
    release();
    await waiting;
  });

  it('a call that was cancelled before its turn holds up nobody', async () => {
    const { tool, call } = await setup();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    tool('held', () => held);
    const cancel = new AbortController();
    const first = call('held');
    const second = call('held', {}, cancel.signal);
    cancel.abort();
    await second;
    release();
    await first;
    expect(resultOf(await call('held')).structuredContent.ok).toBe(true);
  });

  it('forgets a name when its last ticket is back', async () => {
    const { ctx, call } = await setup();
    await Promise.all(Array.from({ length: 50 }, (_, i) => call(`nobody_${i}`)));
    await sleep(1);
    expect(ctx.tickets.size).toBe(0);
  });
});

describe('cancellation', () => {
  it('reaches the handler, and the call is recorded as cancelled', async () => {
    const { tool, call, calls } = await setup();
    const cancel = new AbortController();
    tool('wait', (_, { signal }) => {
      cancel.abort();
      signal.throwIfAborted();
    });
    await call('wait', {}, cancel.signal);
    const [, exit] = await calls();
    expect(exit).toMatchObject({ outcome: 'cancelled' });
    expect(exit).not.toHaveProperty('result_digest');
  });

  it('before its turn means the handler never runs', async () => {
    const { tool, call, calls } = await setup();
    let runs = 0;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    tool('held', async () => {
      runs += 1;
      await held;
    });
    const cancel = new AbortController();
    const first = call('held');
    const second = call('held', {}, cancel.signal);
    await sleep(20);
    cancel.abort();
    await second;
    release();
    await first;
    expect(runs).toBe(1);
    expect((await calls()).filter((record) => record.kind === 'call.exit')).toMatchObject([
      { outcome: 'cancelled' },
      { outcome: 'ok' },
    ]);
  });

  it('rolls back a write that was not committed yet', async () => {
    const { tool, call, scratch, insert } = await setup();
    const cancel = new AbortController();
    const handler: Handler = async (args, extra) => {
      const data = await insert(args, extra);
      cancel.abort();
      return data;
    };
    tool('insert', handler, { effect: 'write' });
    await call('insert', { text: 'a' }, cancel.signal);
    expect(await scratch()).toEqual([]);
  });
});

describe('without an open ledger', () => {
  const down = (code: 'STORE_BUSY' | 'STORE_UPGRADED') => new ColibriError(code, 'down', { retryAfterMs: 1000 });

  it.each([
    ['STORE_BUSY', { code: 'AUDIT_ENTER_FAILED', details: { cause: 'STORE_BUSY', retry_after_ms: 1000 } }],
    ['STORE_UPGRADED', { code: 'STORE_UPGRADED' }],
  ] as const)('an intent refused with %s stops the handler', async (code, error) => {
    const { ctx, tool, call, ledger } = await setup();
    let ran = false;
    tool('never', () => {
      ran = true;
    });
    ctx.ledger = ledgerWith(ledger, { enter: () => Promise.reject(down(code)) });
    expect(errorOf(await call('never'))).toMatchObject(error);
    expect(ran).toBe(false);
  });

  it('ping answers without a receipt when the store fails, and its pair follows', async () => {
    const { ctx, call, calls, store, ledger } = await setup();
    registerPingTool(ctx);
    ctx.ledger = ledgerWith(ledger, { enter: () => Promise.reject(down('STORE_BUSY')) });
    const reply = await call('server_ping');
    expect(resultOf(reply).structuredContent.ok).toBe(true);
    expect(receiptOf(reply)).toBeUndefined();
    await sleep(1);
    await ctx.backlog?.flush(store, ledger);
    expect(await calls()).toMatchObject([
      { kind: 'call.enter', late: true },
      { kind: 'call.exit', late: true, outcome: 'ok' },
    ]);
  });

  it('ping does not wait longer than 250 ms for a slow ledger', async () => {
    const { ctx, call, calls, store, ledger } = await setup();
    registerPingTool(ctx);
    let proceed = () => {};
    const held = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    ctx.ledger = ledgerWith(ledger, { enter: (intent) => held.then(() => ledger.enter(intent)) });
    const reply = await call('server_ping');
    expect(receiptOf(reply)).toBeUndefined();
    proceed();
    await sleep(50);
    await ctx.backlog?.flush(store, ledger);
    expect(await calls()).toMatchObject([{ late: true }, { late: true, outcome: 'ok' }]);
  });

  it('ping does not wait longer for its outcome either', async () => {
    const { ctx, call, calls, store, ledger } = await setup();
    registerPingTool(ctx);
    let proceed = () => {};
    const held = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    ctx.ledger = ledgerWith(ledger, { exit: (...args) => held.then(() => ledger.exit(...args)) });
    const reply = await call('server_ping');
    expect(receiptOf(reply)).toBeUndefined();
    proceed();
    await ctx.backlog?.expected();
    await ctx.backlog?.flush(store, ledger);
    expect((await calls()).map(({ kind, late }) => [kind, late])).toEqual([
      ['call.enter', undefined],
      ['call.exit', true],
    ]);
  });

  it('calls wait at the gate and then run; ping does not wait', async () => {
    const { ctx, tool, call, calls, ledger } = await setup();
    registerPingTool(ctx);
    tool('needs', () => 1);
    const gate = createGate();
    ctx.gate = gate;
    delete ctx.ledger;
    const waiting = call('needs');
    expect(receiptOf(await call('server_ping'))).toBeUndefined();
    expect(await Promise.race([waiting, sleep(20, 'still waiting')])).toBe('still waiting');
    ctx.ledger = ledger;
    gate.open();
    expect(receiptOf(await waiting)).toBeDefined();
    expect((await calls())[0]).toMatchObject({ tool: 'needs' });
  });

  it('a failed phase 2 refuses with cause and remedy, and the refusal is recorded later', async () => {
    const { ctx, tool, call, calls, store, ledger } = await setup();
    tool('needs', () => 1);
    const gate = createGate();
    ctx.gate = gate;
    delete ctx.ledger;
    gate.fail(new ColibriError('STORE_UNAVAILABLE', 'no space.', { remedy: 'Free some.', retryAfterMs: 30_000 }));
    expect(errorOf(await call('needs'))).toEqual({
      code: 'STORE_UNAVAILABLE',
      message: 'no space. Free some.',
      details: { remedy: 'Free some.', retry_after_ms: 30_000 },
    });
    await ctx.backlog?.flush(store, ledger);
    expect((await calls())[1]).toMatchObject({ outcome: 'refused', code: 'STORE_UNAVAILABLE', late: true });
  });

  it('an outcome the ledger will not take leaves the result, without a receipt', async () => {
    const { ctx, tool, call, calls, store, ledger } = await setup();
    tool('outside', () => ({ done: true }));
    ctx.ledger = ledgerWith(ledger, { exit: () => Promise.reject(down('STORE_BUSY')) });
    const reply = await call('outside');
    expect(resultOf(reply).structuredContent).toEqual({ ok: true, data: { done: true } });
    expect(receiptOf(reply)).toBeUndefined();
    await ctx.backlog?.flush(store, ledger);
    expect((await calls())[1]).toMatchObject({ outcome: 'ok', late: true });
  });
});
