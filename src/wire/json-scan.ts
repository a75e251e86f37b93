// Checks that bytes are one JSON text (RFC 8259) without building its values, and tells a visitor where values and names of members are. The
// text may be checked while it still arrives. The scan refuses everything that JSON.parse refuses, except bytes that are not UTF-8, which its
// caller must check. It also refuses line ends inside the text, because the bytes may be passed on as one line.

import { bytesTable, FIRST_PARTS, nextPart } from './json-number.js';

/** What a scan reports. `depth` is the number of lists and objects around a value. Places are indexes of bytes; `to` is the one after the last. */
export interface JsonVisitor {
  /** The name of a member, without its quotes. `hasEscapes`: true if the name contains a backslash. */
  name(depth: number, from: number, to: number, hasEscapes: boolean): void;
  begin(depth: number, from: number): void;
  end(depth: number, to: number): void;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** The bytes of a string that stand for themselves; bytes above 0x7f are parts of UTF-8 sequences. */
const PLAIN = new Uint8Array(256).fill(1, 0x20);
PLAIN[QUOTE] = 0;
PLAIN[BACKSLASH] = 0;

/** The bytes that may follow a backslash, with the number of hex digits that must follow them, plus one. */
const ESCAPES = bytesTable(['"\\/bfnrt', 1], ['u', 5]);
const HEX = bytesTable(['0123456789abcdefABCDEF', 1]);
/** White space: 1 where it may stand anywhere, 2 where it ends a line. */
const BLANK = bytesTable([' \t', 1], ['\r\n', 2]);
/** The cost of a byte outside strings, counted like in switchboard/link/step-count.ts. */
const STEPS = bytesTable([',', 1], ['[{', 2], [':', 10]);

const WORDS: Readonly<Record<number, Buffer>> = Object.fromEntries(
  ['true', 'false', 'null'].map((word) => [word.charCodeAt(0), Buffer.from(word)]),
);

const NO_WORD: Buffer = Buffer.alloc(0);

/** What the scan expects next. */
type Expected =
  | 'value'
  | 'value or end'
  | 'name'
  | 'name or end'
  | 'colon'
  | 'comma or end'
  | 'string'
  | 'word'
  | 'number'
  | 'nothing';

export interface JsonBounds {
  readonly depth: number;
  readonly steps: number;
  /** Values with more lists and objects around them than this are not reported. Names are always reported. */
  readonly reported: number;
}

export class JsonScan {
  readonly #visitor: JsonVisitor;
  readonly #bounds: JsonBounds;
  /** For each open list or object: 1 if it is an object. */
  readonly #isObject: Uint8Array;
  #expected: Expected = 'value';
  #depth = 0;
  #steps = 0;
  #at = 0;
  /** Where the string that is being read begins. */
  #from = 0;
  #isName = false;
  #hasEscapes = false;
  /** 0, or one more than the number of hex digits that are still missing of an escape; 6 directly after a backslash. */
  #escape = 0;
  #word = NO_WORD;
  #wordAt = 0;
  #part = 0;
  #isRefused = false;

  constructor(visitor: JsonVisitor, bounds: JsonBounds) {
    this.#visitor = visitor;
    this.#bounds = bounds;
    this.#isObject = new Uint8Array(bounds.depth + 1);
  }

  /** True if the bytes so far are one whole JSON text. */
  get isWhole(): boolean {
    return !this.#isRefused && this.#expected === 'nothing';
  }

  /** Ends the scan: the visitor found something that it does not want. */
  refuse(): void {
    this.#isRefused = true;
  }

  /** Scans on to the end of `bytes`, which must begin with all bytes that were scanned before. Returns false if the text is refused. */
  push(bytes: Buffer): boolean {
    let at = this.#at;
    while (at < bytes.length && !this.#isRefused) {
      if (this.#expected === 'string') at = this.#string(bytes, at);
      else if (this.#expected === 'number') at = this.#number(bytes, at);
      else this.#token(bytes[at] as number, at++);
    }
    this.#at = at;
    return !this.#isRefused;
  }

  #string(bytes: Buffer, from: number): number {
    const end = bytes.length;
    let at = from;
    while (at < end) {
      if (this.#escape === 0) while (at < end && PLAIN[bytes[at] as number] === 1) at++;
      if (at === end) break;
      const byte = bytes[at++] as number;
      if (this.#escape > 0) {
        if (!this.#unescape(byte)) break;
      } else if (byte === BACKSLASH) {
        this.#escape = 6;
        this.#hasEscapes = true;
      } else {
        if (byte === QUOTE) this.#endString(at);
        else this.refuse(); // a control character
        break;
      }
    }
    return at;
  }

  /** Takes one byte of an escape. Returns false if it may not stand there. */
  #unescape(byte: number): boolean {
    const isFirst = this.#escape === 6;
    const isFit = isFirst ? ESCAPES[byte] !== 0 : HEX[byte] === 1;
    if (isFirst) this.#escape = ESCAPES[byte] as number;
    this.#escape--;
    if (!isFit) this.refuse();
    return isFit;
  }

  #endString(to: number): void {
    if (this.#isName) {
      this.#visitor.name(this.#depth, this.#from, to - 1, this.#hasEscapes);
      this.#expected = 'colon';
    } else this.#endValue(to);
  }

  #number(bytes: Buffer, from: number): number {
    let at = from;
    for (; at < bytes.length; at++) {
      const next = nextPart(this.#part, bytes[at] as number);
      if (next === 'end') this.#endValue(at);
      else if (next === 'none') this.refuse();
      if (typeof next === 'string') break;
      this.#part = next;
    }
    return at;
  }

  #token(byte: number, at: number): void {
    if (this.#expected === 'word') {
      if (byte !== this.#word[this.#wordAt++]) this.refuse();
      else if (this.#wordAt === this.#word.length) this.#endValue(at + 1);
      return;
    }
    if (BLANK[byte] === 1 || (BLANK[byte] === 2 && this.#depth === 0)) return;
    this.#steps += STEPS[byte] as number;
    if (this.#steps > this.#bounds.steps) this.refuse();
    else if (this.#expected === 'comma or end') this.#afterValue(byte, at);
    else if (this.#expected === 'colon') {
      if (byte === COLON) this.#expected = 'value';
      else this.refuse();
    } else if (this.#expected === 'name' || this.#expected === 'name or end') this.#name(byte, at);
    else if (this.#expected === 'nothing')
      this.refuse(); // a second value
    else this.#value(byte, at);
  }

  #afterValue(byte: number, at: number): void {
    const isObject = this.#isObject[this.#depth] === 1;
    if (byte === COMMA) this.#expected = isObject ? 'name' : 'value';
    else if (byte === (isObject ? CLOSE_OBJECT : CLOSE_LIST)) this.#close(at);
    else this.refuse();
  }

  #name(byte: number, at: number): void {
    if (byte === QUOTE) this.#beginString(at, true);
    else if (byte === CLOSE_OBJECT && this.#expected === 'name or end') this.#close(at);
    else this.refuse();
  }

  #value(byte: number, at: number): void {
    if (byte === CLOSE_LIST && this.#expected === 'value or end') {
      this.#close(at);
      return;
    }
    if (this.#depth <= this.#bounds.reported) this.#visitor.begin(this.#depth, at);
    if (byte === QUOTE) this.#beginString(at, false);
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.#open(byte === OPEN_OBJECT);
    else if (FIRST_PARTS[byte] !== 0) {
      this.#expected = 'number';
      this.#part = FIRST_PARTS[byte] as number;
    } else this.#beginWord(WORDS[byte]);
  }

  #beginString(at: number, isName: boolean): void {
    this.#expected = 'string';
    this.#from = at + 1;
    this.#isName = isName;
    this.#hasEscapes = false;
  }

  #beginWord(word: Buffer | undefined): void {
    if (word === undefined) this.refuse();
    this.#expected = 'word';
    this.#word = word ?? NO_WORD;
    this.#wordAt = 1;
  }

  #open(isObject: boolean): void {
    if (this.#depth >= this.#bounds.depth) this.refuse();
    else this.#isObject[++this.#depth] = isObject ? 1 : 0;
    this.#expected = isObject ? 'name or end' : 'value or end';
  }

  #close(at: number): void {
    this.#depth--;
    this.#endValue(at + 1);
  }

  #endValue(to: number): void {
    this.#expected = this.#depth === 0 ? 'nothing' : 'comma or end';
    if (this.#depth <= this.#bounds.reported) this.#visitor.end(this.#depth, to);
  }
}
