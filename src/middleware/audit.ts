// Stages 3 and 5: write the record before the call's handler starts (its intent), and the record of its outcome, together with the
// handler's writes or after the handler has ended. An embedder's sink is told the same, and only observes.
import type { ColibriServerContext, Gate, ToolEnterEvent, ToolExitEvent } from '../call/context.js';
import { asError, ColibriError, ERRORS } from '../errors.js';
import type { Backlog } from '../ledger/backlog.js';
import type { CallLedger, Ending, Intent } from '../ledger/call-ledger.js';
import { asName } from '../redact/redact.js';
import type { Call, Stage } from './chain.js';
import { bodyOf, errorBody, type Fault, type Outcome, resultDigest } from './envelope.js';

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
  texts === undefined || typeof args !== 'object' || args === null
    ? args
    : Object.fromEntries(Object.entries(args).filter(([key]) => !texts.includes(key)));

/** Waits until the store is open. If it cannot be opened, the call gets that fault, unless the validate stage has already found another fault. */
const passGate = async (gate: Gate, call: Call): Promise<void> => {
  try {
    await gate.pass(call.request.cancellation);
  } catch (thrown) {
    call.fault ??= { outcome: 'refused', error: bodyOf(asColibri(thrown)) };
  }
};

const intentOf = (ctx: ColibriServerContext, { request, effect, tool }: Call): Intent => ({
  at: ctx.now(),
  call: request.id,
  tool: asName(request.name),
  effect,
  check: request.check,
  client: request.client,
  host: request.host,
  args: withoutTexts(request.args, tool?.config.keepsTexts),
  late: undefined,
});

const commitIntent = async (ctx: ColibriServerContext, ledger: CallLedger, call: Call, intent: Intent) => {
  const vital = isVital(call);
  try {
    call.entry = ledger.enter(intent);
    const sequenceNo = await (vital ? ctx.patience.wait(call.entry) : call.entry);
    if (sequenceNo === undefined) intent.late = true;
    else call.sequenceNo = sequenceNo;
  } catch (thrown) {
    ctx.logger('audit-enter failed:', thrown);
    if (!vital) call.fault ??= enterFault(thrown, ledger);
  }
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
    ctx.logger('audit-exit sink failed:', thrown);
  }
};

/** Stage 3: records the call's intent. An embedder's sink is told of the call's end after the commit, because a transaction may run again. */
export const auditEnter = (ctx: ColibriServerContext): Stage => {
  return async (call, next) => {
    const { gate } = ctx;
    call.enteredMs = ctx.nowMs();
    if (gate !== undefined && !gate.isOpen && !isVital(call)) await passGate(gate, call);
    if (ctx.backlog !== undefined) call.intent = intentOf(ctx, call);
    if (ctx.ledger !== undefined && call.intent !== undefined) await commitIntent(ctx, ctx.ledger, call, call.intent);
    if (!ctx.hasSink) return next(call);
    await tellEnter(ctx, call);
    const reply = await next(call);
    await tellExit(ctx, call);
    return reply;
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
  };
};

const isVital = (call: Call): boolean => call.tool?.config.vital === true;

/** Puts the outcome into the backlog, because the ledger cannot take it now. A write without a record is rolled back instead. */
const keepOutcome = (backlog: Backlog, { sequenceNo, entry, tx }: Call, intent: Intent, ending: Ending): void => {
  if (tx !== undefined) throw exitFailed(new Error('the ledger is closed'));
  if (sequenceNo !== undefined) backlog.addOutcome(sequenceNo, ending);
  else if (entry === undefined) backlog.addPair(intent, ending);
  else backlog.addAfter(entry, intent, ending);
};

const commitOutcome = async (ctx: ColibriServerContext, call: Call, outcome: Outcome): Promise<void> => {
  // This stage may run again after a rollback: the receipt of the rolled-back transaction must not be sent.
  call.receipt = undefined;
  const { ledger, backlog } = ctx;
  const { sequenceNo, intent } = call;
  if (backlog === undefined || intent === undefined) return;
  // A health check whose intent was not recorded did not run, and no client asked for it: there is nothing to record later.
  if (call.request.check === true && sequenceNo === undefined) return;
  const ending = endingOf(ctx, call, outcome);
  if (ledger === undefined || sequenceNo === undefined) {
    keepOutcome(backlog, call, intent, ending);
    return;
  }
  try {
    const exit = ledger.exit(sequenceNo, ending, call.tx);
    const appended = await (isVital(call) ? ctx.patience.wait(exit) : exit);
    if (appended === undefined) {
      ending.late = true; // the outcome record is built when the transaction runs
      backlog.afterExit(exit, sequenceNo, ending);
      return;
    }
    const { seq, leaf } = appended;
    call.receipt = { log: ledger.log.id, seq, leaf, call: call.request.id, salt: outcome.salt.toString('hex') };
  } catch (thrown) {
    if (call.tx !== undefined) throw exitFailed(thrown);
    ctx.logger('audit-exit failed, the outcome will be recorded later:', thrown);
    backlog.addOutcome(sequenceNo, ending);
  }
};

const exitFailed = (thrown: unknown): ColibriError =>
  new ColibriError('AUDIT_EXIT_FAILED', `The outcome could not be recorded: ${asError(thrown).message}`, {
    remedy: 'Nothing was written. Try again.',
    cause: thrown,
  });

/** Stage 5: records the outcome. A failure here inside the handler's transaction rolls the handler's writes back. */
export const auditExit = (ctx: ColibriServerContext): Stage => {
  return async (call, next) => {
    if (call.outcome === undefined) throw new Error('dispatch left no outcome');
    await commitOutcome(ctx, call, call.outcome);
    return next(call);
  };
};
