// Parses JSON as people write it (comments, trailing commas, a byte order mark) and keeps the position of every value, because a message
// about a setting names file, line, column and key. jsonc-parser does the parsing; what it tolerates and Colibri does not is refused here.
import { type JSONVisitor, type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser';
import { FILE_LIMITS } from './limits.js';

interface Span {
  /** The offset of the value's first character. */
  at: number;
  /** The offset after the value's last character. */
  end: number;
  /** The offset of the comma that follows the value. */
  comma?: number;
}

export interface JsonMember {
  readonly key: string;
  /** The offset of the member's key. */
  readonly at: number;
  readonly node: JsonNode;
}

export type ObjectNode = Readonly<Span> & {
  readonly kind: 'object';
  /** The object's members by key. If a key appears twice, the last member counts, as with JSON.parse. */
  readonly members: ReadonlyMap<string, JsonMember>;
  /** The members whose key an earlier member of the object has too. */
  readonly repeated: readonly JsonMember[];
};
type ArrayNode = Readonly<Span> & { readonly kind: 'array'; readonly items: readonly JsonNode[] };
type ScalarNode = Readonly<Span> &
  (
    | { readonly kind: 'string'; readonly value: string }
    | { readonly kind: 'number'; readonly value: number }
    | { readonly kind: 'boolean'; readonly value: boolean }
    | { readonly kind: 'null'; readonly value: null }
  );
export type JsonNode = ObjectNode | ArrayNode | ScalarNode;

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The line and column of an offset, both counted from 1; a column is a UTF-16 unit, as editors count. */
export const positionAt = (text: string, offset: number): Position => {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return { line, column: offset - before.lastIndexOf('\n') };
};

/** Says why a text is not JSON, and where. */
export class JsonTextError extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** What jsonc-parser expected, by the name of its error. */
const WANTED: Readonly<Record<string, string>> = {
  ValueExpected: 'a value',
  PropertyNameExpected: 'a key in quotes',
  ColonExpected: '":"',
  CommaExpected: '","',
  CloseBraceExpected: '"," or "}"',
  CloseBracketExpected: '"," or "]"',
  EndOfFileExpected: 'the end of the text',
};

const BAD_CHARACTER = 'a string contains an escape or a control character that JSON does not allow';

/** What is wrong with the text, by the name of jsonc-parser's error. */
const WRONG: Readonly<Record<string, string>> = {
  UnexpectedEndOfComment: 'a comment has no end',
  UnexpectedEndOfString: 'a string has no closing quote on its line',
  UnexpectedEndOfNumber: 'a number is not complete',
  InvalidUnicode: BAD_CHARACTER,
  InvalidEscapeCharacter: BAD_CHARACTER,
  InvalidCharacter: BAD_CHARACTER,
};

const faultText = (text: string, code: ParseErrorCode, at: number): string => {
  const name = printParseErrorCode(code);
  const wanted = WANTED[name];
  const found = text[at] === undefined ? 'the text ends' : `${JSON.stringify(text[at])} is`;
  if (wanted !== undefined) return `${found} where ${wanted} should be`;
  // The message quotes only one word or one character of the file: after a wrong quotation mark there may be a secret.
  const word = JSON.stringify(/^(?:[\w$-]{1,20}|.)/su.exec(text.slice(at, at + 20))?.[0]);
  return WRONG[name] ?? `${word} is not a JSON value; strings and keys need double quotes`;
};

const scalar = (value: unknown, span: Span): ScalarNode => {
  if (value === null) return { ...span, kind: 'null', value };
  if (typeof value === 'boolean') return { ...span, kind: 'boolean', value };
  if (typeof value === 'string') return { ...span, kind: 'string', value: wellFormed(value, span.at) };
  if (!Number.isFinite(value)) throw new JsonTextError('a number is too large', span.at);
  return { ...span, kind: 'number', value: Number(value) };
};

const wellFormed = (value: string, at: number): string => {
  if (!value.isWellFormed()) throw new JsonTextError('a string contains half of a surrogate pair', at);
  return value;
};

type Open = Span &
  ({ kind: 'object'; members: Map<string, JsonMember>; repeated: JsonMember[] } | { kind: 'array'; items: JsonNode[] });

/**
 * Builds the tree of values while jsonc-parser visits the text. That parser recurses and continues after an error, so the builder throws at
 * the first error and where the nesting passes the bound: no text can make the recursion deep.
 */
class Builder implements JSONVisitor {
  root: JsonNode | undefined;
  private readonly text: string;
  private readonly open: Open[] = [];
  private key: { readonly key: string; readonly at: number } = { key: '', at: 0 };
  /** The value that ended last; the next comma belongs to it. */
  private last: Span | undefined;

  constructor(text: string) {
    this.text = text;
  }

  readonly onObjectBegin = (at: number): void =>
    this.begin({ kind: 'object', at, end: at, members: new Map(), repeated: [] });
  readonly onArrayBegin = (at: number): void => this.begin({ kind: 'array', at, end: at, items: [] });
  readonly onObjectEnd = (at: number): void => this.close(at);
  readonly onArrayEnd = (at: number): void => this.close(at);

  readonly onObjectProperty = (key: string, at: number): void => {
    this.key = { key: wellFormed(key, at), at };
  };

  readonly onLiteralValue = (value: unknown, at: number, length: number): void => {
    const node = scalar(value, { at, end: at + length });
    this.put(node);
    this.last = node;
  };

  readonly onSeparator = (character: string, at: number): void => {
    if (character === ',' && this.last !== undefined) this.last.comma = at;
  };

  readonly onError = (code: ParseErrorCode, at: number): void => {
    throw new JsonTextError(faultText(this.text, code, at), at);
  };

  private begin(node: Open): void {
    this.put(node);
    this.open.push(node);
  }

  private close(at: number): void {
    this.last = this.open.pop();
    if (this.last !== undefined) this.last.end = at + 1;
  }

  private put(node: JsonNode): void {
    if (this.open.length > FILE_LIMITS.switchboardDepth) throw new JsonTextError('nested too deeply', node.at);
    const into = this.open.at(-1);
    if (into === undefined) this.root = node;
    else if (into.kind === 'array') into.items.push(node);
    else {
      const member = { ...this.key, node };
      if (into.members.has(member.key)) into.repeated.push(member);
      into.members.set(member.key, member);
    }
  }
}

/** Parses a JSON text. Throws a JsonTextError at the first place where the text is not JSON. */
export const readJson = (text: string): JsonNode => {
  const builder = new Builder(text);
  // jsonc-parser does not know the byte order mark. A space in its place keeps all offsets the same.
  visit(text.replace(/^\uFEFF/, ' '), builder, { allowTrailingComma: true });
  if (builder.root === undefined) throw new JsonTextError('the text holds no value', 0);
  return builder.root;
};

/** The plain value of a parsed JSON node. Keys become own properties, even `__proto__`. */
export const plainValue = (node: JsonNode): unknown => {
  if (node.kind === 'array') return node.items.map(plainValue);
  if (node.kind !== 'object') return node.value;
  return Object.fromEntries([...node.members.values()].map(({ key, node: inner }) => [key, plainValue(inner)]));
};
