// Stage 4: runs the handler when its turn has come. A writing tool runs inside the transaction that also takes its outcome
// record: both commit or neither does.

import type { NativeResult } from '../call/answer.js';
import type { ColibriServerContext, HandlerExtra, ProxiedTool, Tool } from '../call/context.js';
import type { CallRequest } from '../call/request.js';
import type { Cancellation } from '../core/cancellation.js';
import type { Clock } from '../core/clock.js';
import { onceThere, type Soon } from '../core/soon.js';
import { asError } from '../errors.js';
import { Evidence } from '../ledger/evidence.js';
import type { OutcomeNotes } from '../proof/records.js';
import type { Store, Tx } from '../store/store.js';
import type { Call, Next, Stage } from './chain.js';
import { cancelled, errorBody, failed, faulted, type Outcome, type Reply, succeeded } from './envelope.js';
import { asHandedOn, HandedOn, handedOn, InputNeeded } from './handed-on.js';
import { proxied } from './proxied-outcome.js';

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
  if (data instanceof InputNeeded)
    return { ...proxied({ kind: 'input', result: data.result }, undefined), unserved: data.unserved };
  const checked = tool.config.outputSchema?.safeParse(data);
  if (checked !== undefined && !checked.success) {
    throw new Error(
      `${tool.name} returned data that does not fit its output schema: ${checked.error.issues[0]?.message}`,
    );
  }
  return succeeded(data);
};

const NOTHING: readonly never[] = [];

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
    const { positions } = call;
    this.evidence =
      tx === undefined || ledger === undefined ? undefined : new Evidence(tx, ledger.log, positions?.outcome);
    const sequenceNo = positions?.intent;
    this.call = { id: request.id, client: request.client, sequenceNo, instance: ledger?.instance };
    this.prepared = call.prepared;
    // Of machines that share a store, one may have a wrong clock: leases then run by the server's.
    this.now = tx?.began === undefined ? ctx.now : () => tx.began ?? '';
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
    this.#of.follows = [...this.#of.follows, act];
  }

  afterCommit(act: () => void): void {
    this.#of.afterCommit = [...this.#of.afterCommit, act];
  }
}

const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function';

/** Runs the handler and checks what it returned. Throws or rejects if its writes must be rolled back. */
const attempt = (ctx: ColibriServerContext, call: Call, tool: Tool, tx?: Tx): Soon<Outcome> => {
  call.notes = undefined;
  call.follows = NOTHING;
  call.afterCommit = NOTHING;
  const extra = new Extra(ctx, call, tx);
  const ended = (data: unknown): Outcome => {
    const ending = checkedOutput(tool, data);
    if (call.request.cancellation.aborted) throw new Error('The client cancelled the call.');
    const subjects = extra.evidence?.subjects ?? [];
    if (subjects.length > 0) extra.note({ subjects });
    return ending;
  };
  const done = (): void => call.ticket?.done();
  let isPending = false;
  try {
    const data = tool.handler(call.args, extra);
    if (!isPromise(data)) return ended(data);
    isPending = true;
    return Promise.resolve(data).then(ended).finally(done);
  } finally {
    if (!isPending) done();
  }
};

/**
 * The outcome of a call that threw. Drops what the handler added to the outcome record, because its write is rolled back, but keeps the
 * route: what was sent to a server cannot be undone.
 */
const failure = (call: Call, thrown: unknown): Outcome => {
  const route = call.notes?.route;
  call.notes = route === undefined ? undefined : { route };
  return call.request.cancellation.aborted ? cancelled() : failed(thrown, call.tool?.config.errorPattern);
};

type Writable = ColibriServerContext & { readonly db: Store };

const isWritable = (ctx: ColibriServerContext): ctx is Writable => ctx.db !== undefined;

/** Runs the handler and records the outcome in one transaction. The reply is built in the transaction and sent after COMMIT. */
const runWrite = async (ctx: Writable, call: Call, tool: Tool, next: Next): Promise<Reply> => {
  const { ledger } = ctx;
  const { pair } = call;
  try {
    call.prepared = await tool.prepare?.(call.args);
    const reply = await ctx.db.write(
      async (tx) => {
        call.positions = ledger && pair && (await ledger.claim(tx, pair, tool.config.appends === true));
        call.outcome = await attempt(ctx, call, tool, tx);
        call.tx = tx;
        const reply = await next(call);
        for (const act of call.follows) await act(tx);
        return reply;
      },
      { ...(tool.config.sync === true ? { sync: true } : { group: true }), ...(ledger && { log: ledger.log.id }) },
    );
    if (pair !== undefined) ledger?.settled(pair);
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
const runOther = (ctx: ColibriServerContext, call: Call, tool: Tool): Soon<Outcome> => {
  const { vital, ownSnapshots } = tool.config;
  const inSnapshot = call.effect === 'read' && vital !== true && ownSnapshots !== true;
  const failed = (thrown: unknown): Outcome => failure(call, thrown);
  try {
    const outcome =
      ctx.db === undefined || !inSnapshot
        ? attempt(ctx, call, tool)
        : ctx.db.read(async (tx) => attempt(ctx, call, tool, tx as Tx));
    return outcome instanceof Promise ? outcome.catch(failed) : outcome;
  } catch (thrown) {
    return failed(thrown);
  }
};

/** Calls another server's tool outside any transaction, because what the server does cannot be rolled back. */
const runProxied = (call: Call, tool: ProxiedTool): Soon<Outcome> => {
  const { cancellation } = call.request;
  if (cancellation.aborted) return cancelled();
  const failed = (thrown: unknown): Outcome =>
    faulted({ outcome: 'failed', error: errorBody('HANDLER_ERROR', asError(thrown).message) }, tool);
  const answered = (reply: Awaited<ReturnType<ProxiedTool['call']>>): Outcome => {
    if (reply.route !== undefined) call.notes = { route: reply.route };
    if (cancellation.aborted) return cancelled();
    const outcome = proxied(reply, tool);
    return reply.unserved === undefined ? outcome : { ...outcome, unserved: reply.unserved };
  };
  try {
    return tool
      .call(call.args as NativeResult, call.request)
      .then(answered)
      .catch(failed);
  } catch (thrown) {
    return failed(thrown);
  }
};

export const dispatch = (ctx: ColibriServerContext): Stage => {
  const end = (call: Call, outcome: Outcome, next: Next): Soon<Reply> => {
    call.outcome = outcome;
    return next(call);
  };
  /** Runs the handler of a tool of Colibri or an embedder, when the call's turn has come. */
  const run = (call: Call, tool: Tool, next: Next): Soon<Reply> => {
    if (call.request.cancellation.aborted) return end(call, cancelled(), next);
    if (isWritable(ctx) && call.effect === 'write') return runWrite(ctx, call, tool, next);
    return onceThere(runOther(ctx, call, tool), (outcome) => end(call, asHandedOn(call, outcome), next));
  };
  return (call, next) => {
    const { tool, fault, ticket } = call;
    const { cancellation } = call.request;
    if (fault === undefined && call.proxied !== undefined)
      return onceThere(runProxied(call, call.proxied), (outcome) => end(call, outcome, next));
    if (fault !== undefined || tool === undefined) {
      ticket?.done();
      return end(call, fault === undefined ? cancelled() : asHandedOn(call, faulted(fault, call.proxied)), next);
    }
    const turn = cancellation.aborted ? undefined : ticket?.turn;
    return onceThere(turn && turnOrAbort(turn, cancellation), () => run(call, tool, next));
  };
};
