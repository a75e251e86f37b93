// Makes the outcome of a call and its form on the wire: `{ok, data}` or `{ok, error}`, never both. A tool's domain errors appear
// in the top-level error (pattern A) or inside `data` (pattern B). The result of every refusal has `isError: true`, because clients show
// models this flag and not the envelope's `ok`.
import type { LastWords, NativeResult, RpcError, Unserved } from '../call/answer.js';
import type { ColibriToolConfig, ProxiedTool } from '../call/context.js';
import { CORE_LIMITS } from '../core/limits.js';
import { RPC } from '../core/rpc-codes.js';
import { asError, ColibriError, type ErrorCode } from '../errors.js';
import { newSalt, saltedDigest } from '../ledger/hashes.js';
import { canonicalJson, type JsonObject } from '../proof/canonical-json.js';
import { type OutcomeKind, RECEIPT_KEY, type Receipt, type ResultForm } from '../proof/records.js';
import { dataWithReceipt, isRefusal, withReceipt, written } from '../proof/result-text.js';
import type { Call } from './chain.js';

export { RECEIPT_KEY, type Receipt };

export interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly details?: JsonObject;
}

export type Envelope =
  | { readonly ok: true; readonly data: unknown }
  | { readonly ok: false; readonly error: ErrorBody };

/** Why a handler must not run. */
export interface Fault {
  readonly outcome: Extract<OutcomeKind, 'rejected' | 'refused' | 'failed'>;
  readonly error: ErrorBody;
  /** The JSON-RPC code, if the caller gets a protocol error instead of a result. */
  readonly rpcCode?: number;
}

export interface Outcome {
  readonly kind: OutcomeKind;
  readonly code?: string;
  readonly envelope: Envelope;
  /** The envelope as RFC 8785 text, which the client gets and whose digest is recorded. */
  readonly text: string;
  readonly salt: Buffer;
  readonly rpcCode?: number;
  /** The result or error of another server's tool, which the caller gets instead of the envelope, before the receipt is added. */
  readonly native?: NativeAnswer;
  /** `resultType` of protocol 2026-07-28, if the result is not a complete one. */
  readonly resultType?: string;
  /** `json` if `text` is plain JSON, `bytes` if `digest` covers the bytes of a large result; absent if `text` is RFC 8785. */
  readonly form?: ResultForm;
  /** The recorded digest, if it was made while the result arrived. */
  readonly digest?: string;
  /** How the connection to the server was lost, if it was: kept with the record, and not told to the caller. */
  readonly last?: LastWords | undefined;
  /** What providers of a route answered before another one was asked: kept with the record, and not told to the caller. */
  readonly unserved?: readonly Unserved[] | undefined;
  /** The error that the embedder's sink (its observer of calls) is told. */
  readonly error?: Error;
}

/** The result of a tool of Colibri. Results of other servers are passed on unchanged under the same type. */
export interface ToolResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent: Envelope;
  readonly isError?: true;
  readonly _meta?: JsonObject;
  readonly [key: string]: unknown;
}

export type NativeAnswer = { readonly result: NativeResult } | { readonly error: RpcError };

export type Reply = { readonly result: ToolResult } | { readonly error: RpcError };

/** A refusal by a tool: a domain code, a sentence that says what to do, and details. It is thrown so that a write rolls back. */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly details: JsonObject | undefined;

  constructor(code: ErrorCode, message: string, details?: JsonObject) {
    super(message);
    this.name = 'DomainError';
    this.code = code;
    this.details = details;
  }
}

const cut = (text: string): string => {
  const clean = text.toWellFormed();
  return clean.length <= CORE_LIMITS.messageChars
    ? clean
    : `${clean.slice(0, CORE_LIMITS.messageChars - 1).toWellFormed()}…`;
};

export const errorBody = (code: string, message: string, details?: JsonObject): ErrorBody => ({
  code,
  message: cut(message),
  ...(details !== undefined && Object.keys(details).length > 0 && { details }),
});

const asSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** The body of an error of Colibri, with what the caller can do about it. */
export const bodyOf = (error: ColibriError, code: ErrorCode = error.code): ErrorBody =>
  errorBody(code, error.remedy === undefined ? error.message : `${asSentence(error.message)} ${error.remedy}`, {
    ...error.details,
    ...(code !== error.code && { cause: error.code }),
    ...(error.remedy !== undefined && { remedy: error.remedy }),
    ...(error.retryAfterMs !== undefined && { retry_after_ms: error.retryAfterMs }),
  });

export const outcome = (kind: OutcomeKind, envelope: Envelope, rest: Partial<Outcome> = {}): Outcome => ({
  kind,
  envelope,
  text: canonicalJson(envelope),
  salt: newSalt(),
  ...rest,
});

/** The outcome of a call that returned `data`. Throws if `data` has no RFC 8785 form. */
export const succeeded = (data: unknown): Outcome => outcome('ok', { ok: true, data });

/** The outcome of a call whose handler must not run. For another server's tool, the error takes the form of that tool's results. */
export const faulted = (fault: Fault, proxied?: ProxiedTool): Outcome =>
  outcome(
    fault.outcome,
    { ok: false, error: fault.error },
    {
      code: fault.error.code,
      error: new Error(fault.error.message),
      ...(fault.rpcCode !== undefined && { rpcCode: fault.rpcCode }),
      ...(proxied !== undefined && inItsForm(proxied, fault)),
    },
  );

type Native = Pick<Outcome, 'native' | 'text' | 'form'>;

const inItsForm = (proxied: ProxiedTool, { outcome, error }: Fault): Partial<Outcome> =>
  proxied.isRpc === true
    ? { rpcCode: outcome === 'rejected' ? RPC.invalidParams : RPC.internal }
    : nativeResult(proxied.refusal(error));

/** The parts of an outcome that is answered with `result` as it is, without an envelope; the recorded digest covers the whole result. */
export const nativeResult = (result: NativeResult): Native => ({
  native: { result },
  ...(written(result) ?? { text: '' }),
});

export const cancelled = (): Outcome => {
  const error = errorBody('HANDLER_ERROR', 'The client cancelled the call.');
  return outcome('cancelled', { ok: false, error }, { error: new Error(error.message) });
};

const domainFailure = (error: DomainError, pattern: ColibriToolConfig['errorPattern']): Outcome => {
  const body = errorBody(error.code, error.message, error.details);
  const envelope: Envelope =
    pattern === 'B'
      ? { ok: true, data: { ok: false, error: body } }
      : { ok: false, error: errorBody('HANDLER_ERROR', `${error.code}: ${error.message}`, error.details) };
  return outcome('domain_error', envelope, { code: error.code, error });
};

/** The outcome of a call whose handler, or the transaction around it, threw. */
export const failed = (thrown: unknown, pattern: ColibriToolConfig['errorPattern']): Outcome => {
  if (thrown instanceof DomainError) return domainFailure(thrown, pattern);
  const error = asError(thrown);
  const body = error instanceof ColibriError ? bodyOf(error) : errorBody('HANDLER_ERROR', error.message);
  return outcome(
    body.code === 'INVALID_PARAMS' ? 'rejected' : 'failed',
    { ok: false, error: body },
    { code: body.code, error },
  );
};

/** The recorded digest of a result; undefined for a JSON-RPC error and for a cancelled call. */
export const resultDigest = (ending: Outcome): string | undefined => {
  if (ending.digest !== undefined) return ending.digest;
  return ending.rpcCode !== undefined || ending.kind === 'cancelled' || ending.text === ''
    ? undefined
    : saltedDigest(ending.salt, ending.text);
};

const nativeReply = (native: NativeAnswer, receipt: NativeResult | undefined, resultType?: string): Reply => {
  if ('result' in native) {
    const result = { ...withReceipt(native.result, receipt), ...(resultType !== undefined && { resultType }) };
    return { result: result as unknown as ToolResult };
  }
  const { code, message, data } = native.error;
  const said = dataWithReceipt(data, receipt);
  return { error: { code, message, ...(said !== undefined && { data: said }) } };
};

export const replyTo = (call: Call): Reply => {
  const ending = call.outcome;
  if (ending === undefined) throw new Error(`call ${call.request.id} has no outcome`);
  const receipt = call.receipt && { [RECEIPT_KEY]: call.receipt };
  if (ending.native !== undefined) return nativeReply(ending.native, receipt, ending.resultType);
  if (ending.rpcCode !== undefined && !ending.envelope.ok) {
    const { code, message, details } = ending.envelope.error;
    return { error: { code: ending.rpcCode, message, data: { code, ...details, ...receipt } } };
  }
  return {
    result: {
      content: [{ type: 'text', text: ending.text }],
      structuredContent: ending.envelope,
      ...(isRefusal(ending.envelope) && { isError: true }),
      ...(receipt && { _meta: receipt }),
    },
  };
};
