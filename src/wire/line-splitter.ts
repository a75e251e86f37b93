// Cuts chunks into lines. Pulled, not pushed: what was read and is not yet wanted stays here, so that the reader
// can stop in the middle of a chunk. At most `lineBytes` of a begun line are kept; the rest of a longer one is
// only looked at (member-scan.ts).

import { WIRE_LIMITS } from './limits.js';
import { MemberScan } from './member-scan.js';

const LF = 0x0a;
const NOTHING = Buffer.alloc(0);

/** `bytes` without the line feed; they share memory with the chunk. */
export type Line = { readonly bytes: Buffer } | { readonly tooLong: MemberScan };

export class LineSplitter {
  readonly #lineBytes: number;

  readonly #chunks: Buffer[] = [];
  /** Where the unread part of the first chunk begins. */
  #from = 0;

  #begun: Buffer = NOTHING;
  #begunBytes = 0;
  #skipped: MemberScan | undefined;

  constructor(lineBytes: number) {
    this.#lineBytes = lineBytes;
  }

  push(chunk: Buffer): void {
    if (chunk.length > 0) this.#chunks.push(chunk);
  }

  /** Whether `next()` has something left to look at. */
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
  }

  /** By doubling, so that the copying stays linear however small the pieces are. */
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
