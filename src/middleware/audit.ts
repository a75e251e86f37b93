// Stages 3 and 5. The intent is committed before the handler starts, the outcome with the handler's own writes or
// after it. The sink is told the same, and only observes.
import type { ColibriServerContext, ToolEnterEvent, ToolExitEvent } from '../context.js';
import { asError, ColibriError, ERRORS } from '../errors.js';
import type { Backlog } from '../ledger/backlog.js';
import type { CallLedger, Ending } from '../ledger/call-ledger.js';
import { name } from '../ledger/records.js';
import type { Patience } from '../patience.js';
import type { Call, Stage } from './chain.js';
import { bodyOf, errorBody, type Fault, type Outcome, resultDigest } from './envelope.js';

const asColibri = (thrown: unknown): ColibriError =>
  thrown instanceof ColibriError
    ? thrown
    : new ColibriError('AUDIT_ENTER_FAILED', asError(thrown).message, { cause: thrown });

/** A store that will never take this process's records says so itself; the rest may pass. */
const enterFault = (thrown: unknown): Fault => {
  const error = asColibri(thrown);
  return ERRORS[error.code].retry === 'no'
    ? { outcome: 'refused', error: bodyOf(error) }
    : { outcome: 'failed', error: bodyOf(error, 'AUDIT_ENTER_FAILED') };
};

/** Arguments whose text the tool keeps in its own tables are not kept twice. */
const withoutTexts = (args: unknown, texts: readonly string[] | undefined): unknown =>
  texts === undefined || typeof args !== 'object' || args === null
    ? args
    : Object.fromEntries(Object.entries(args).filter(([key]) => !texts.includes(key)));

/** Waits for phase 2. Whatever validate found stays the answer; the gate's own fault comes after it. */
const passGate = async (ctx: ColibriServerContext, call: Call): Promise<void> => {
  try {
    await ctx.gate?.pass(call.cancellation);
  } catch (thrown) {
    call.fault ??= { outcome: 'refused', error: bodyOf(asColibri(thrown)) };
  }
};

const commitIntent = async (ctx: ColibriServerContext, call: Call): Promise<void> => {
  const vital = isVital(call);
  if (!vital) await passGate(ctx, call);
  if (ctx.backlog === undefined) return;
  call.intent = {
    at: ctx.now(),
    call: call.id,
    tool: name(call.name),
    ...(call.effect !== undefined && { effect: call.effect }),
    client: call.client,
    ...(call.host !== undefined && { host: call.host }),
    args: withoutTexts(call.rawArgs, call.tool?.config.keepsTexts),
  };
  if (ctx.ledger === undefined) return;
  const entry = ctx.ledger.enter(call.intent);
  call.entry = entry;
  try {
    const sequenceNo = await (vital ? ctx.patience.wait(entry) : entry);
    if (sequenceNo === undefined) call.intent.late = true;
    else call.sequenceNo = sequenceNo;
  } catch (thrown) {
    ctx.logger('audit-enter failed:', thrown);
    if (!vital) call.fault ??= enterFault(thrown);
  }
};

const tellEnter = async (ctx: ColibriServerContext, call: Call): Promise<void> => {
  const event: ToolEnterEvent = Object.freeze({
    tool: call.name,
    args: call.args ?? call.rawArgs,
    timestamp: call.enteredMs,
    correlationId: call.id,
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
    tool: call.name,
    correlationId: call.id,
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

/** Stage 3. The sink hears of the end on the way out, after the commit: a transaction may run more than once. */
export const auditEnter = (ctx: ColibriServerContext): Stage => {
  return async (call, next) => {
    call.enteredMs = ctx.nowMs();
    await commitIntent(ctx, call);
    if (ctx.hasSink) await tellEnter(ctx, call);
    const reply = await next(call);
    if (ctx.hasSink) await tellExit(ctx, call);
    return reply;
  };
};

const endingOf = (ctx: ColibriServerContext, call: Call, outcome: Outcome): Ending => {
  const digest = resultDigest(outcome);
  return {
    at: ctx.now(),
    call: call.id,
    tool: name(call.name),
    outcome: outcome.kind,
    ...(outcome.code !== undefined && { code: name(outcome.code) }),
    ...(digest !== undefined && { resultDigest: digest }),
    ...(digest !== undefined && outcome.form !== undefined && { form: outcome.form }),
    durationUs: Math.max(0, Math.floor((ctx.nowMs() - call.enteredMs) * 1000)),
    ...(call.notes !== undefined && { notes: call.notes }),
  };
};

const isVital = (call: Call): boolean => call.tool?.config.vital === true;

/** Where outcomes go while the ledger is open. */
interface Recording {
  readonly ledger: CallLedger;
  readonly backlog: Backlog;
  readonly patience: Patience;
}

/** Appends the outcome; a vital call does not wait for it longer than it may. */
const appendOutcome = async (ctx: Recording, call: Call, sequenceNo: number, ending: Ending) => {
  const { ledger, backlog } = ctx;
  const exit = ledger.exit(sequenceNo, ending, call.tx);
  const appended = await (isVital(call) ? ctx.patience.wait(exit) : exit);
  if (appended === undefined) {
    ending.late = true; // the record is built when the transaction runs
    backlog.afterExit(exit, sequenceNo, ending);
  }
  return appended;
};

const commitOutcome = async (ctx: ColibriServerContext, call: Call, outcome: Outcome): Promise<void> => {
  // A receipt of a transaction that did not commit must never leave: this stage may run again after a rollback.
  delete call.receipt;
  const { ledger, backlog } = ctx;
  const { sequenceNo, intent, entry, tx } = call;
  if (backlog === undefined || intent === undefined) return;
  const ending = endingOf(ctx, call, outcome);
  if (ledger !== undefined && sequenceNo !== undefined) {
    try {
      const appended = await appendOutcome({ ledger, backlog, patience: ctx.patience }, call, sequenceNo, ending);
      if (appended === undefined) return;
      const { seq, leaf } = appended;
      call.receipt = { log: ledger.log, seq, leaf, call: call.id, salt: outcome.salt.toString('hex') };
    } catch (thrown) {
      if (tx !== undefined) throw exitFailed(thrown);
      ctx.logger('audit-exit failed, the outcome waits:', thrown);
      backlog.addOutcome(sequenceNo, ending);
    }
    return;
  }
  // No write without its record: one that got this far without a ledger is rolled back.
  if (tx !== undefined) throw exitFailed(new Error('the ledger is closed'));
  if (sequenceNo !== undefined) backlog.addOutcome(sequenceNo, ending);
  else if (entry === undefined) backlog.addPair(intent, ending);
  else backlog.addAfter(entry, intent, ending);
};

const exitFailed = (thrown: unknown): ColibriError =>
  new ColibriError('AUDIT_EXIT_FAILED', `The outcome could not be recorded: ${asError(thrown).message}`, {
    remedy: 'Nothing was written. Try again.',
    cause: thrown,
  });

/** Stage 5. Inside the handler's transaction a failure here rolls the write back. */
export const auditExit = (ctx: ColibriServerContext): Stage => {
  return async (call, next) => {
    if (call.outcome === undefined) throw new Error('dispatch left no outcome');
    await commitOutcome(ctx, call, call.outcome);
    return next(call);
  };
};
