// Finds the tables in a TOML text and changes one table; every other byte stays. A parser reads the text before and after, and
// an edit that changes anything else is refused.
import { isDeepStrictEqual } from 'node:util';
import { parse, stringify, TomlError } from 'smol-toml';
import { EditError } from '../files/json-edit.js';

type Values = Record<string, unknown>;

const BYTE_ORDER_MARK = /^\uFEFF/;

export const readToml = (text: string): Values => {
  try {
    return parse(text.replace(BYTE_ORDER_MARK, ''));
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    throw new EditError(`the file is not valid TOML (line ${thrown.line}, column ${thrown.column})`);
  }
};

interface Table {
  readonly keys: readonly string[];
  /** The position of the first character of the table's header line. */
  readonly from: number;
  /** The end of the table's last statement; comments and empty lines after it belong to the next table. */
  to: number;
}

// Sticky regular expressions for every TOML token that may contain a bracket or a line end.
const HIDING =
  /"""(?:[^"\\]|\\[\s\S]|"(?!""))*"""(?:"{0,2})|'''[\s\S]*?'''(?:'{0,2})|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*/y;
const HEADER = /[ \t]*\[\[?([^\n]*)/y;
const EMPTY = /[ \t\r]*(?:#[^\n]*)?(?:\n|$)/y;
const KEY = /[ \t]*(?:([A-Za-z0-9_-]+)|("(?:[^"\\]|\\.)*")|'([^']*)')[ \t]*([.\]])/y;

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(text);
};

/** The position after the line end of the statement that begins at `at`. */
const statementEnd = (text: string, at: number): number => {
  let depth = 0;
  for (let offset = at; offset < text.length; ) {
    const hidden = matchAt(HIDING, text, offset)?.[0];
    const char = text[offset] ?? '';
    if (hidden === undefined && '[{'.includes(char)) depth += 1;
    if (hidden === undefined && ']}'.includes(char)) depth -= 1;
    offset += hidden?.length ?? 1;
    if (hidden === undefined && char === '\n' && depth <= 0) return offset;
  }
  return text.length;
};

const keysOf = (header: string): string[] => {
  const keys: string[] = [];
  for (let offset = 0; ; ) {
    const found = matchAt(KEY, header, offset);
    if (found === null) return keys;
    const [whole, bare, quoted, literal, next] = found;
    keys.push(bare ?? literal ?? (JSON.parse(quoted ?? '""') as string));
    if (next === ']') return keys;
    offset += whole.length;
  }
};

const tablesOf = (text: string): readonly Table[] => {
  const tables: Table[] = [];
  for (let offset = BYTE_ORDER_MARK.test(text) ? 1 : 0; offset < text.length; ) {
    const empty = matchAt(EMPTY, text, offset)?.[0];
    const header = empty === undefined ? matchAt(HEADER, text, offset)?.[1] : undefined;
    const end = empty === undefined ? statementEnd(text, offset) : offset + empty.length;
    const last = tables.at(-1);
    if (header !== undefined) tables.push({ keys: keysOf(header), from: offset, to: end });
    else if (empty === undefined && last !== undefined) last.to = end;
    if (end <= offset) break;
    offset = end;
  }
  return tables;
};

/** Writes a TOML table, with the tables inside it below. */
export const tomlTable = (keys: readonly string[], value: object, eol = '\n'): string =>
  stringify(keys.reduceRight<object>((inner, key) => ({ [key]: inner }), value)).replaceAll('\n', eol);

const eolOf = (text: string): string => /\r?\n/.exec(text)?.[0] ?? '\n';

const isBelow = (table: Table, keys: readonly string[]): boolean =>
  keys.every((key, depth) => table.keys[depth] === key);

/** Removes a table and the empty line before the table from the text. */
const cut = (text: string, { from, to }: Table): string => {
  const before = text.slice(0, from);
  const isSpaced = /(^|\n)[ \t]*\r?\n$/.test(before);
  return (isSpaced ? before.replace(/[ \t]*\r?\n$/, '') : before) + text.slice(to);
};

const intended = (values: Values, [key = '', ...rest]: readonly string[], wanted: unknown): Values => {
  const { [key]: old, ...others } = values;
  if (rest.length > 0) return { ...values, [key]: intended((old ?? {}) as Values, rest, wanted) };
  return wanted === undefined ? others : { ...values, [key]: wanted };
};

/** Removes empty tables from a parsed value: without the tables inside them, TOML no longer mentions them. */
const withoutEmpty = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  const kept = Object.entries(value).map(([key, inner]) => [key, withoutEmpty(inner)] as const);
  return Object.fromEntries(kept.filter(([, inner]) => !isDeepStrictEqual(inner, {})));
};

const checked = (edited: string, meant: Values): string => {
  if (isDeepStrictEqual(withoutEmpty(readToml(edited)), withoutEmpty(meant))) return edited;
  throw new EditError('the file is written in a way that cannot be changed safely; edit it by hand');
};

const append = (text: string, table: string): string => {
  const eol = eolOf(text);
  if (text.replace(BYTE_ORDER_MARK, '').trim() === '') return text + table;
  return `${text}${text.endsWith('\n') ? '' : eol}${eol}${table}`;
};

/**
 * Replaces the table at `keys`, or adds a new table at the end of the text. If `value` is undefined, removes the table and all tables
 * below it.
 */
export const setTable = (text: string | undefined, keys: readonly string[], value: object | undefined): string => {
  const start = text ?? '';
  const before = readToml(start);
  const own = tablesOf(start).filter((table) => isBelow(table, keys));
  const [first, ...others] = own;
  const table = value && tomlTable(keys, value, eolOf(start));
  const thinned = others.toReversed().reduce(cut, start);
  if (first === undefined) {
    return checked(table === undefined ? start : append(start, table), intended(before, keys, value));
  }
  const edited =
    table === undefined ? cut(thinned, first) : thinned.slice(0, first.from) + table + thinned.slice(first.to);
  return checked(edited, intended(before, keys, value));
};
