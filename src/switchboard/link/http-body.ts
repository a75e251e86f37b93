// Limits how many bytes of an HTTP response body are read, counted after decompression: a few bytes may decompress to gigabytes.

import { within } from '../../core/clock.js';
import { CORE_LIMITS } from '../../core/limits.js';
import { WIRE_LIMITS } from '../../wire/limits.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { Unusable } from './http-refusal.js';
import { StepCount, TOO_MUCH } from './step-count.js';

export const TOO_LONG = `The server's answer was longer than ${WIRE_LIMITS.lineBytes} bytes and was dropped`;
export const TOO_MUCH_WORK = `The server's answer ${TOO_MUCH}`;
/** The error for a batch (a JSON array of messages). Colibri never sends batches, so a response must not be a batch. */
const BATCH = "The server's answer was a list of messages and was dropped";

/** The content encodings that `fetch` asks for and decodes by itself. */
const ASKED: ReadonlySet<string> = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'identity', '']);

/**
 * Returns the content encoding of a response that must be refused; undefined if it is acceptable. Refused are encodings that were not asked
 * for, and several encodings at once, because each of them may multiply the size.
 */
export const encodingFault = (header: string | null): string | undefined => {
  const names = (header ?? '').split(',').map((name) => name.trim().toLowerCase());
  return names.length === 1 && ASKED.has(names[0] ?? '')
    ? undefined
    : names.join(', ').slice(0, CORE_LIMITS.nearestChars);
};

const OPEN_ARRAY = 0x5b;
const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;

/** A stream that passes on the body of one message. It ends with an error if the body is too long, has too many values or is a list of messages. */
export const withinLength = (): TransformStream<Uint8Array, Uint8Array> => {
  const steps = new StepCount();
  let bytes = 0;
  let first: number | undefined;
  const faultOf = (chunk: Uint8Array): string | undefined => {
    bytes += chunk.length;
    first ??= chunk.find((byte) => !isBlank(byte));
    if (bytes > WIRE_LIMITS.lineBytes) return TOO_LONG;
    if (first === OPEN_ARRAY) return BATCH;
    return steps.push(chunk) ? undefined : TOO_MUCH_WORK;
  };
  return new TransformStream({
    transform(chunk, controller) {
      const fault = faultOf(chunk);
      if (fault === undefined) controller.enqueue(chunk);
      else controller.error(new Unusable(fault));
    },
  });
};

/** Reads the body of an HTTP error response: at most `errorBodyBytes`, and only what comes within `errorBodyMs`. */
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
  // A body that breaks off is treated like a body that ends.
  await within(
    reading.catch(() => {}),
    SWITCHBOARD_LIMITS.errorBodyMs,
  );
  void reader.cancel().catch(() => {});
  return Buffer.concat(chunks);
};
