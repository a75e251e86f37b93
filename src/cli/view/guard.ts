// Who gets an answer of `colibri view`: a browser of this user that was opened with the one-time token, asking this host by its own name. Pure.
import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { PinnedParts } from '../../page/html.js';

/** What is looked at of a request. */
export interface ViewRequest {
  readonly method: string | undefined;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** The secrets of one run. The token opens the page once; the cookie, which it is exchanged for, opens everything. */
export interface Admission {
  readonly host: string;
  readonly cookie: string;
  /** True if it is the token that was not used yet; it then is used. */
  readonly spend: (token: string) => boolean;
}

export interface ViewRefusal {
  readonly status: 400 | 401 | 403 | 404 | 405;
  readonly says: string;
}

export const COOKIE = 'colibri_view';
export const OPENING = '/open';

const refusal = (status: ViewRefusal['status'], says: string): ViewRefusal => ({ status, says });

/** Compares secrets in a time that does not tell how much of them is right. */
export const isSame = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
};

/** The value of our cookie; undefined if it is absent or given more than once. */
const cookieIn = ({ cookie = '' }: IncomingHttpHeaders): string | undefined => {
  const values = cookie.split('; ').filter((part) => part.startsWith(`${COOKIE}=`));
  return values.length === 1 ? values[0]?.slice(COOKIE.length + 1) : undefined;
};

/** What a browser says about where a request comes from: from this page, or typed in by the person. */
const OWN_SITES: readonly unknown[] = [undefined, 'same-origin', 'none'];

/** Whether another site made the browser ask. The page that opens this one is a file, so it may come from elsewhere: its token admits it. */
const isForeign = ({ url, headers }: ViewRequest, host: string): boolean => {
  const { origin, 'sec-fetch-site': site, 'sec-fetch-mode': mode } = headers;
  if (origin !== undefined && origin !== `http://${host}`) return true;
  const isOpening = url.startsWith(`${OPENING}?`) && mode === 'navigate';
  return !isOpening && !OWN_SITES.includes(site);
};

const tokenIn = (url: string): string => new URL(url, 'http://localhost').searchParams.get('token') ?? '';

/** Why a request gets no answer; undefined if it gets one. */
export const refusalOf = (asked: ViewRequest, admission: Admission): ViewRefusal | undefined => {
  const { method, url, headers } = asked;
  if (method !== 'GET') return refusal(405, 'This page is read-only: GET alone.');
  if (headers.host !== admission.host) return refusal(403, 'Ask by the address that colibri view printed.');
  if (isForeign(asked, admission.host)) return refusal(403, 'Another site may not ask this one.');
  if (!url.startsWith('/')) return refusal(400, 'Not an address of this page.');
  if (url.startsWith(`${OPENING}?`))
    return admission.spend(tokenIn(url))
      ? undefined
      : refusal(401, 'This address was used already. Start colibri view again.');
  const cookie = cookieIn(headers);
  if (cookie !== undefined && isSame(cookie, admission.cookie)) return undefined;
  return refusal(401, 'Open the page with the address that colibri view printed.');
};

/** The headers of every answer. */
export const viewHeaders = ({ sources }: PinnedParts): Readonly<Record<string, string>> => ({
  'Content-Security-Policy': [
    "default-src 'none'; connect-src 'self'",
    `script-src ${sources.script}; style-src ${sources.style}`,
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
});
