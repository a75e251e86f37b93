// Reads lines from a stream while the reader's owner has room for their answers, and pauses the stream otherwise. Buffers at most one
// chunk beyond the line that is being read.
import type { Readable } from 'node:stream';
import { CORE_LIMITS } from '../core/limits.js';
import { ignoreErrors } from './console.js';
import { WIRE_LIMITS } from './limits.js';
import { MemberScan } from './member-scan.js';

const LF = 0x0a;

/**
 * The most lines that are taken in one turn of the event loop. Answers are written in later turns: without this pause a thousand
 * requests in one chunk would all be delivered before the first answer shows how full the output is.
 */
const LINES_PER_TURN = CORE_LIMITS.groupCalls;

export interface LineReaderOwner {
  take(line: Line): void;
  /** Called with the bytes so far of a line that arrives in pieces, after each piece. */
  growing?(bytes: Buffer): void;
  /** True while the reader's owner has no room for further answers. Then no line is taken until the owner calls `pump()`. */
  full(): boolean;
  /** Called when the buffer holds no further complete line. */
  idle(): void;
  /** Called when no more bytes will come; lines may still wait. May be called more than once. */
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
    this.#lines = new LineSplitter(lineBytes, owner.growing?.bind(owner));
  }

  /** True if bytes were read from the stream that are not taken yet. */
  get waiting(): boolean {
    return this.#reading && this.#lines.waiting;
  }

  start(): void {
    this.#reading = true;
    this.#input.on('error', this.#onError).on('end', this.#onEnd).on('close', this.#onClose);
    this.#input.on('data', this.#onData).resume();
    // A stream that has already ended does not emit its events again.
    if (this.#input.readableEnded || this.#input.destroyed) setImmediate(this.#onClose);
  }

  /** Ends the reading for good: bytes that were read and not taken are dropped. */
  stop(): void {
    if (!this.#reading) return;
    this.#reading = false;
    clearImmediate(this.#turn);
    this.#input.off('error', this.#onError).off('end', this.#onEnd).off('close', this.#onClose);
    this.#input.off('data', this.#onData);
    ignoreErrors(this.#input);
    if (this.#input.listenerCount('data') === 0) this.#input.pause();
  }

  /** Takes lines until none is left, the reader's owner has no room for answers, or enough were taken for this turn of the event loop. */
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

  /** Pauses the stream until the next `pump()` that finds room. */
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

  /** Takes the last line, which may lack its line feed. A line that 'close' cut off does not count. */
  readonly #onEnd = (): void => {
    this.#lines.push(Buffer.of(LF));
    this.pump();
    this.#owner.ended();
  };

  readonly #onClose = (): void => this.#owner.ended();

  readonly #onError = (error: Error): void => {
    this.#owner.failed(error);
    this.#owner.ended();
  };
}

// Cuts chunks into lines. The reader pulls the lines, so that it can stop in the middle of a chunk; the rest waits here. At most
// `lineBytes` of an incomplete line are kept; the rest of a longer line is only scanned (member-scan.ts).

const NOTHING = Buffer.alloc(0);

/** One line. `bytes`: the line without its line feed, sharing memory with the chunk. `tooLong`: the scan of a line over `lineBytes`. */
export type Line = { readonly bytes: Buffer } | { readonly tooLong: MemberScan };

export class LineSplitter {
  readonly #lineBytes: number;
  readonly #growing: ((bytes: Buffer) => void) | undefined;

  readonly #chunks: Buffer[] = [];
  /** The index at which the unread part of the first chunk begins. */
  #from = 0;

  #begun: Buffer = NOTHING;
  #begunBytes = 0;
  #skipped: MemberScan | undefined;

  /** `growing`: called with the bytes so far of a line that arrives in pieces, after each piece. */
  constructor(lineBytes: number, growing?: (bytes: Buffer) => void) {
    this.#lineBytes = lineBytes;
    this.#growing = growing;
  }

  push(chunk: Buffer): void {
    if (chunk.length > 0) this.#chunks.push(chunk);
  }

  /** True if `next()` has bytes left to read. */
  get waiting(): boolean {
    return this.#chunks.length > 0;
  }

  /** The next whole line; undefined when more bytes are needed. */
  next(): Line | undefined {
    for (;;) {
      const chunk = this.#chunks[0];
      if (chunk === undefined) return undefined;
      const end = chunk.indexOf(LF, this.#from);
      const piece = chunk.subarray(this.#from, end < 0 ? chunk.length : end);
      this.#from = end + 1;
      if (end < 0 || this.#from === chunk.length) {
        this.#chunks.shift();
        this.#from = 0;
      }
      if (end >= 0) return this.#finish(piece);
      this.#keep(piece);
    }
  }

  #finish(piece: Buffer): Line {
    if (this.#begunBytes === 0 && this.#skipped === undefined && piece.length <= this.#lineBytes)
      return { bytes: piece };
    this.#keep(piece);
    const line = this.#skipped ? { tooLong: this.#skipped } : { bytes: this.#begun.subarray(0, this.#begunBytes) };
    this.#skipped = undefined;
    this.#forget();
    return line;
  }

  #keep(piece: Buffer): void {
    const bytes = this.#begunBytes + piece.length;
    if (this.#skipped === undefined && bytes > this.#lineBytes) {
      this.#skipped = new MemberScan();
      this.#skipped.push(this.#begun.subarray(0, this.#begunBytes));
      this.#forget();
    }
    if (this.#skipped) this.#skipped.push(piece);
    else this.#append(piece, bytes);
  }

  #append(piece: Buffer, bytes: number): void {
    if (bytes > this.#begun.length) this.#grow(bytes);
    piece.copy(this.#begun, this.#begunBytes);
    this.#begunBytes = bytes;
    this.#growing?.(this.#begun.subarray(0, bytes));
  }

  /** Doubles the buffer, so that the total copying stays linear for pieces of any size. */
  #grow(bytes: number): void {
    const grown = Buffer.allocUnsafe(Math.min(this.#lineBytes, Math.max(2 * bytes, WIRE_LIMITS.lineBufferBytes)));
    this.#begun.copy(grown, 0, 0, this.#begunBytes);
    this.#begun = grown;
  }

  #forget(): void {
    this.#begun = NOTHING;
    this.#begunBytes = 0;
  }
}
