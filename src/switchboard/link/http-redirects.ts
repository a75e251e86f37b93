// Follows only HTTP redirects that stay at the same server and keep the request's method and body. Any other redirect would carry the user's
// headers, keys among them, to whatever address the server names.
import type { FetchLike } from '@modelcontextprotocol/client';
import { CORE_LIMITS } from '../../core/limits.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { HttpRefusal } from './http-refusal.js';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** The redirect statuses that keep the request's method and body (RFC 9110 §15.4.8 and §15.4.9). */
const KEEPS_REQUEST: ReadonlySet<number> = new Set([307, 308]);

const targetOf = (from: URL, response: Response): URL | undefined => {
  const location = response.headers.get('location');
  return location !== null && URL.canParse(location, from.href) ? new URL(location, from.href) : undefined;
};

/** A redirect's target for messages, without the parts of its URL that may hold user names and keys. */
const shown = (target: URL | undefined): string =>
  target === undefined
    ? 'an invalid address'
    : `${target.protocol}//${target.host}${target.pathname}`.slice(0, CORE_LIMITS.quotedChars);

const isFollowed = (status: number, from: URL, to: URL | undefined): to is URL =>
  KEEPS_REQUEST.has(status) && to?.origin === from.origin && to.username === '' && to.password === '';

/** The response after at most `redirects` redirects. Throws an HttpRefusal that names the target of a redirect that is not followed. */
export const followed = async (
  inner: FetchLike,
  url: Parameters<FetchLike>[0],
  init: Parameters<FetchLike>[1],
): Promise<Response> => {
  let from = new URL(url);
  for (let hops = 0; ; hops++) {
    const response = await inner(hops === 0 ? url : from, { ...init, redirect: 'manual' });
    if (!REDIRECTS.has(response.status)) return response;
    await response.body?.cancel().catch(() => {});
    const to = targetOf(from, response);
    if (!isFollowed(response.status, from, to))
      throw new HttpRefusal(
        response.status,
        null,
        `a redirect to ${shown(to)}; use that as the server's URL if you trust it`,
      );
    if (hops >= SWITCHBOARD_LIMITS.redirects)
      throw new HttpRefusal(
        response.status,
        null,
        `and redirected the request more than ${hops} times, at last to ${shown(to)}`,
      );
    from = to;
  }
};
