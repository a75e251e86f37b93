// Decides what an HTTP status, or a failed connection, says about a request: how the request ended, and whether the server may have read it.

import { SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { RPC } from '../../core/rpc-codes.js';
import { quietly } from '../../errors.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { LinkEnd } from './link.js';
import { notHandedOver } from './sent-request.js';

/** An HTTP response without an MCP message. Colibri's `fetch` throws this error, so that the SDK does not interpret the response first. */
export class HttpRefusal extends Error {
  readonly status: number;
  readonly retryAfterMs: number | null;

  constructor(status: number, retryAfterMs: number | null, why?: string) {
    super(`the server answered with HTTP ${status}${why === undefined ? '' : `, ${why}`}`);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The error for a response whose body is dropped: it is too large, a list of messages, or in an encoding that was not asked for. */
export class Unusable extends Error {}

export interface Ended {
  readonly end: LinkEnd;
  /** True if the server may have read the request. */
  readonly sent: boolean;
  readonly text: string;
}

/** The HTTP statuses that mean that the server did nothing with the request. 303 is not among them: it says where the result is. */
const UNREAD: ReadonlySet<number> = new Set([301, 302, 307, 308, 401, 403, 404, 405, 413, 415, 429, 431]);

/** The error codes of requests that were not sent because no connection could be made. */
const UNREACHED: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

export const refusalEnd = (thrown: unknown): Ended => {
  const causes = causesOf(thrown);
  for (const cause of causes) {
    if (cause instanceof HttpRefusal) return ofStatus(cause.status, cause.retryAfterMs, cause.message);
    if (cause instanceof SdkHttpError) return ofAnswer(cause.data);
    if (cause instanceof Unusable) return unusable(cause.message);
    if (cause instanceof RangeError) return { end: notHandedOver(cause), sent: false, text: 'nested too deeply' };
    if (isUnreadable(cause)) return unusable("The server's answer was not an MCP message");
  }
  const code = causes.map((cause) => (cause as { code?: unknown }).code).findLast((value) => typeof value === 'string');
  const last = causes.at(-1);
  const text = `the connection failed: ${code ?? (last instanceof Error ? last.message : String(last))}`;
  return {
    end: { how: 'lost' },
    sent: !causes.some((cause) => UNREACHED.has((cause as { code?: unknown }).code)),
    text,
  };
};

const unusable = (text: string): Ended => ({
  end: { how: 'response', error: { code: RPC.internal, message: text } },
  sent: true,
  text,
});

/** Whether an error means that a response with a success status had a body that is not JSON-RPC, for instance a proxy's HTML page. */
const isUnreadable = (cause: object): boolean =>
  (cause instanceof SdkError && cause.code === SdkErrorCode.ClientHttpUnexpectedContent) ||
  cause instanceof SyntaxError ||
  (cause instanceof Error && cause.name.endsWith('ZodError'));

/** How a request with an HTTP error ended. A JSON-RPC error in the body counts as the response; if the status is 404, only "method not found". */
const ofAnswer = ({ status, text: body }: SdkHttpError['data']): Ended => {
  const text = `the server answered with HTTP ${status}`;
  const error = rpcError(body);
  if (error === undefined || (status === 404 && error.code !== RPC.methodNotFound)) return ofStatus(status, null, text);
  return { end: { how: 'response', error }, sent: true, text };
};

type RpcError = Extract<LinkEnd, { error: unknown }>['error'];

const rpcError = (body: unknown): RpcError | undefined => {
  if (typeof body !== 'string') return undefined;
  const error = quietly(() => (JSON.parse(body) as { error?: RpcError }).error);
  return Number.isSafeInteger(error?.code) && typeof error?.message === 'string' ? error : undefined;
};

const ofStatus = (status: number, retryAfterMs: number | null, text: string): Ended => {
  const sent = !UNREAD.has(status);
  if (status === 401 || status === 403) return { end: { how: 'auth_required', status }, sent, text };
  if (status === 429) return { end: { how: 'throttled', retryAfterMs }, sent, text };
  if (status >= 500) return { end: { how: 'server_error', status }, sent, text };
  // HTTP 404 means that the MCP session, or the whole endpoint, is gone.
  if (status === 404) return { end: { how: 'lost', status }, sent, text };
  return { end: { how: 'response', error: { code: RPC.httpError, message: text, data: { status } } }, sent, text };
};

/** An error and its nested causes, because the SDK and undici wrap errors. Of an AggregateError (one error per address) the first is used. */
const causesOf = (thrown: unknown): object[] => {
  const causes: object[] = [];
  let next = thrown;
  while (typeof next === 'object' && next !== null && causes.length < SWITCHBOARD_LIMITS.errorCauses) {
    causes.push(next);
    const { cause, errors } = next as { cause?: unknown; errors?: unknown };
    next = cause ?? (Array.isArray(errors) ? errors[0] : undefined);
  }
  return causes;
};

/** The milliseconds of a `Retry-After` header, which has seconds or a date (RFC 9110 §10.2.3); null if it is absent or invalid. */
export const retryAfterMs = (value: string | null, epochMs: number): number | null => {
  if (value === null || value.trim() === '') return null;
  const ms = /^\s*\d+\s*$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - epochMs;
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), SWITCHBOARD_LIMITS.retryAfterMs) : null;
};
