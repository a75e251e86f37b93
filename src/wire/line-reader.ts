// The reading half: takes lines from a stream for as long as its owner has room for their answers, and pauses the
// stream otherwise. At most one chunk beyond the line being read is kept.

import type { Readable } from 'node:stream';
import { CORE_LIMITS } from '../core/limits.js';
import { ignoreErrors } from './ignore-errors.js';
import { type Line, LineSplitter } from './line-splitter.js';

const LF = Buffer.from('\n');

/**
 * Lines taken before the event loop gets its turn. Answers are written in later turns: without this pause a chunk
 * of a thousand requests would all be delivered before the first answer shows how full the output is.
 */
const LINES_PER_TURN = CORE_LIMITS.groupCalls;

export interface LineReaderOwner {
  take(line: Line): void;
  /** While true no line is taken; the owner calls `pump()` when it turns false. */
  full(): boolean;
  /** No line is left. */
  idle(): void;
  /** No byte will follow; lines may still wait. May be told more than once. */
  ended(): void;
  failed(error: Error): void;
}

export class LineReader {
  readonly #input: Readable;
  readonly #owner: LineReaderOwner;
  readonly #lines: LineSplitter;
  #reading = false;
  #paused = false;
  #turn: NodeJS.Immediate | undefined;

  constructor(input: Readable, lineBytes: number, owner: LineReaderOwner) {
    this.#input = input;
    this.#owner = owner;
    this.#lines = new LineSplitter(lineBytes);
  }

  /** Whether something was read and not yet taken. */
  get waiting(): boolean {
    return this.#reading && this.#lines.waiting;
  }

  start(): void {
    this.#reading = true;
    this.#input.on('error', this.#onError).on('end', this.#onEnd).on('close', this.#onClose);
    this.#input.on('data', this.#onData).resume();
    // The events of a stream that is already over do not come again.
    if (this.#input.readableEnded || this.#input.destroyed) setImmediate(this.#onClose);
  }

  /** For good: what was read and not yet taken is dropped. */
  stop(): void {
    if (!this.#reading) return;
    this.#reading = false;
    clearImmediate(this.#turn);
    this.#input.off('error', this.#onError).off('end', this.#onEnd).off('close', this.#onClose);
    this.#input.off('data', this.#onData);
    ignoreErrors(this.#input);
    if (this.#input.listenerCount('data') === 0) this.#input.pause();
  }

  /** Takes lines as far as it may. */
  readonly pump = (): void => {
    clearImmediate(this.#turn);
    const outcome = this.#takeLines();
    if (outcome === 'stopped') return;
    if (outcome === 'turn over') this.#turn = setImmediate(this.pump);
    if (outcome === 'none left') this.#resume();
    else this.pause();
  };

  #takeLines(): 'none left' | 'no room' | 'turn over' | 'stopped' {
    for (let taken = 0; this.#reading; taken++) {
      if (this.#owner.full()) return 'no room';
      if (taken === LINES_PER_TURN) return 'turn over';
      const line = this.#lines.next();
      if (line === undefined) return 'none left';
      this.#owner.take(line);
    }
    return 'stopped';
  }

  /** Until the next `pump()` that finds room. */
  pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    this.#input.pause();
  }

  #resume(): void {
    if (this.#paused) {
      this.#paused = false;
      this.#input.resume();
    }
    this.#owner.idle();
  }

  readonly #onData = (chunk: Buffer | string): void => {
    this.#lines.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    this.pump();
  };

  /** The last line may come without a line feed. One that 'close' cut off is no line. */
  readonly #onEnd = (): void => {
    this.#lines.push(LF);
    this.pump();
    this.#owner.ended();
  };

  readonly #onClose = (): void => this.#owner.ended();

  readonly #onError = (error: Error): void => {
    this.#owner.failed(error);
    this.#owner.ended();
  };
}
