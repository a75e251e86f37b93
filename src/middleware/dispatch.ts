// Stage 4: runs the handler when its turn has come. A writing tool runs inside the transaction that also takes its outcome
// record: both commit or neither does.

import type { NativeResult } from '../call/answer.js';
import type { ColibriServerContext, HandlerExtra, ProxiedTool, Tool } from '../call/context.js';
import type { CallRequest } from '../call/request.js';
import type { Cancellation } from '../core/cancellation.js';
import type { Clock } from '../core/clock.js';
import { asError } from '../errors.js';
import { Evidence } from '../ledger/evidence.js';
import type { OutcomeNotes } from '../proof/records.js';
import type { Store, Tx } from '../store/store.js';
import type { Call, Next, Stage } from './chain.js';
import { cancelled, errorBody, failed, faulted, type Outcome, proxied, type Reply, succeeded } from './envelope.js';
import { asHandedOn, HandedOn, handedOn, InputNeeded } from './handed-on.js';

/** Resolves when the call may run, or at once when the client cancels it. */
const turnOrAbort = (turn: Promise<void>, cancellation: Cancellation): Promise<void> =>
  new Promise((resolve) => {
    const unlisten = cancellation.listen(resolve);
    void turn.then(() => {
      unlisten();
      resolve();
    });
  });

const checkedOutput = (tool: Tool, data: unknown): Outcome => {
  if (data instanceof HandedOn) return handedOn(data);
  if (data instanceof InputNeeded) return proxied({ kind: 'input', result: data.result }, undefined);
  const checked = tool.config.outputSchema?.safeParse(data);
  if (checked !== undefined && !checked.success) {
    throw new Error(
      `${tool.name} returned data that does not fit its output schema: ${checked.error.issues[0]?.message}`,
    );
  }
  return succeeded(data);
};

/** What the handler of a call gets. A class, because V8 makes an object literal with a getter slowly. */
class Extra implements HandlerExtra {
  readonly tx: Tx | undefined;
  readonly evidence: Evidence | undefined;
  readonly call: HandlerExtra['call'];
  readonly prepared: unknown;
  readonly now: Clock;
  readonly onward: CallRequest;
  readonly signSoon: () => void;
  readonly #of: Call;

  constructor(ctx: ColibriServerContext, call: Call, tx: Tx | undefined) {
    const { ledger } = ctx;
    const { request } = call;
    this.tx = tx;
    this.evidence = tx === undefined || ledger === undefined ? undefined : new Evidence(tx, ledger.log);
    const { sequenceNo } = call;
    this.call = { id: request.id, client: request.client, sequenceNo, instance: ledger?.instance };
    this.prepared = call.prepared;
    this.now = ctx.now;
    this.onward = request;
    this.signSoon = () => ctx.signer?.soon();
    this.#of = call;
  }

  /** The AbortSignal of the call, made only if the handler asks for it. */
  get signal(): AbortSignal {
    return this.onward.cancellation.signal;
  }

  note(notes: OutcomeNotes): void {
    this.#of.notes = { ...this.#of.notes, ...notes };
  }

  follow(act: (tx: Tx) => Promise<void>): void {
    this.#of.follows.push(act);
  }

  afterCommit(act: () => void): void {
    this.#of.afterCommit.push(act);
  }
}

/** Runs the handler and checks what it returned. Throws if its writes must be rolled back. */
const attempt = async (ctx: ColibriServerContext, call: Call, tool: Tool, tx?: Tx): Promise<Outcome> => {
  call.notes = {};
  call.follows = [];
  call.afterCommit = [];
  const extra = new Extra(ctx, call, tx);
  try {
    const ending = checkedOutput(tool, await tool.handler(call.args, extra));
    if (call.request.cancellation.aborted) throw new Error('The client cancelled the call.');
    const subjects = extra.evidence?.subjects ?? [];
    if (subjects.length > 0) extra.note({ subjects });
    return ending;
  } finally {
    call.ticket?.done();
  }
};

/**
 * The outcome of a call that threw. Drops what the handler added to the outcome record, because its write is rolled back, but keeps the
 * route: what was sent to a server cannot be undone.
 */
const failure = (call: Call, thrown: unknown): Outcome => {
  const { route } = call.notes ?? {};
  call.notes = route === undefined ? {} : { route };
  return call.request.cancellation.aborted ? cancelled() : failed(thrown, call.tool?.config.errorPattern);
};

type Writable = ColibriServerContext & { readonly db: Store };

const isWritable = (ctx: ColibriServerContext): ctx is Writable => ctx.db !== undefined;

/** Runs the handler and records the outcome in one transaction. The reply is built in the transaction and sent after COMMIT. */
const runWrite = async (ctx: Writable, call: Call, tool: Tool, next: Next): Promise<Reply> => {
  try {
    call.prepared = await tool.prepare?.(call.args);
    const reply = await ctx.db.write(
      async (tx) => {
        call.outcome = await attempt(ctx, call, tool, tx);
        call.tx = tx;
        const reply = await next(call);
        for (const act of call.follows) await act(tx);
        return reply;
      },
      tool.config.sync === true ? { sync: true } : { group: true },
    );
    for (const act of call.afterCommit) act();
    return reply;
  } catch (thrown) {
    call.tx = undefined;
    call.outcome = failure(call, thrown);
    return next(call);
  }
};

/**
 * Runs the handler of a tool that does not write. A reading tool sees one snapshot of the store; ping and health, which must answer
 * without a store, see none.
 */
const runOther = async (ctx: ColibriServerContext, call: Call, tool: Tool): Promise<Outcome> => {
  const { vital, ownSnapshots } = tool.config;
  const inSnapshot = call.effect === 'read' && vital !== true && ownSnapshots !== true;
  try {
    if (ctx.db === undefined || !inSnapshot) return await attempt(ctx, call, tool);
    return await ctx.db.read((tx) => attempt(ctx, call, tool, tx as Tx));
  } catch (thrown) {
    return failure(call, thrown);
  }
};

/** Calls another server's tool outside any transaction, because what the server does cannot be rolled back. */
const runProxied = async (call: Call, tool: ProxiedTool): Promise<Outcome> => {
  const { cancellation } = call.request;
  if (cancellation.aborted) return cancelled();
  try {
    const reply = await tool.call(call.args as NativeResult, call.request);
    if (reply.route !== undefined) call.notes = { route: reply.route };
    return cancellation.aborted ? cancelled() : proxied(reply, tool);
  } catch (thrown) {
    return faulted({ outcome: 'failed', error: errorBody('HANDLER_ERROR', asError(thrown).message) }, tool);
  }
};

export const dispatch = (ctx: ColibriServerContext): Stage => {
  return async (call, next) => {
    const { tool, fault, ticket } = call;
    const { cancellation } = call.request;
    if (fault === undefined && call.proxied !== undefined) {
      call.outcome = await runProxied(call, call.proxied);
      return next(call);
    }
    if (fault !== undefined || tool === undefined) {
      ticket?.done();
      call.outcome = fault === undefined ? cancelled() : asHandedOn(call, faulted(fault, call.proxied));
      return next(call);
    }
    if (ticket?.turn !== undefined && !cancellation.aborted) await turnOrAbort(ticket.turn, cancellation);
    if (cancellation.aborted) {
      call.outcome = cancelled();
      return next(call);
    }
    if (isWritable(ctx) && call.effect === 'write') return runWrite(ctx, call, tool, next);
    call.outcome = asHandedOn(call, await runOther(ctx, call, tool));
    return next(call);
  };
};
