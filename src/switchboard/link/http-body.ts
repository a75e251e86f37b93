// How much of an HTTP body is read, after it was decompressed: a few bytes may decompress to gigabytes.
import { CORE_LIMITS } from '../../core/limits.js';
import { within } from '../../core/within.js';
import { WIRE_LIMITS } from '../../wire/limits.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { TooLong } from './http-refusal.js';

export const TOO_LONG = `The server's answer was longer than ${WIRE_LIMITS.lineBytes} bytes and was dropped`;

/** What `fetch` asks for by itself, and undoes. */
const ASKED: ReadonlySet<string> = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'identity', '']);

/** Says which encoding nobody asked for. One inside the other would multiply what a few bytes become. */
export const encodingFault = (header: string | null): string | undefined => {
  const names = (header ?? '').split(',').map((name) => name.trim().toLowerCase());
  return names.length === 1 && ASKED.has(names[0] ?? '')
    ? undefined
    : names.join(', ').slice(0, CORE_LIMITS.nearestChars);
};

/** The body of a message. One that is too long ends with an error. */
export const withinLength = (): TransformStream<Uint8Array, Uint8Array> => {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > WIRE_LIMITS.lineBytes) controller.error(new TooLong(TOO_LONG));
      else controller.enqueue(chunk);
    },
  });
};

/** The body that comes with an error status, as far as it comes in time and fits. What is missing is not waited for. */
export const readErrorBody = async (body: ReadableStream<Uint8Array>): Promise<Uint8Array> => {
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let left = SWITCHBOARD_LIMITS.errorBodyBytes;
  const reading = (async (): Promise<void> => {
    while (left > 0) {
      const { done, value } = await reader.read();
      if (done) return;
      chunks.push(value.subarray(0, left));
      left -= Math.min(left, value.length);
    }
  })();
  // A body that breaks off is as good as one that ends.
  await within(
    reading.catch(() => {}),
    SWITCHBOARD_LIMITS.errorBodyMs,
  );
  void reader.cancel().catch(() => {});
  return Buffer.concat(chunks);
};
