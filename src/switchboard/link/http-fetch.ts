// The `fetch` function that Colibri gives to the SDK's HTTP transport. The SDK reads bodies of any status to their end and follows redirects by
// its own rules; so every redirect is judged here, and every body is limited in length and, where no call waits for the body, in time.
import type { FetchLike } from '@modelcontextprotocol/client';
import { encodingFault, readErrorBody, withinLength } from './http-body.js';
import { withinEvents } from './http-events.js';
import { followed } from './http-redirects.js';
import { HttpRefusal, retryAfterMs, Unusable } from './http-refusal.js';

const isRefusal = (status: number): boolean => status === 401 || status === 403 || status === 429 || status >= 500;

/** Cancels a response body that is not read: an open body would keep its connection. */
const drop = async (response: Response): Promise<void> => response.body?.cancel().catch(() => {});

export const linkFetch =
  (epochMs: () => number, inner: FetchLike = fetch): FetchLike =>
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
    return new Response(response.body.pipeThrough(boundFor(response, init?.body)), response);
  };

const boundFor = ({ headers }: Response, asked: unknown): TransformStream<Uint8Array, Uint8Array> =>
  (headers.get('content-type')?.toLowerCase().includes('text/event-stream') ?? false)
    ? withinEvents(asked)
    : withinLength();
