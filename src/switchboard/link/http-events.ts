// The bounds of a stream of events (SSE). What the SDK's parser gets are whole lines that end with LF: it looks through what it
// holds again and again, so half a line in many small pieces, or lines that end with CR, would cost it far more than they cost
// the server.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { CORE_LIMITS } from '../../core/limits.js';
import { RPC } from '../../core/rpc-codes.js';
import { WIRE_LIMITS } from '../../wire/limits.js';
import { TOO_LONG, TOO_MUCH_WORK } from './http-body.js';
import { StepCount } from './step-count.js';

const LF = 0x0a;
const CR = 0x0d;

/** As many messages as are taken from a process in one turn. */
const EVENTS_PER_TURN = CORE_LIMITS.groupCalls;

type Controller = TransformStreamDefaultController<Uint8Array>;

/** One event has the bound of a message, the stream has none. What follows one that is too much is an error of ours, for `asked`. */
export const withinEvents = (asked: unknown): TransformStream<Uint8Array, Uint8Array> =>
  new TransformStream(new Events(asked));

class Events {
  readonly #asked: unknown;
  /** Of a line that has not ended yet. */
  #pieces: Uint8Array[] = [];
  /** Of the event that has not ended yet. */
  #bytes = 0;
  #lastByte = 0;
  /** Handed on in this turn. */
  #events = 0;
  readonly #steps = new StepCount(true);

  constructor(asked: unknown) {
    this.#asked = asked;
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

  async #pass(lines: Uint8Array, controller: Controller): Promise<void> {
    const end = lines.lastIndexOf(LF) + 1;
    for (let from = 0; from < end; ) {
      const to = this.#turnEnd(lines, from, end);
      controller.enqueue(Buffer.concat([...this.#pieces, lines.subarray(from, to)]));
      this.#pieces = [];
      from = to;
      // Streams hand on in one go whatever is there: without a pause a flood of events would leave nobody else a turn.
      if (this.#events >= EVENTS_PER_TURN) await nextTurn();
    }
    if (end < lines.length) this.#pieces.push(lines.slice(end));
  }

  /** Behind as many events as may be handed on in one turn. */
  #turnEnd(lines: Uint8Array, from: number, end: number): number {
    if (this.#events >= EVENTS_PER_TURN) this.#events = 0;
    for (let at = lines.indexOf(LF, from); at >= 0 && at < end; at = lines.indexOf(LF, at + 1)) {
      if (lines[at - 1] === LF && ++this.#events >= EVENTS_PER_TURN) return at + 1;
    }
    return end;
  }

  #refuse(controller: Controller, message: string): void {
    this.#pieces = [];
    const error = { jsonrpc: '2.0', id: idOf(this.#asked), error: { code: RPC.internal, message } };
    controller.enqueue(new TextEncoder().encode(`\n\ndata: ${JSON.stringify(error)}\n\n`));
    controller.terminate();
  }
}

const idOf = (asked: unknown): unknown => (typeof asked === 'string' ? JSON.parse(asked).id : undefined);
