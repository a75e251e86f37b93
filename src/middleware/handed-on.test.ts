// Tests tools of ours that call another server: what the caller gets, what is recorded, and that other calls do not wait for it.

import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { requestOf } from '../../test/support/requests.js';
import { openLedger, temporaryFolder } from '../../test/support/stores.js';
import type { ColibriServerContext, HandlerExtra } from '../call/context.js';
import { ColibriError } from '../errors.js';
import { Backlog } from '../ledger/calls/backlog.js';
import { saltedDigest } from '../ledger/hashes.js';
import { canonicalJson } from '../proof/canonical-json.js';
import { createServer, registerColibriTool } from '../server.js';
import { fiveStages } from './chain.js';
import { RECEIPT_KEY, type Receipt, type Reply } from './envelope.js';
import { HandedOn } from './handed-on.js';

const NOTE = { name: null, candidates: [], attempts: [] };

const setup = async (handler: (extra: HandlerExtra) => unknown, gate?: ColibriServerContext['gate']) => {
  const { store, ledger, records } = await openLedger(temporaryFolder());
  const ctx: ColibriServerContext = {
    ...createServer({ mode: 'FULL', logger: () => {}, installGlobalHandlers: false }),
    db: store,
    ledger,
    backlog: new Backlog(),
    ...(gate && { gate }),
  };
  registerColibriTool(ctx, 'hand_on', { inputSchema: z.strictObject({}), effect: 'proxy' }, (_args, extra) =>
    handler(extra),
  );
  const run = fiveStages(ctx);
  const call = (args: unknown = {}, signal?: AbortSignal, meta?: unknown) =>
    run(requestOf({ name: 'hand_on', args, signal, meta }));
  const exits = async () => (await records()).filter(({ kind }) => kind === 'call.exit');
  return { ctx, call, exits };
};

/** The result without its receipt, and the digest that its record must have. */
const opened = (reply: Reply) => {
  if (!('result' in reply)) throw new Error(JSON.stringify(reply));
  const { _meta, ...whole } = reply.result;
  const { salt } = (_meta as Record<string, Receipt>)[RECEIPT_KEY] as Receipt;
  return { whole, digest: saltedDigest(Buffer.from(salt, 'hex'), canonicalJson(whole)) };
};

describe('what it ends in', () => {
  it('is flagged as an error if the other server flagged its result; the digest covers the flag', async () => {
    const envelope = { ok: true, data: { is_error: true } } as const;
    const { call, exits } = await setup((extra) => {
      extra.note({ route: NOTE });
      return new HandedOn({ kind: 'ok', envelope }, [{ type: 'text', text: 'no' }], true);
    });
    const { whole, digest } = opened(await call());
    expect(whole).toMatchObject({ isError: true, structuredContent: envelope });
    expect(await exits()).toMatchObject([{ outcome: 'ok', result_digest: digest }]);
  });

  it('stands in our envelope, with the other server’s blocks behind it; the digest is over all of it', async () => {
    const envelope = { ok: true, data: { server: 's' } } as const;
    const { call, exits } = await setup((extra) => {
      extra.note({ route: NOTE });
      return new HandedOn({ kind: 'ok', envelope }, [{ type: 'image', data: 'x' }]);
    });
    const { whole, digest } = opened(await call());
    expect(whole).toEqual({
      content: [
        { type: 'text', text: canonicalJson(envelope) },
        { type: 'image', data: 'x' },
      ],
      structuredContent: envelope,
    });
    expect(await exits()).toMatchObject([{ outcome: 'ok', result_digest: digest, route: NOTE }]);
  });

  it('is an error of ours with its own code and outcome', async () => {
    const envelope = { ok: false, error: { code: 'TOOL_BUSY', message: 'm' } } as const;
    const { call, exits } = await setup(() => new HandedOn({ kind: 'refused', code: 'TOOL_BUSY', envelope }));
    const { whole, digest } = opened(await call());
    expect(whole).toMatchObject({ isError: true, structuredContent: envelope });
    expect(await exits()).toMatchObject([{ outcome: 'refused', code: 'TOOL_BUSY', result_digest: digest }]);
  });

  it('blocks that no canonical text can hold are digested as they are written', async () => {
    const envelope = { ok: true, data: null } as const;
    const { call, exits } = await setup(() => new HandedOn({ kind: 'ok', envelope }, [{ text: '\ud800' }]));
    await call();
    expect(await exits()).toMatchObject([{ outcome: 'ok', form: 'json', result_digest: expect.any(String) }]);
  });
});

describe('the digest is of the same kind where the handler', () => {
  it('throws', async () => {
    const { call, exits } = await setup(() => {
      throw new Error('broken');
    });
    const { whole, digest } = opened(await call());
    expect(whole.structuredContent).toMatchObject({ error: { code: 'HANDLER_ERROR' } });
    expect(await exits()).toMatchObject([{ outcome: 'failed', result_digest: digest }]);
  });

  it('did not run', async () => {
    const fault = new ColibriError('STORE_UNAVAILABLE', 'not open');
    const { call, exits } = await setup(() => null, { isOpen: false, pass: () => Promise.reject(fault) });
    const { digest } = opened(await call());
    expect(await exits()).toMatchObject([{ outcome: 'refused', code: 'STORE_UNAVAILABLE', result_digest: digest }]);
  });
});

it('what was sent stays on record when the client cancels', async () => {
  const stop = new AbortController();
  const { call, exits } = await setup((extra) => {
    extra.note({ route: NOTE });
    stop.abort();
    return new HandedOn({ kind: 'ok', envelope: { ok: true, data: null } });
  });
  await call({}, stop.signal);
  const [exit] = await exits();
  expect(exit).toMatchObject({ outcome: 'cancelled', route: NOTE });
  expect(exit).not.toHaveProperty('result_digest');
});

it('calls do not wait for each other', async () => {
  let begun = 0;
  const { call } = await setup(async () => {
    begun += 1;
    while (begun < 3) await new Promise((resolve) => setTimeout(resolve, 1));
    return new HandedOn({ kind: 'ok', envelope: { ok: true, data: null } });
  });
  expect(await Promise.all([call(), call(), call()])).toHaveLength(3);
});

it('what goes along is the request itself', async () => {
  const seen: unknown[] = [];
  const { call } = await setup(({ onward }) => {
    seen.push(onward.meta, typeof onward.id, onward.cancellation.aborted);
    return new HandedOn({ kind: 'ok', envelope: { ok: true, data: null } });
  });
  await call({}, undefined, { traceparent: 't' });
  expect(seen).toEqual([{ traceparent: 't' }, 'string', false]);
});
