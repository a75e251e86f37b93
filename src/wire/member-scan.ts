// Scans a JSON object that is too long to keep, to find its top-level members and its `id`. The scan needs constant memory and takes the
// bytes in pieces of any size. It does not check that they are valid JSON; if they are, the result is exact: an `id` inside params
// or inside a string is never taken for the message's `id`.

import type { RequestId } from '@modelcontextprotocol/server';
import { quietly } from '../errors.js';
import { isRequestId } from './json-rpc.js';
import { WIRE_LIMITS } from './limits.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const ENVELOPE: ReadonlySet<string> = new Set(['id', 'method', 'result', 'error']);

export class MemberScan {
  readonly #seen = new Set<string>();
  #id: RequestId | undefined;

  #depth = 0;
  #isWhole = false;
  #inString = false;
  #escaped = false;

  /** The name of the member whose value is being read; undefined while a name is being read. */
  #name: string | undefined;
  /** The raw bytes of a top-level member's name, or of the value of `id`. */
  readonly #token = Buffer.allocUnsafe(WIRE_LIMITS.idBytes);
  #tokenBytes = 0;

  get id(): RequestId | undefined {
    return this.#id;
  }

  /** True if the object is complete: it was not cut off. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  readonly has = (member: string): boolean => this.#seen.has(member);

  push(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; )
      if (this.#inString && this.#depth > 1) at = this.#skipText(bytes, at);
      else this.#read(bytes[at++] as number);
  }

  /** Skips a string inside a member's value; such strings are most of a long message. Returns the index after the string. */
  #skipText(bytes: Buffer, from: number): number {
    const start = this.#escaped ? from + 1 : from;
    const quote = bytes.indexOf(QUOTE, start);
    const end = quote < 0 ? bytes.length : quote;
    let slashes = 0;
    while (end - slashes > start && bytes[end - slashes - 1] === BACKSLASH) slashes++;
    const isEscaped = slashes % 2 === 1;
    this.#escaped = quote < 0 && isEscaped;
    this.#inString = quote < 0 || isEscaped;
    return quote < 0 ? end : quote + 1;
  }

  #read(byte: number): void {
    if (!this.#inString && this.#depth === 1 && this.#endsToken(byte)) return;
    this.#collect(byte);
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (byte === BACKSLASH) this.#escaped = true;
      else if (byte === QUOTE) this.#inString = false;
    } else if (byte === QUOTE) this.#inString = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.#depth++;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) this.#depth--;
  }

  /** Follows the structure of the outermost object: `name : value , …` and its end. Returns true if `byte` ends a token. */
  #endsToken(byte: number): boolean {
    if (byte === COLON) {
      const name = this.#takeToken();
      this.#name = typeof name === 'string' ? name : '';
      if (ENVELOPE.has(this.#name)) this.#seen.add(this.#name);
      return true;
    }
    if (byte !== COMMA && byte !== CLOSE_OBJECT) return false;
    const value = this.#takeToken();
    if (this.#name === 'id') this.#id = isRequestId(value) ? value : undefined;
    this.#name = undefined;
    if (byte === CLOSE_OBJECT) {
      this.#depth = 0;
      this.#isWhole = true;
    }
    return true;
  }

  #collect(byte: number): void {
    if (this.#depth !== 1 || (this.#name !== undefined && this.#name !== 'id')) return;
    if (this.#tokenBytes < WIRE_LIMITS.idBytes) this.#token[this.#tokenBytes] = byte;
    this.#tokenBytes++;
  }

  /** Parses the token (a name or an id) as JSON, which also resolves escapes: `"\u0069d"` is `id`. */
  #takeToken(): unknown {
    const bytes = this.#tokenBytes;
    this.#tokenBytes = 0;
    return bytes > WIRE_LIMITS.idBytes ? undefined : quietly(() => JSON.parse(this.#token.toString('utf8', 0, bytes)));
  }
}
