// The bounds of a stream of events (SSE). What the SDK's parser gets are whole lines that end with LF: it looks through what it
// holds again and again, so half a line in many small pieces, or lines that end with CR, would cost it far more than they cost
// the server.

import { RPC } from '../../core/rpc-codes.js';
import { WIRE_LIMITS } from '../../wire/limits.js';
import { TOO_LONG } from './http-body.js';

const LF = 0x0a;
const CR = 0x0d;

type Controller = TransformStreamDefaultController<Uint8Array>;

/** One event has the bound of a message, the stream has none. What follows a too long one is an error of ours, for `asked`. */
export const withinEvents = (asked: unknown): TransformStream<Uint8Array, Uint8Array> =>
  new TransformStream(new Events(asked));

class Events {
  readonly #asked: unknown;
  /** Of a line that has not ended yet. */
  #pieces: Uint8Array[] = [];
  /** Of the event that has not ended yet. */
  #bytes = 0;
  #lastByte = 0;

  constructor(asked: unknown) {
    this.#asked = asked;
  }

  readonly transform = (chunk: Uint8Array, controller: Controller): void => {
    const lines = chunk.includes(CR) || this.#lastByte === CR ? this.#withLineFeeds(chunk) : chunk;
    this.#lastByte = chunk.at(-1) ?? this.#lastByte;
    const eventEnd = this.#eventEnd(lines);
    this.#bytes = eventEnd < 0 ? this.#bytes + lines.length : lines.length - eventEnd;
    if (this.#bytes > WIRE_LIMITS.lineBytes) this.#refuse(controller);
    else this.#pass(lines, controller);
  };

  readonly flush = (controller: Controller): void => {
    if (this.#pieces.length > 0) controller.enqueue(Buffer.concat(this.#pieces));
  };

  /** CR and CR LF end a line as LF does. */
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

  /** Behind the last empty line; its first LF may have come before. */
  #eventEnd(lines: Uint8Array): number {
    for (let at = lines.lastIndexOf(LF); at > 0; at = lines.lastIndexOf(LF, at - 1)) {
      if (lines[at - 1] === LF) return at + 1;
    }
    return -1;
  }

  #pass(lines: Uint8Array, controller: Controller): void {
    const end = lines.lastIndexOf(LF) + 1;
    if (end > 0) {
      controller.enqueue(Buffer.concat([...this.#pieces, lines.subarray(0, end)]));
      this.#pieces = [];
    }
    if (end < lines.length) this.#pieces.push(lines.slice(end));
  }

  #refuse(controller: Controller): void {
    this.#pieces = [];
    const error = { jsonrpc: '2.0', id: idOf(this.#asked), error: { code: RPC.internal, message: TOO_LONG } };
    controller.enqueue(new TextEncoder().encode(`\n\ndata: ${JSON.stringify(error)}\n\n`));
    controller.terminate();
  }
}

const idOf = (asked: unknown): unknown => (typeof asked === 'string' ? JSON.parse(asked).id : undefined);
