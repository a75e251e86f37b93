// The `fetch` function that Colibri gives to the SDK's HTTP transport. The SDK reads the whole body of any response and follows redirects by
// its own rules. So this function decides about redirects and bounds the length of bodies, and the time for bodies of error responses.
import type { FetchLike } from '@modelcontextprotocol/client';
import { CORE_LIMITS } from '../../core/limits.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { TakeLarge } from './answer-scan.js';
import { encodingFault, readErrorBody, withinLength } from './http-body.js';
import { withinEvents } from './http-events.js';
import { HttpRefusal, retryAfterMs, Unusable } from './http-refusal.js';
import { eventsFor, messageFor } from './large-http.js';

const isRefusal = (status: number): boolean => status === 401 || status === 403 || status === 429 || status >= 500;

/** Cancels the body of a response that is not read, because an unread body would keep its connection open. */
const drop = async (response: Response): Promise<void> => response.body?.cancel().catch(() => {});

export const linkFetch =
  (epochMs: () => number, inner: FetchLike = fetch, keepLarge: TakeLarge = () => false): FetchLike =>
  async (url, init) => {
    const response = await followed(inner, url, init);
    const { status, headers } = response;
    if (isRefusal(status)) {
      await drop(response);
      throw new HttpRefusal(status, retryAfterMs(headers.get('retry-after'), epochMs()));
    }
    const fault = encodingFault(headers.get('content-encoding'));
    if (fault !== undefined) {
      await drop(response);
      throw new Unusable(`The server's answer has an encoding that was not asked for (${fault}) and was dropped`);
    }
    if (response.body === null) return response;
    if (!response.ok) return new Response(await readErrorBody(response.body), response);
    if (status === 202) {
      await drop(response); // 202 means accepted: a body would not be a message
      return new Response(null, response);
    }
    return new Response(bounded(response.body, headers.get('content-type') ?? '', init?.body, keepLarge), response);
  };

/** The body that the SDK gets: within the bounds of a message, and with a small answer in the place of each large one that was taken. */
const bounded = (
  body: ReadableStream<Uint8Array>,
  type: string,
  asked: unknown,
  keepLarge: TakeLarge,
): ReadableStream<Uint8Array> => {
  if (type.toLowerCase().includes('text/event-stream'))
    return body.pipeThrough(withinEvents(asked)).pipeThrough(eventsFor(keepLarge));
  const whole = body.pipeThrough(withinLength());
  return MESSAGE.test(type) ? whole.pipeThrough(messageFor(keepLarge)) : whole;
};

const MESSAGE = /^\s*application\/json\s*(;|$)/i;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** The redirect statuses that keep the request's method and body (RFC 9110 §15.4.8 and §15.4.9). */
const KEEPS_REQUEST: ReadonlySet<number> = new Set([307, 308]);

const targetOf = (from: URL, response: Response): URL | undefined => {
  const location = response.headers.get('location');
  return location !== null && URL.canParse(location, from.href) ? new URL(location, from.href) : undefined;
};

/** The target of a redirect as messages show it: without the parts of the URL that may hold user names and keys. */
const shown = (target: URL | undefined): string =>
  target === undefined
    ? 'an invalid address'
    : `${target.protocol}//${target.host}${target.pathname}`.slice(0, CORE_LIMITS.quotedChars);

const isFollowed = (status: number, from: URL, to: URL | undefined): to is URL =>
  KEEPS_REQUEST.has(status) && to?.origin === from.origin && to.username === '' && to.password === '';

/**
 * Sends a request and follows at most `redirects` redirects. Only redirects to the same origin that keep the request's method and body are
 * followed: any other would send the user's headers, keys among them, to an address that the server chose. If a redirect is not followed, an
 * HttpRefusal that names the target is thrown.
 */
export const followed = async (
  inner: FetchLike,
  url: Parameters<FetchLike>[0],
  init: Parameters<FetchLike>[1],
): Promise<Response> => {
  let from = new URL(url);
  for (let hops = 0; ; hops++) {
    const response = await inner(hops === 0 ? url : from, { ...init, redirect: 'manual' });
    if (!REDIRECTS.has(response.status)) return response;
    await drop(response);
    const refused = (why: string): HttpRefusal => new HttpRefusal(response.status, null, why);
    const to = targetOf(from, response);
    if (!isFollowed(response.status, from, to))
      throw refused(`a redirect to ${shown(to)}; use that as the server's URL if you trust it`);
    if (hops >= SWITCHBOARD_LIMITS.redirects)
      throw refused(`and redirected the request more than ${hops} times, at last to ${shown(to)}`);
    from = to;
  }
};
