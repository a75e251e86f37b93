// Where a server sends us on to. A redirect that we followed anywhere would carry the user's headers, keys among them, to
// whoever the server names; so only those are followed that stay at the server and keep the request as it is.
import type { FetchLike } from '@modelcontextprotocol/client';
import { CORE_LIMITS } from '../../core/limits.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { HttpRefusal } from './http-refusal.js';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** RFC 9110 §15.4.8 and §15.4.9: method and body stay. */
const KEEPS_REQUEST: ReadonlySet<number> = new Set([307, 308]);

const targetOf = (from: URL, response: Response): URL | undefined => {
  const location = response.headers.get('location');
  return location !== null && URL.canParse(location, from.href) ? new URL(location, from.href) : undefined;
};

/** Names and keys may stand in every part of a URL but these. */
const shown = (target: URL | undefined): string =>
  target === undefined
    ? 'an address that is none'
    : `${target.protocol}//${target.host}${target.pathname}`.slice(0, CORE_LIMITS.quotedChars);

const isFollowed = (status: number, from: URL, to: URL | undefined): to is URL =>
  KEEPS_REQUEST.has(status) && to?.origin === from.origin && to.username === '' && to.password === '';

/** The answer behind at most a few redirects. Throws a refusal that names where a redirect led that was not followed. */
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
        `which sends requests on to ${shown(to)}; use that as its URL if you trust it`,
      );
    if (hops >= SWITCHBOARD_LIMITS.redirects)
      throw new HttpRefusal(
        response.status,
        null,
        `and sent the request on more than ${hops} times, at last to ${shown(to)}`,
      );
    from = to;
  }
};
