// Runs the five stages of a call in order. Even a faulty call passes all of them: a stage that finds a fault notes it on the call
// and goes on, so that every call leaves one pair of records.

import type { ColibriServerContext, DefinitionInForce, ProxiedTool, Tool } from '../call/context.js';
import type { CallRequest } from '../call/request.js';
import type { Soon } from '../core/soon.js';
import type { PairPositions } from '../ledger/calls/call-ledger.js';
import type { Intent, Pair } from '../ledger/calls/pair.js';
import type { Effect, OutcomeNotes } from '../proof/records.js';
import type { Tx } from '../store/store.js';
import { auditEnter, auditExit } from './audit.js';
import { dispatch } from './dispatch.js';
import { type Fault, type Outcome, type Receipt, type Reply, replyTo } from './envelope.js';
import { type Ticket, toolLock } from './tool-lock.js';
import { validate } from './validate.js';

const NOTHING: readonly never[] = [];

/**
 * One call on its way through the stages; most fields are written by one stage. It is a class so that all calls have one hidden class in
 * V8, because every stage reads it.
 */
export class Call {
  readonly request: CallRequest;

  /** The call's place in its tool's queue; set by stage tool-lock. Given back when the handler has ended, at the latest with the reply. */
  ticket: Ticket | undefined = undefined;
  /** The tool of another server that the call goes to; `tool` is then undefined. */
  proxied: ProxiedTool | undefined;
  /** The tool of Colibri or an embedder that the call goes to; set by stage validate. */
  tool: Tool | undefined = undefined;
  args: unknown = undefined;
  effect: Effect | undefined = undefined;
  /** What the client was shown of the other server's tool that it calls; set by stage validate. */
  definition: DefinitionInForce | undefined = undefined;
  /** Why the handler must not run; set by stage validate or stage audit-enter. */
  fault: Fault | undefined = undefined;
  /** The time at which the call entered stage audit-enter, in milliseconds of the monotonic clock. */
  enteredMs = 0;
  intent: Intent | undefined = undefined;
  /** The call's two records; a promise until the first of them, its intent, is durable. */
  entry: Soon<Pair> | undefined = undefined;
  /** The call's two records, once its intent is durable. */
  pair: Pair | undefined = undefined;
  /** The positions of the call's records in the ledger; set while the handler's transaction is open. */
  positions: PairPositions | undefined = undefined;
  /** What the tool's `prepare` returned; set by stage dispatch. */
  prepared: unknown = undefined;
  outcome: Outcome | undefined = undefined;
  notes: OutcomeNotes | undefined = undefined;
  follows: readonly ((tx: Tx) => Promise<void>)[] = NOTHING;
  afterCommit: readonly (() => void)[] = NOTHING;
  /** The transaction in which the handler writes and the outcome is recorded. */
  tx: Tx | undefined = undefined;
  /** The receipt for the caller; set by stage audit-exit. */
  receipt: Receipt | undefined = undefined;

  /** `proxied`: the tool of another server that the call goes to, if it is known already. */
  constructor(request: CallRequest, proxied?: ProxiedTool) {
    this.request = request;
    this.proxied = proxied;
  }
}

export type Next = (call: Call) => Soon<Reply>;
/** A stage returns a promise only if it, or a stage after it, has to wait. */
export type Stage = (call: Call, next: Next) => Soon<Reply>;

const STAGES: readonly ((ctx: ColibriServerContext) => Stage)[] = [toolLock, validate, auditEnter, dispatch, auditExit];

/** Makes one function of all stages: each stage calls the next one in the list, and the last stage calls `last`. */
const chain = (stages: readonly Stage[], last: Next): Next =>
  stages.reduceRight<Next>((next, stage) => (call) => stage(call, next), last);

/** Passes a request through the five stages and returns the reply for the client. */
export type Run = (request: CallRequest, proxied?: ProxiedTool) => Soon<Reply>;

export const fiveStages = (ctx: ColibriServerContext): Run => {
  const { running } = ctx;
  const run = chain(
    STAGES.map((stage) => stage(ctx)),
    replyTo,
  );
  return (request, proxied) => {
    const call = new Call(request, proxied);
    // No client waits for a health check, so the process does not wait for it when it ends.
    const isCounted = request.check !== true;
    const ended = (): void => {
      call.ticket?.done();
      if (isCounted) running.end();
    };
    if (isCounted) running.begin();
    let isPending = false;
    try {
      const reply = run(call);
      isPending = reply instanceof Promise;
      if (reply instanceof Promise) reply.then(ended, ended);
      return reply;
    } finally {
      if (!isPending) ended();
    }
  };
};
