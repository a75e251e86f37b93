// Takes large results out of HTTP responses before the SDK parses them. The SDK gets a small answer with the same id instead.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { AnswerScan, type LargeAnswer, standInFor, type TakeLarge } from './answer-scan.js';

/** Scans an answer, a part in each turn of the event loop, so that other calls do not wait; undefined if the answer must be parsed. */
const scanned = async (bytes: Buffer): Promise<LargeAnswer | undefined> => {
  if (bytes.length <= SWITCHBOARD_LIMITS.largeResultBytes) return undefined;
  const scan = new AnswerScan();
  for (let to = 0; to < bytes.length; ) {
    to += SWITCHBOARD_LIMITS.largeTurnBytes;
    if (!scan.push(bytes.subarray(0, to))) return undefined;
    await nextTurn();
  }
  return scan.finish(bytes);
};

/** The text of the small answer that stands for a large one; undefined if the large one must be parsed. */
const standIn = async (bytes: Buffer, keepLarge: TakeLarge): Promise<string | undefined> => {
  const answer = await scanned(bytes);
  return answer !== undefined && keepLarge(answer) ? JSON.stringify(standInFor(answer)) : undefined;
};

/** Passes on a body that is one message, when all of it has come. */
export const messageFor = (keepLarge: TakeLarge): TransformStream<Uint8Array, Uint8Array> => {
  const chunks: Uint8Array[] = [];
  return new TransformStream({
    transform(chunk) {
      chunks.push(chunk);
    },
    async flush(controller) {
      const bytes = Buffer.concat(chunks);
      const text = await standIn(bytes, keepLarge);
      controller.enqueue(text === undefined ? bytes : Buffer.from(text));
    },
  });
};

const LF = 0x0a;
const DATA = Buffer.from('data:');

/** Passes on a stream of events (SSE) that comes in whole lines. The data of an event with a large result is replaced. */
export const eventsFor = (keepLarge: TakeLarge): TransformStream<Uint8Array, Uint8Array> =>
  new TransformStream({
    async transform(chunk, controller) {
      const lines = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      let passed = 0;
      for (const { from, to } of longData(lines)) {
        const text = await standIn(lines.subarray(from + DATA.length, to), keepLarge);
        if (text === undefined) continue;
        controller.enqueue(Buffer.concat([lines.subarray(passed, from), Buffer.from(`data: ${text}`)]));
        passed = to;
      }
      controller.enqueue(passed === 0 ? chunk : lines.subarray(passed));
    },
  });

/** The places of the lines with data that may be large results; `to` is the place of the line feed. */
const longData = (lines: Buffer): readonly { readonly from: number; readonly to: number }[] => {
  const found = [];
  for (let from = 0, to = 0; lines.length - from > SWITCHBOARD_LIMITS.largeResultBytes; from = to + 1) {
    const end = lines.indexOf(LF, from);
    to = end < 0 ? lines.length : end;
    const isLong = to - from > SWITCHBOARD_LIMITS.largeResultBytes;
    if (isLong && lines.subarray(from, from + DATA.length).equals(DATA)) found.push({ from, to });
  }
  return found;
};
