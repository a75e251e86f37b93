// What a call ends in and how that looks on the wire: `{ok, data}` or `{ok, error}`, never both. Domain errors
// stand where the tool's family puts them: pattern A in the top-level error, pattern B inside `data`.
import type { ColibriToolConfig } from '../context.js';
import { asError, ColibriError, type ErrorCode } from '../errors.js';
import { canonicalJson } from '../ledger/canonical-json.js';
import { saltedDigest } from '../ledger/payload.js';
import type { OutcomeKind } from '../ledger/records.js';
import { newSalt } from '../ledger/salt.js';
import { LIMITS } from '../limits.js';
import type { Call } from './chain.js';

export interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export type Envelope =
  | { readonly ok: true; readonly data: unknown }
  | { readonly ok: false; readonly error: ErrorBody };

/** Why a handler must not run. */
export interface Fault {
  readonly outcome: Extract<OutcomeKind, 'rejected' | 'refused' | 'failed'>;
  readonly error: ErrorBody;
  /** JSON-RPC code, where the caller gets a protocol error instead of a result. */
  readonly rpcCode?: number;
}

export interface Outcome {
  readonly kind: OutcomeKind;
  readonly code?: string;
  readonly envelope: Envelope;
  /** RFC 8785 text of the envelope: what the client reads and what is digested. */
  readonly text: string;
  readonly salt: Buffer;
  readonly rpcCode?: number;
  /** For the sink. */
  readonly error?: Error;
}

export interface Receipt {
  readonly log: string;
  readonly seq: number;
  readonly leaf: string;
  readonly call: string;
  readonly salt: string;
}

export interface ToolResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent: Envelope;
  readonly isError?: true;
  readonly _meta?: Readonly<Record<string, unknown>>;
  readonly [key: string]: unknown;
}

export type Reply =
  | { readonly result: ToolResult }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> } };

export const RECEIPT_KEY = 'dev.colibri/receipt';

/** A tool's own *no*: a domain code, a sentence that says what to do, and details. Thrown, so that a write rolls back. */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, details?: Readonly<Record<string, unknown>>) {
    super(message);
    this.name = 'DomainError';
    this.code = code;
    this.details = details;
  }
}

const cut = (text: string): string => {
  const clean = text.toWellFormed();
  return clean.length <= LIMITS.messageChars ? clean : `${clean.slice(0, LIMITS.messageChars - 1).toWellFormed()}…`;
};

export const errorBody = (code: string, message: string, details?: Readonly<Record<string, unknown>>): ErrorBody => ({
  code,
  message: cut(message),
  ...(details !== undefined && Object.keys(details).length > 0 && { details }),
});

const asSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** The body of one of our own errors, with what to do about it. */
export const bodyOf = (error: ColibriError, code: ErrorCode = error.code): ErrorBody =>
  errorBody(code, error.remedy === undefined ? error.message : `${asSentence(error.message)} ${error.remedy}`, {
    ...error.details,
    ...(code !== error.code && { cause: error.code }),
    ...(error.remedy !== undefined && { remedy: error.remedy }),
    ...(error.retryAfterMs !== undefined && { retry_after_ms: error.retryAfterMs }),
  });

const outcome = (kind: OutcomeKind, envelope: Envelope, rest: Partial<Outcome> = {}): Outcome => ({
  kind,
  envelope,
  text: canonicalJson(envelope),
  salt: newSalt(),
  ...rest,
});

/** Throws where `data` has no RFC 8785 form. */
export const succeeded = (data: unknown): Outcome => outcome('ok', { ok: true, data });

export const faulted = (fault: Fault): Outcome =>
  outcome(
    fault.outcome,
    { ok: false, error: fault.error },
    {
      code: fault.error.code,
      error: new Error(fault.error.message),
      ...(fault.rpcCode !== undefined && { rpcCode: fault.rpcCode }),
    },
  );

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

/** What a handler, or the transaction around it, threw. */
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

/** Only results are digested: a JSON-RPC error and a cancelled call have none. */
export const resultDigest = (ending: Outcome): string | undefined =>
  ending.rpcCode !== undefined || ending.kind === 'cancelled' ? undefined : saltedDigest(ending.salt, ending.text);

export const replyTo = (call: Call): Reply => {
  const ending = call.outcome;
  if (ending === undefined) throw new Error(`call ${call.id} has no outcome`);
  const receipt = call.receipt && { [RECEIPT_KEY]: call.receipt };
  if (ending.rpcCode !== undefined && !ending.envelope.ok) {
    const { code, message, details } = ending.envelope.error;
    return { error: { code: ending.rpcCode, message, data: { code, ...details, ...receipt } } };
  }
  return {
    result: {
      content: [{ type: 'text', text: ending.text }],
      structuredContent: ending.envelope,
      ...(!ending.envelope.ok && { isError: true }),
      ...(receipt && { _meta: receipt }),
    },
  };
};
