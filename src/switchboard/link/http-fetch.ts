// `fetch` as the SDK's transport gets it from us: refusals are thrown as ours, with what the headers say, and one message
// has a bound, as a line has.
import type { FetchLike } from '@modelcontextprotocol/client';
import { WIRE_LIMITS } from '../../wire/limits.js';
import { HttpRefusal, retryAfterMs, TooLong } from './http-refusal.js';

const TOO_LONG = `The server's answer was longer than ${WIRE_LIMITS.lineBytes} bytes and was dropped`;

const isRefusal = (status: number): boolean => status === 401 || status === 403 || status === 429 || status >= 500;

export const linkFetch =
  (epochMs: () => number, inner: FetchLike = fetch): FetchLike =>
  async (url, init) => {
    const response = await inner(url, init);
    if (isRefusal(response.status)) {
      await response.body?.cancel().catch(() => {});
      throw new HttpRefusal(response.status, retryAfterMs(response.headers.get('retry-after'), epochMs()));
    }
    return response.ok && response.body !== null ? bounded(response, init?.body) : response;
  };

const bounded = (response: Response, asked: unknown): Response => {
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false;
  const body = response.body?.pipeThrough(isStream ? boundedEvents(asked) : boundedBody());
  return new Response(body ?? null, response);
};

const boundedBody = (): TransformStream<Uint8Array, Uint8Array> => {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > WIRE_LIMITS.lineBytes) controller.error(new TooLong(TOO_LONG));
      else controller.enqueue(chunk);
    },
  });
};

const LF = 10;

/** An event ends with an empty line; only its length counts. What follows a too long one is an error of ours. */
const boundedEvents = (asked: unknown): TransformStream<Uint8Array, Uint8Array> => {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const end = lastEventEnd(chunk);
      bytes = end < 0 ? bytes + chunk.length : chunk.length - end;
      if (bytes <= WIRE_LIMITS.lineBytes) return controller.enqueue(chunk);
      const error = { jsonrpc: '2.0', id: idOf(asked), error: { code: -32603, message: TOO_LONG } };
      controller.enqueue(new TextEncoder().encode(`\n\ndata: ${JSON.stringify(error)}\n\n`));
      controller.terminate();
    },
  });
};

/** Behind the last empty line; a line may end with CR LF. */
const lastEventEnd = (chunk: Uint8Array): number => {
  for (let at = chunk.lastIndexOf(LF); at > 0; at = chunk.lastIndexOf(LF, at - 1)) {
    const before = chunk[at - 1] === 13 ? at - 2 : at - 1;
    if (chunk[before] === LF) return at + 1;
  }
  return -1;
};

const idOf = (asked: unknown): unknown => (typeof asked === 'string' ? JSON.parse(asked).id : undefined);
