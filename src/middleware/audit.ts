// Stages 3 and 5: make the record before the call (its intent) durable before the handler starts, and write the record of its outcome, together with
// the handler's writes or after the handler has ended. Where nothing has to be waited for, both return at once. An embedder's sink is told the same,
// and only observes.
import type { ColibriServerContext, Gate, ToolEnterEvent, ToolExitEvent } from '../call/context.js';
import { mapTexts } from '../call/texts.js';
import type { Soon } from '../core/soon.js';
import { asError, ColibriError, ERRORS } from '../errors.js';
import type { Backlog } from '../ledger/calls/backlog.js';
import type { CallLedger } from '../ledger/calls/call-ledger.js';
import type { Ending, Intent, Pair } from '../ledger/calls/pair.js';
import type { Appended } from '../ledger/ledger.js';
import { isObject } from '../proof/canonical-json.js';
import { asName } from '../redact/redact.js';
import type { Call, Next, Stage } from './chain.js';
import { bodyOf, errorBody, type Fault, type Outcome, type Reply, resultDigest } from './envelope.js';
import { wordsToKeep } from './error-words.js';

const asColibri = (thrown: unknown): ColibriError =>
  thrown instanceof ColibriError
    ? thrown
    : new ColibriError('AUDIT_ENTER_FAILED', asError(thrown).message, { cause: thrown });

/** The fault of a call whose intent could not be recorded: `refused`, with the store's own code, if trying again cannot help; else `failed`. */
const enterFault = (thrown: unknown, { halted }: CallLedger): Fault => {
  const error = asColibri(thrown);
  return ERRORS[error.code].retry === 'no' || error === halted
    ? { outcome: 'refused', error: bodyOf(error) }
    : { outcome: 'failed', error: bodyOf(error, 'AUDIT_ENTER_FAILED') };
};

/** Returns the arguments to record: without those whose text the tool stores in its own tables. */
const withoutTexts = (args: unknown, texts: readonly string[] | undefined): unknown =>
  texts === undefined || !isObject(args) ? args : mapTexts(args, texts, () => undefined);

/** Waits until the store is open. If it cannot be opened, the call gets that fault, unless the validate stage has already found another fault. */
const passGate = async (gate: Gate, call: Call): Promise<void> => {
  try {
    await gate.pass(call.request.cancellation);
  } catch (thrown) {
    call.fault ??= { outcome: 'refused', error: bodyOf(asColibri(thrown)) };
  }
};

const intentOf = (ctx: ColibriServerContext, { request, effect, tool, definition }: Call): Intent => ({
  at: ctx.now(),
  call: request.id,
  tool: asName(request.name),
  effect,
  check: request.check,
  client: request.client,
  host: request.host,
  definition: definition?.digest,
  unlisted: definition?.unlisted,
  args: withoutTexts(request.args, tool?.config.keepsTexts),
  late: undefined,
});

/** Makes the call's intent durable, then goes on. Calls of vital tools wait only a moment for the store, and run in any case. */
const enter = (ctx: ColibriServerContext, ledger: CallLedger, call: Call, intent: Intent, next: Next): Soon<Reply> => {
  const vital = isVital(call);
  const failed = (thrown: unknown): Soon<Reply> => {
    ctx.logError('audit-enter failed:', thrown);
    if (!vital) call.fault ??= enterFault(thrown, ledger);
    return next(call);
  };
  const entered = (pair: Pair | undefined): Soon<Reply> => {
    if (pair === undefined) intent.late = true;
    else {
      call.pair = pair;
      if (call.effect === 'proxy') call.request.pair = pair;
    }
    return next(call);
  };
  let entry: Soon<Pair>;
  try {
    const isPrompt = ledger.isPrompt;
    entry = ledger.enter(intent);
    call.entry = entry;
    if (entry instanceof Promise) return (vital && !isPrompt ? ctx.patience.wait(entry) : entry).then(entered, failed);
  } catch (thrown) {
    return failed(thrown);
  }
  return entered(entry);
};

const tellEnter = async (ctx: ColibriServerContext, call: Call): Promise<void> => {
  const event: ToolEnterEvent = Object.freeze({
    tool: call.request.name,
    args: call.args ?? call.request.args,
    timestamp: call.enteredMs,
    correlationId: call.request.id,
  });
  try {
    await ctx.auditSink.enter(event);
  } catch (thrown) {
    call.fault ??= { outcome: 'failed', error: errorBody('AUDIT_ENTER_FAILED', asError(thrown).message) };
  }
};

const tellExit = async (ctx: ColibriServerContext, call: Call): Promise<void> => {
  const { outcome } = call;
  const event: ToolExitEvent = Object.freeze({
    tool: call.request.name,
    correlationId: call.request.id,
    durationMs: Math.floor(ctx.nowMs() - call.enteredMs),
    ...(outcome?.kind === 'ok' && { result: outcome.envelope }),
    ...(outcome?.error !== undefined && { error: outcome.error }),
  });
  try {
    await ctx.auditSink.exit(event);
  } catch (thrown) {
    ctx.logError('audit-exit sink failed:', thrown);
  }
};

/** Stage 3: records the call's intent. An embedder's sink is told of the call's end after the commit, because a transaction may run again. */
export const auditEnter = (ctx: ColibriServerContext): Stage => {
  const record = (call: Call, next: Next): Soon<Reply> => {
    if (ctx.backlog === undefined) return next(call);
    const intent = intentOf(ctx, call);
    call.intent = intent;
    return ctx.ledger === undefined ? next(call) : enter(ctx, ctx.ledger, call, intent, next);
  };
  const observed =
    (next: Next): Next =>
    async (call) => {
      await tellEnter(ctx, call);
      const reply = await next(call);
      await tellExit(ctx, call);
      return reply;
    };
  return (call, next) => {
    const { gate } = ctx;
    call.enteredMs = ctx.nowMs();
    const then = ctx.hasSink ? observed(next) : next;
    if (gate === undefined || gate.isOpen || isVital(call)) return record(call, then);
    return passGate(gate, call).then(() => record(call, then));
  };
};

const endingOf = (ctx: ColibriServerContext, call: Call, outcome: Outcome): Ending => {
  const digest = resultDigest(outcome);
  // The members of `call.notes` come first: V8 copies an object quickly only into an object that has no members yet.
  return {
    ...call.notes,
    kind: 'call.exit',
    at: ctx.now(),
    call: call.request.id,
    tool: asName(call.request.name),
    outcome: outcome.kind,
    code: outcome.code === undefined ? undefined : asName(outcome.code),
    result_digest: digest,
    form: digest === undefined ? undefined : outcome.form,
    duration_us: Math.max(0, Math.floor((ctx.nowMs() - call.enteredMs) * 1000)),
    late: undefined,
    words: wordsToKeep(ctx, outcome),
  };
};

const isVital = (call: Call): boolean => call.tool?.config.vital === true;

/** Puts the outcome into the backlog, because the ledger cannot take it now. A write without a record is rolled back instead. */
const keepOutcome = (backlog: Backlog, { pair, entry, tx }: Call, intent: Intent, ending: Ending): void => {
  if (tx !== undefined) throw exitFailed(new Error('the ledger is closed'));
  if (pair !== undefined) backlog.addOutcome(pair, ending);
  else if (entry instanceof Promise) backlog.addAfter(entry, intent, ending);
  else backlog.addPair(intent, ending);
};

interface Ended {
  readonly pair: Pair;
  readonly ending: Ending;
  readonly outcome: Outcome;
  readonly backlog: Backlog;
}

/** Writes the outcome of a call whose intent is durable, in the handler's transaction if there is one, then goes on. */
const recordOutcome = (
  ctx: ColibriServerContext,
  ledger: CallLedger,
  call: Call,
  ended: Ended,
  next: Next,
): Soon<Reply> => {
  const { pair, ending, backlog } = ended;
  const done = (appended: Appended): Soon<Reply> => {
    const { seq, leaf } = appended;
    call.receipt = { log: ledger.log.id, seq, leaf, call: call.request.id, salt: ended.outcome.salt.toString('hex') };
    return next(call);
  };
  const failed = (thrown: unknown): Soon<Reply> => {
    if (call.tx !== undefined) throw exitFailed(thrown);
    if (pair.isGone) return next(call); // others closed the call: it has an outcome, and no receipt
    ctx.logError('audit-exit failed, the outcome will be recorded later:', thrown);
    backlog.addOutcome(pair, ending);
    return next(call);
  };
  let exit: Soon<Appended>;
  try {
    exit = call.tx === undefined ? ledger.exit(pair, ending) : ledger.exitIn(call.tx, pair, ending);
  } catch (thrown) {
    return failed(thrown);
  }
  if (!(exit instanceof Promise)) return done(exit);
  if (!isVital(call) || call.tx !== undefined) return exit.then(done, failed);
  // Calls of vital tools wait only a moment for the ledger.
  const waitedFor = exit;
  return ctx.patience.wait(waitedFor).then((appended) => {
    if (appended !== undefined) return done(appended);
    ending.late = true; // the outcome record is built when the transaction runs
    backlog.afterExit(waitedFor, pair, ending);
    return next(call);
  }, failed);
};

/** The error of a write whose outcome could not be recorded. If trying again cannot help, the store's own error says why. */
const exitFailed = (thrown: unknown): ColibriError =>
  thrown instanceof ColibriError && ERRORS[thrown.code].retry === 'no'
    ? thrown
    : new ColibriError('AUDIT_EXIT_FAILED', `The outcome could not be recorded: ${asError(thrown).message}`, {
        remedy: 'Nothing was written. Try again.',
        cause: thrown,
      });

/** Stage 5: records the outcome. A failure here inside the handler's transaction rolls the handler's writes back. */
export const auditExit =
  (ctx: ColibriServerContext): Stage =>
  (call, next) => {
    const { outcome, pair, intent } = call;
    const { ledger, backlog } = ctx;
    if (outcome === undefined) throw new Error('dispatch left no outcome');
    // This stage may run again after a rollback: the receipt of the rolled-back transaction must not be sent.
    call.receipt = undefined;
    if (backlog === undefined || intent === undefined) return next(call);
    // A health check whose intent was not recorded did not run, and no client asked for it: there is nothing to record later.
    if (call.request.check === true && pair === undefined) return next(call);
    if (pair?.isGone === true && call.tx === undefined) return next(call); // others closed the call
    const ending = endingOf(ctx, call, outcome);
    if (ledger !== undefined && pair !== undefined)
      return recordOutcome(ctx, ledger, call, { pair, ending, outcome, backlog }, next);
    keepOutcome(backlog, call, intent, ending);
    return next(call);
  };
