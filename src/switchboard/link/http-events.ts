// Bounds the size of events in an HTTP event stream (SSE), and gives the SDK's parser only whole lines that end with LF. The parser scans its
// buffer again for each piece, so a line in many small pieces, or lines that end with CR, would take it very long.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { CORE_LIMITS } from '../../core/limits.js';
import { RPC } from '../../core/rpc-codes.js';
import { WIRE_LIMITS } from '../../wire/limits.js';
import { TOO_LONG, TOO_MUCH_WORK } from './http-body.js';
import { StepCount } from './step-count.js';

const LF = 0x0a;
const CR = 0x0d;

/** The most events that are passed on in one turn of the event loop. The bound for messages of a server's process is the same. */
const EVENTS_PER_TURN = CORE_LIMITS.groupCalls;

type Controller = TransformStreamDefaultController<Uint8Array>;

/** Passes on a stream of events. If one event is larger than a message may be, the stream ends with an error as the response to `request`. */
export const withinEvents = (request: unknown): TransformStream<Uint8Array, Uint8Array> =>
  new TransformStream(new Events(request));

class Events {
  /** The body of the HTTP request that the stream answers. */
  readonly #request: unknown;
  /** The pieces of the line that has not ended yet. */
  #pieces: Uint8Array[] = [];
  /** How many bytes of the event that has not ended yet have come. */
  #bytes = 0;
  #lastByte = 0;
  /** Whether the last chunk ended with the end of a line. */
  #isLineEnded = false;
  /** How many events were passed on in this turn of the event loop. */
  #events = 0;
  readonly #steps = new StepCount(true);

  constructor(request: unknown) {
    this.#request = request;
  }

  readonly transform = async (chunk: Uint8Array, controller: Controller): Promise<void> => {
    const lines = chunk.includes(CR) || this.#lastByte === CR ? this.#withLineFeeds(chunk) : chunk;
    this.#lastByte = chunk.at(-1) ?? this.#lastByte;
    const eventEnd = this.#eventEnd(lines);
    this.#bytes = eventEnd < 0 ? this.#bytes + lines.length : lines.length - eventEnd;
    if (this.#bytes > WIRE_LIMITS.lineBytes) this.#refuse(controller, TOO_LONG);
    else if (!this.#steps.push(lines)) this.#refuse(controller, TOO_MUCH_WORK);
    else await this.#pass(lines, controller);
  };

  readonly flush = (controller: Controller): void => {
    if (this.#pieces.length > 0) controller.enqueue(Buffer.concat(this.#pieces));
  };

  /** Replaces CR and CR LF, which also end a line, with LF in a chunk. */
  #withLineFeeds(chunk: Uint8Array): Uint8Array {
    const out = new Uint8Array(chunk.length);
    let length = 0;
    let before = this.#lastByte;
    for (const byte of chunk) {
      if (byte !== LF || before !== CR) out[length++] = byte === CR ? LF : byte;
      before = byte;
    }
    return out.subarray(0, length);
  }

  /** The index after the last empty line of a chunk, which ends an event; -1 if there is none. */
  #eventEnd(lines: Uint8Array): number {
    for (let at = lines.lastIndexOf(LF); at >= 0; at = at === 0 ? -1 : lines.lastIndexOf(LF, at - 1)) {
      if (this.#isEmptyLine(lines, at)) return at + 1;
    }
    return -1;
  }

  /** Whether the line feed at `at` ends an empty line. The line feed before it may be the last byte of the previous chunk. */
  #isEmptyLine(lines: Uint8Array, at: number): boolean {
    return at === 0 ? this.#isLineEnded : lines[at - 1] === LF;
  }

  async #pass(lines: Uint8Array, controller: Controller): Promise<void> {
    const end = lines.lastIndexOf(LF) + 1;
    for (let from = 0; from < end; ) {
      const to = this.#turnEnd(lines, from, end);
      controller.enqueue(Buffer.concat([...this.#pieces, lines.subarray(from, to)]));
      this.#pieces = [];
      from = to;
      // A stream passes on at once all that it has, so without a pause a flood of events would block everything else.
      if (this.#events >= EVENTS_PER_TURN) await nextTurn();
    }
    if (end < lines.length) this.#pieces.push(lines.slice(end));
    if (lines.length > 0) this.#isLineEnded = end === lines.length;
  }

  /** The index up to which bytes may be passed on in this turn of the event loop, so that the turn does not get too many events. */
  #turnEnd(lines: Uint8Array, from: number, end: number): number {
    if (this.#events >= EVENTS_PER_TURN) this.#events = 0;
    for (let at = lines.indexOf(LF, from); at >= 0 && at < end; at = lines.indexOf(LF, at + 1)) {
      if (this.#isEmptyLine(lines, at) && ++this.#events >= EVENTS_PER_TURN) return at + 1;
    }
    return end;
  }

  #refuse(controller: Controller, message: string): void {
    this.#pieces = [];
    const error = { jsonrpc: '2.0', id: idOf(this.#request), error: { code: RPC.internal, message } };
    controller.enqueue(new TextEncoder().encode(`\n\ndata: ${JSON.stringify(error)}\n\n`));
    controller.terminate();
  }
}

const idOf = (request: unknown): unknown => (typeof request === 'string' ? JSON.parse(request).id : undefined);
