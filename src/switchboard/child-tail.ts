// The end of what a server says on stderr. Read from the first byte, whoever wants it: a pipe that nobody reads fills up
// and stops the server.
import type { Readable } from 'node:stream';
import { ignoreErrors } from '../wire/ignore-errors.js';

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours and other control sequences are what is taken out
const CONTROL = /\u001b\[[0-9;?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f]/g;

export class Tail {
  readonly #bytes: number;
  #kept: Buffer[] = [];
  #size = 0;

  constructor(stream: Readable, bytes: number) {
    this.#bytes = bytes;
    ignoreErrors(stream);
    stream.on('data', (chunk: Buffer) => this.#keep(chunk));
  }

  /** Whole chunks go from the front for as long as enough is left: no copying however much comes. */
  #keep(chunk: Buffer): void {
    this.#kept.push(chunk);
    this.#size += chunk.length;
    for (;;) {
      const first = this.#kept[0];
      if (first === undefined || this.#size - first.length < this.#bytes) return;
      this.#kept.shift();
      this.#size -= first.length;
    }
  }

  get text(): string {
    // One copy, and what is kept from now on is no longer part of larger buffers.
    const all = Buffer.concat(this.#kept).subarray(-this.#bytes);
    this.#kept = [all];
    this.#size = all.length;
    return all.toString('utf8');
  }

  /** The last line that says something, without colours; for the text of a fault. */
  get lastLine(): string | undefined {
    return this.text
      .replace(CONTROL, '')
      .split('\n')
      .findLast((line) => line.trim() !== '')
      ?.trim();
  }
}
