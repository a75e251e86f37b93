// The end of what a server says on stderr. Read from the first byte, whoever wants it: a pipe that nobody reads fills up
// and stops the server.
import type { Readable } from 'node:stream';
import { redactText } from '../../redact/redact.js';
import { ignoreErrors } from '../../wire/ignore-errors.js';

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours and other control sequences are what is taken out
const CONTROL = /\u001b\[[0-9;?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** `TypeError: x is not a function`, `fatal: …`, `sh: 1: foo: not found`; not the stack below it. */
const TELLING =
  /^(?!at ).*(?:(?:error|exception|panic)\b|\b(?:fatal|failed|failure|cannot|denied|refused|not found|no such|invalid|missing|unable)\b)/i;

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

  /** The line that most likely says what is wrong, without colours: the last that sounds like it, or the last at all. */
  get tellingLine(): string | undefined {
    // Secrets first: a key goes over several lines, and one of them alone has no shape.
    const lines = redactText(this.text.replace(CONTROL, ''))
      .split('\n')
      .map((line) => line.trim());
    return lines.findLast((line) => TELLING.test(line)) ?? lines.findLast((line) => line !== '');
  }
}
