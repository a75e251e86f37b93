// Turns what one process of a server writes to stderr into lines for the server's log: without colours, without secrets, and not more than
// so many bytes in a second.
import { StringDecoder } from 'node:string_decoder';
import { plainBut } from '../../core/plain.js';
import { REDACTED, redactText } from '../../redact/redact.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { withoutColours } from '../link/child-tail.js';

export interface ServerOutputDeps {
  /** Removes the values that are secret in the server's configuration. */
  readonly hide: (text: string) => string;
  readonly write: (lines: readonly string[]) => void;
  readonly nowMs: () => number;
}

const SECOND_MS = 1_000;
const KEY_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;

export class ServerOutput {
  readonly #deps: ServerOutputDeps;
  readonly #decoder = new StringDecoder('utf8');
  #text = '';
  #timer: NodeJS.Timeout | undefined;
  /** The second that is counted, and how many bytes of it were taken and left out. */
  #second = { beganMs: Number.NEGATIVE_INFINITY, taken: 0, leftOut: 0 };
  /** How many characters of a private key, whose end has not come yet, were left out; null outside a key. */
  #key: number | null = null;

  constructor(deps: ServerOutputDeps) {
    this.#deps = deps;
  }

  take(chunk: Buffer): void {
    this.#text += this.#decoder.write(this.#bounded(chunk));
    // Text is written in blocks: a secret may span several lines, and each write costs.
    if (this.#text.length >= SWITCHBOARD_LIMITS.serverLogBlockChars) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), SWITCHBOARD_LIMITS.serverLogDelayMs).unref();
  }

  /** Writes the rest, because the process has ended. */
  end(): void {
    this.#text += this.#decoder.end();
    this.#flush(true);
    this.#tellLeftOut();
  }

  /** The part of a chunk that this second still has room for. */
  #bounded(chunk: Buffer): Buffer {
    const now = this.#deps.nowMs();
    const { beganMs } = this.#second;
    if (now - beganMs >= SECOND_MS || now < beganMs) {
      this.#tellLeftOut();
      this.#second = { beganMs: now, taken: 0, leftOut: 0 };
    }
    const room = Math.max(0, SWITCHBOARD_LIMITS.serverLogSecondBytes - this.#second.taken);
    this.#second.taken += Math.min(room, chunk.length);
    this.#second.leftOut += Math.max(0, chunk.length - room);
    return chunk.subarray(0, room);
  }

  #tellLeftOut(): void {
    const { leftOut } = this.#second;
    this.#second.leftOut = 0;
    if (leftOut > 0) this.#deps.write([`(${leftOut} bytes left out: too many in a second)`]);
  }

  #flush(isLast = false): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const isLong = this.#text.length >= SWITCHBOARD_LIMITS.serverLogBlockChars;
    const end = isLast || isLong ? this.#text.length : this.#lastLineEnd();
    const whole = this.#text.slice(0, end);
    this.#text = this.#text.slice(end);
    const lines = this.#shown(whole).split('\n');
    const told = lines.filter((line) => line.trim() !== '').map((line) => plainBut(line.trimEnd(), '\t'));
    if (told.length > 0) this.#deps.write(told);
  }

  #lastLineEnd(): number {
    return Math.max(this.#text.lastIndexOf('\n'), this.#text.lastIndexOf('\r')) + 1;
  }

  #shown(text: string): string {
    const plain = withoutColours(text.replaceAll('\r\n', '\n').replaceAll('\r', '\n'));
    const rest = this.#afterKey(plain);
    const begins = [...rest.matchAll(KEY_BEGIN)].at(-1);
    if (begins !== undefined && !KEY_END.test(rest.slice(begins.index))) this.#key = 0;
    return redactText(this.#deps.hide(rest));
  }

  /** The text after the end of a private key that began in an earlier block. What looks like a key without end is given up. */
  #afterKey(text: string): string {
    if (this.#key === null) return text;
    const end = KEY_END.exec(text);
    this.#key += text.length;
    if (end === null && this.#key < SWITCHBOARD_LIMITS.privateKeyChars) return '';
    this.#key = null;
    return end === null ? REDACTED : text.slice(end.index + end[0].length);
  }
}
