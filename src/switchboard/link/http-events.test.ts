// The bound of one event, however its bytes are cut into chunks.
import { expect, it } from 'vitest';
import { WIRE_LIMITS } from '../../wire/limits.js';
import { withinEvents } from './http-events.js';

/** What comes out where these chunks go in, in bytes. */
const passed = async (chunks: Iterable<string>): Promise<{ bytes: number; end: string }> => {
  const stream = withinEvents('{"id":1}');
  const writer = stream.writable.getWriter();
  const write = async (): Promise<void> => {
    for (const chunk of chunks) await writer.write(new TextEncoder().encode(chunk));
    await writer.close();
  };
  const writing = write().catch(() => {});
  let bytes = 0;
  let end = '';
  for await (const piece of stream.readable) {
    bytes += piece.length;
    end = new TextDecoder().decode(piece).slice(-200);
  }
  await writing;
  return { bytes, end };
};

const EVENT_BYTES = 65_536;
const TIMES = Math.ceil(WIRE_LIMITS.lineBytes / EVENT_BYTES) + 10;
const event = `data: "${'x'.repeat(EVENT_BYTES)}"\n\n`;

function* cutAt(place: number): Iterable<string> {
  for (let at = 0; at < TIMES; at++) {
    yield event.slice(0, place);
    yield event.slice(place);
  }
}

it.each([
  ['between the two line feeds', event.length - 1],
  ['before both', event.length - 2],
  ['in the middle of a line', 100],
])('many small events pass, cut %s', async (_where, place) => {
  const { bytes } = await passed(cutAt(place));
  expect(bytes).toBe(TIMES * event.length);
});

it('an event that never ends is refused, whether its lines end or not', async () => {
  const lines = Array.from({ length: TIMES }, () => `data: "${'x'.repeat(EVENT_BYTES)}"\n`);
  const { bytes, end } = await passed(lines);
  expect(bytes).toBeLessThanOrEqual(WIRE_LIMITS.lineBytes + 1_000);
  expect(end).toMatch(/"error"/);
});
