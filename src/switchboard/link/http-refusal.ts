// Judges what an HTTP status, or a failed connection, says about a request: how it ended, and whether the server may have read it.
import { SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { RPC } from '../../core/rpc-codes.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { notHandedOver } from './lane.js';
import type { LinkEnd } from './link.js';

/** A response without an MCP message; thrown by our `fetch`, so that the SDK does not interpret it first. */
export class HttpRefusal extends Error {
  readonly status: number;
  readonly retryAfterMs: number | null;

  constructor(status: number, retryAfterMs: number | null, why?: string) {
    super(`the server answered with HTTP ${status}${why === undefined ? '' : `, ${why}`}`);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The answer is encoded in a way that we did not ask for, so it is not read. */
export class UnaskedEncoding extends Error {
  constructor(encoding: string) {
    super(`The server's answer has an encoding that was not asked for (${encoding}) and was dropped`);
  }
}

/** The response was larger than we accept. */
export class TooLong extends Error {}

export interface Ended {
  readonly end: LinkEnd;
  /** May the server have read the request? */
  readonly sent: boolean;
  readonly text: string;
}

/** With these the server has not acted on the request. 303 is missing: it names the place of a result, so something was done. */
const UNREAD: ReadonlySet<number> = new Set([301, 302, 307, 308, 401, 403, 404, 405, 413, 415, 429]);

/** No connection was made, so nothing was sent. */
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
    if (cause instanceof TooLong || cause instanceof UnaskedEncoding) return unusable(cause.message);
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

/** Status 200 with a body that is not JSON-RPC, for instance a proxy's page. */
const isUnreadable = (cause: object): boolean =>
  (cause instanceof SdkError && cause.code === SdkErrorCode.ClientHttpUnexpectedContent) ||
  cause instanceof SyntaxError ||
  (cause instanceof Error && cause.name.endsWith('ZodError'));

/** A JSON-RPC error may come with an HTTP error status. With 404 it counts only if it says that the method is unknown. */
const ofAnswer = ({ status, text: body }: SdkHttpError['data']): Ended => {
  const text = `the server answered with HTTP ${status}`;
  const error = rpcError(body);
  if (error === undefined || (status === 404 && error.code !== RPC.methodNotFound)) return ofStatus(status, null, text);
  return { end: { how: 'response', error }, sent: true, text };
};

type RpcError = Extract<LinkEnd, { error: unknown }>['error'];

const rpcError = (body: unknown): RpcError | undefined => {
  if (typeof body !== 'string') return undefined;
  try {
    const { error } = JSON.parse(body) as { error?: RpcError };
    return Number.isSafeInteger(error?.code) && typeof error?.message === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
};

const ofStatus = (status: number, retryAfterMs: number | null, text: string): Ended => {
  const sent = !UNREAD.has(status);
  if (status === 401 || status === 403) return { end: { how: 'auth_required', status }, sent, text };
  if (status === 429) return { end: { how: 'throttled', retryAfterMs }, sent, text };
  if (status >= 500) return { end: { how: 'server_error', status }, sent, text };
  // The session is gone, or the whole endpoint.
  if (status === 404) return { end: { how: 'lost', status }, sent, text };
  return { end: { how: 'response', error: { code: RPC.httpError, message: text, data: { status } } }, sent, text };
};

/** The error and its causes, because the SDK and undici wrap errors. An aggregate has one error for each address of a host. */
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

/** `Retry-After`: seconds or a date (RFC 9110 §10.2.3). */
export const retryAfterMs = (value: string | null, epochMs: number): number | null => {
  if (value === null || value.trim() === '') return null;
  const ms = /^\s*\d+\s*$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - epochMs;
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), SWITCHBOARD_LIMITS.retryAfterMs) : null;
};
