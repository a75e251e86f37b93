// JSON as people write it (comments, trailing commas, a byte order mark), with the place of every value: a message about
// a setting must name file, line, column and key. Reads text, knows nothing about what it means.
import { FILE_LIMITS } from './limits.js';

interface At {
  /** Offset of its first character. */
  readonly at: number;
}

export interface JsonMember extends At {
  readonly key: string;
  readonly node: JsonNode;
}

export type JsonObject = At & {
  readonly kind: 'object';
  /** Of a key that is written twice the last one counts, as with JSON.parse. */
  readonly members: ReadonlyMap<string, JsonMember>;
  /** Later places of keys that were there already. */
  readonly repeated: readonly JsonMember[];
};
export type JsonArray = At & { readonly kind: 'array'; readonly items: readonly JsonNode[] };
export type JsonScalar =
  | (At & { readonly kind: 'string'; readonly value: string })
  | (At & { readonly kind: 'number'; readonly value: number })
  | (At & { readonly kind: 'boolean'; readonly value: boolean })
  | (At & { readonly kind: 'null'; readonly value: null });
export type JsonNode = JsonObject | JsonArray | JsonScalar;

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Both from 1; a column is a UTF-16 unit, as editors count. */
export const positionAt = (text: string, offset: number): Position => {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return { line, column: offset - before.lastIndexOf('\n') };
};

/** Why a text is no JSON, and where. */
export class JsonTextError extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.name = 'JsonTextError';
    this.at = at;
  }
}

// Sticky expressions: each looks at one place only, where `take` points it, and none has two ways to match one text.
const SPACE = /[ \t\r\n\uFEFF]+|\/\/[^\n]*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\//y;
const STRING = /"[^"\\\n\r]*(?:\\.[^"\\\n\r]*)*"/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /[A-Za-z_$][\w$-]*/y;
const WORDS = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

const unquoted = (quoted: string): string | undefined => {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
};

/** One reading of one text. The offset is its only state; it lives as long as the call that made it. */
class Reader {
  private readonly text: string;
  private offset = 0;

  constructor(text: string) {
    this.text = text;
  }

  document(): JsonNode {
    const node = this.value(0);
    this.space();
    if (this.offset < this.text.length) throw this.unexpected('the end of the text');
    return node;
  }

  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.offset;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.offset += found.length;
    return found;
  }

  private space(): void {
    while (this.take(SPACE) !== undefined);
  }

  private unexpected(wanted: string): JsonTextError {
    const char = this.text[this.offset];
    if (char === undefined) return new JsonTextError(`the text ends where ${wanted} should be`, this.offset);
    if (this.text.startsWith('/*', this.offset)) return new JsonTextError('a comment has no end', this.offset);
    return new JsonTextError(`${JSON.stringify(char)} stands where ${wanted} should be`, this.offset);
  }

  /** Skips the character if it comes next. */
  private skip(char: string): boolean {
    this.space();
    if (this.text[this.offset] !== char) return false;
    this.offset += 1;
    return true;
  }

  private value(depth: number): JsonNode {
    this.space();
    const at = this.offset;
    if (depth > FILE_LIMITS.switchboardDepth) throw new JsonTextError('nested too deeply', at);
    const char = this.text[at];
    if (char === '{') return this.object(at, depth);
    if (char === '[') return this.array(at, depth);
    if (char === '"') return { kind: 'string', at, value: this.string() };
    const number = this.take(NUMBER);
    if (number !== undefined) return this.number(number, at);
    return this.word(at);
  }

  private number(text: string, at: number): JsonNode {
    const value = Number(text);
    if (!Number.isFinite(value)) throw new JsonTextError('a number is too large', at);
    return { kind: 'number', at, value };
  }

  private word(at: number): JsonNode {
    const word = this.take(WORD);
    const value = word === undefined ? undefined : WORDS.get(word);
    if (value === null) return { kind: 'null', at, value };
    if (value !== undefined) return { kind: 'boolean', at, value };
    if (word !== undefined)
      throw new JsonTextError(`${JSON.stringify(word)} is no JSON value; texts stand in quotes`, at);
    throw this.unexpected('a value');
  }

  private string(): string {
    const at = this.offset;
    const quoted = this.take(STRING);
    if (quoted === undefined) throw new JsonTextError('a text has no closing quote on its line', at);
    const value = unquoted(quoted);
    if (value === undefined)
      throw new JsonTextError('a text holds an escape or a control character that JSON does not know', at);
    if (!value.isWellFormed()) throw new JsonTextError('a text holds half of a surrogate pair', at);
    return value;
  }

  private object(at: number, depth: number): JsonNode {
    this.offset += 1;
    const members = new Map<string, JsonMember>();
    const repeated: JsonMember[] = [];
    while (!this.skip('}')) {
      const member = this.member(depth);
      if (members.has(member.key)) repeated.push(member);
      members.set(member.key, member);
      if (this.skip(',')) continue;
      if (this.skip('}')) break;
      throw this.unexpected('"," or "}"');
    }
    return { kind: 'object', at, members, repeated };
  }

  private member(depth: number): JsonMember {
    this.space();
    const at = this.offset;
    if (this.text[at] !== '"') throw this.unexpected('a key in quotes');
    const key = this.string();
    if (!this.skip(':')) throw this.unexpected('":"');
    return { key, at, node: this.value(depth + 1) };
  }

  private array(at: number, depth: number): JsonNode {
    this.offset += 1;
    const items: JsonNode[] = [];
    while (!this.skip(']')) {
      items.push(this.value(depth + 1));
      if (this.skip(',')) continue;
      if (this.skip(']')) break;
      throw this.unexpected('"," or "]"');
    }
    return { kind: 'array', at, items };
  }
}

/** Throws a JsonTextError at the first place where it is none. */
export const readJson = (text: string): JsonNode => new Reader(text).document();

/** The plain value of a node. Keys become own properties, `__proto__` too. */
export const plain = (node: JsonNode): unknown => {
  if (node.kind === 'array') return node.items.map(plain);
  if (node.kind !== 'object') return node.value;
  return Object.fromEntries([...node.members.values()].map(({ key, node: inner }) => [key, plain(inner)]));
};
