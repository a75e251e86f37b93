// Keeps the last part of what a server writes to stderr. The stderr pipe is read from the start even if the text is not needed: a pipe that is
// not read fills up and stops the server.
import type { Readable } from 'node:stream';
import { redactText } from '../../redact/redact.js';
import { ignoreErrors } from '../../wire/console.js';

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours and other control sequences are removed
const COLOURS_AND_CONTROLS = /\u001b\[[0-9;?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** Removes colours and control characters, except line feeds and tabs, from what a server wrote. */
export const withoutColours = (text: string): string => text.replace(COLOURS_AND_CONTROLS, '');

const KEY_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;

/** Matches lines that report an error, such as `TypeError: x is not a function`, `fatal: …`, `sh: 1: foo: not found`; not stack traces. */
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

  /** Adds a chunk of stderr. The oldest chunks are dropped as long as enough bytes are left; chunks are not split, so nothing is copied. */
  #keep(chunk: Buffer): void {
    this.#kept.push(chunk);
    this.#size += chunk.length;
    for (let [first] = this.#kept; first && this.#size - first.length >= this.#bytes; [first] = this.#kept) {
      this.#kept.shift();
      this.#size -= first.length;
    }
  }

  get text(): string {
    // The kept bytes are copied once, so that the larger buffers behind the chunks can be freed.
    const all = Buffer.concat(this.#kept).subarray(-this.#bytes);
    this.#kept = [all];
    this.#size = all.length;
    return all.toString('utf8');
  }

  /**
   * The last lines of stderr, without colours and secrets. If the beginning of what was written is no longer kept, its first line may be the
   * rest of one; and a private key whose beginning is gone is not recognised, so everything up to its end is left out.
   */
  get lastLines(): string {
    const { text } = this;
    const whole = this.#size < this.#bytes ? text : text.slice(text.indexOf('\n') + 1);
    const end = KEY_END.exec(whole);
    const isOrphan = end !== null && !whole.slice(0, end.index).includes('-----BEGIN ');
    return redactText(withoutColours(isOrphan ? whole.slice(end.index + end[0].length) : whole)).trim();
  }

  /** The line of stderr that most likely says what is wrong, without colours: the last line that looks like an error, or else the last line. */
  get tellingLine(): string | undefined {
    // Secrets are removed before stderr is split into lines: a private key spans several lines, and one line of it is not recognised.
    const lines = redactText(withoutColours(this.text))
      .split('\n')
      .map((line) => line.trim());
    return lines.findLast((line) => TELLING.test(line)) ?? lines.findLast((line) => line !== '');
  }
}
