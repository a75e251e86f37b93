// Stage 4: runs the handler, once its turn has come. A writing tool runs inside the transaction that also takes
// its outcome record: both commit or neither does.
import type { ColibriServerContext, HandlerExtra, NativeResult, ProxiedTool, ProxyCall, Tool } from '../context.js';
import { asError } from '../errors.js';
import { Evidence } from '../ledger/evidence.js';
import type { Store, Tx } from '../store/store.js';
import type { Call, Next, Stage } from './chain.js';
import { cancelled, errorBody, failed, faulted, type Outcome, proxied, type Reply, succeeded } from './envelope.js';
import { asHandedOn, HandedOn, handedOn, InputNeeded } from './handed-on.js';
import { metaWithoutHop } from './native.js';

/** Resolves at the call's turn, or at once when the client cancels. */
const turnOrAbort = async ({ ticket, cancellation }: Call): Promise<void> => {
  const turn = ticket?.turn;
  if (turn === undefined || cancellation.aborted) return;
  await new Promise<void>((resolve) => {
    const unlisten = cancellation.listen(resolve);
    void turn.then(() => {
      unlisten();
      resolve();
    });
  });
};

const checkedOutput = (tool: Tool, data: unknown): Outcome => {
  if (data instanceof HandedOn) return handedOn(data);
  if (data instanceof InputNeeded) return proxied({ kind: 'input', result: data.result });
  const checked = tool.config.outputSchema?.safeParse(data);
  if (checked !== undefined && !checked.success) {
    throw new Error(`${tool.name} returned something else than it promises: ${checked.error.issues[0]?.message}`);
  }
  return succeeded(data);
};

const onwardOf = ({ id, onProgress, peer, retry, meta, cancellation }: Call): ProxyCall => ({
  id,
  onProgress,
  peer,
  retry,
  meta: metaWithoutHop(meta),
  get signal() {
    return cancellation.signal;
  },
});

/** Runs the handler and checks what it returned. Throws where nothing of it may stand. */
const attempt = async (ctx: ColibriServerContext, call: Call, tool: Tool, tx?: Tx): Promise<Outcome> => {
  const log = ctx.ledger?.log;
  call.notes = {};
  call.follows = [];
  call.afterCommit = [];
  const evidence = tx === undefined || log === undefined ? undefined : new Evidence(tx, log);
  const extra: HandlerExtra = {
    tx,
    get signal() {
      return call.cancellation.signal;
    },
    call: { id: call.id, client: call.client, sequenceNo: call.sequenceNo, instance: ctx.ledger?.instance },
    prepared: call.prepared,
    now: ctx.now,
    evidence,
    note: (notes) => {
      call.notes = { ...call.notes, ...notes };
    },
    signSoon: () => ctx.signer?.soon(),
    follow: (act) => call.follows?.push(act),
    afterCommit: (act) => call.afterCommit?.push(act),
    get onward() {
      return onwardOf(call);
    },
  };
  try {
    const ending = checkedOutput(tool, await tool.handler(call.args, extra));
    if (call.cancellation.aborted) throw new Error('The client cancelled the call.');
    if (evidence !== undefined && evidence.subjects.length > 0) extra.note({ subjects: evidence.subjects });
    return ending;
  } finally {
    call.ticket?.done();
  }
};

/** What was noted of a write that is rolled back goes with it; what went to another server stays there. */
const failure = (call: Call, thrown: unknown): Outcome => {
  const { route } = call.notes ?? {};
  call.notes = route === undefined ? {} : { route };
  return call.cancellation.aborted ? cancelled() : failed(thrown, call.tool?.config.errorPattern);
};

type Writable = ColibriServerContext & { readonly db: Store };

const isWritable = (ctx: ColibriServerContext): ctx is Writable => ctx.db !== undefined;

/** Handler and outcome in one transaction. The reply is built inside it and published after COMMIT. */
const runWrite = async (ctx: Writable, call: Call, tool: Tool, next: Next): Promise<Reply> => {
  try {
    call.prepared = await tool.prepare?.(call.args);
    const reply = await ctx.db.write(
      async (tx) => {
        call.outcome = await attempt(ctx, call, tool, tx);
        call.tx = tx;
        const reply = await next(call);
        for (const act of call.follows ?? []) await act(tx);
        return reply;
      },
      tool.config.sync === true ? { sync: true } : { group: true },
    );
    for (const act of call.afterCommit ?? []) act();
    return reply;
  } catch (thrown) {
    call.tx = undefined;
    call.outcome = failure(call, thrown);
    return next(call);
  }
};

/** A reading tool sees one snapshot; vital tools need none. */
const runOther = (ctx: ColibriServerContext, call: Call, tool: Tool): Promise<Outcome> =>
  ctx.db !== undefined && call.effect === 'read' && tool.config.vital !== true && tool.config.ownSnapshots !== true
    ? ctx.db.read((tx) => attempt(ctx, call, tool, tx as Tx))
    : attempt(ctx, call, tool);

/** Outside any transaction: what another server does cannot be rolled back. */
const runProxied = async (call: Call, tool: ProxiedTool): Promise<Outcome> => {
  const { cancellation } = call;
  if (cancellation.aborted) return cancelled();
  try {
    const reply = await tool.call(call.args as NativeResult, onwardOf(call));
    if (reply.route !== undefined) call.notes = { route: reply.route };
    return cancellation.aborted ? cancelled() : proxied(reply);
  } catch (thrown) {
    return faulted({ outcome: 'failed', error: errorBody('HANDLER_ERROR', asError(thrown).message) }, tool);
  }
};

export const dispatch = (ctx: ColibriServerContext): Stage => {
  return async (call, next) => {
    const { tool, fault } = call;
    if (fault === undefined && call.proxied !== undefined) {
      call.outcome = await runProxied(call, call.proxied);
      return next(call);
    }
    if (fault !== undefined || tool === undefined) {
      call.ticket?.done();
      call.outcome = fault === undefined ? cancelled() : asHandedOn(call, faulted(fault, call.proxied));
      return next(call);
    }
    await turnOrAbort(call);
    if (call.cancellation.aborted) {
      call.outcome = cancelled();
      return next(call);
    }
    if (isWritable(ctx) && call.effect === 'write') return runWrite(ctx, call, tool, next);
    call.outcome = asHandedOn(call, await runOther(ctx, call, tool).catch((thrown) => failure(call, thrown)));
    return next(call);
  };
};
