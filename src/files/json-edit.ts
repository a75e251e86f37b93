// Changes one member of a JSON text as a person would: comments, trailing commas, indent, line ends and a byte order mark stay as
// they are written. The result is read again; an edit that would mean something else than intended is not made.
import { isDeepStrictEqual } from 'node:util';
import { beginsLine, endOf, endOfLine, layoutOf, lineIndent, past } from './json-scan.js';
import { type JsonMember, type JsonObject, JsonTextError, plain, positionAt, readJson } from './json-text.js';

export class EditError extends Error {}

const inOrder = ({ members, repeated }: JsonObject): JsonMember[] =>
  [...members.values(), ...repeated].sort((a, b) => a.at - b.at);

const insert = (text: string, at: number, piece: string): string => text.slice(0, at) + piece + text.slice(at);

const valueText = (text: string, value: unknown, indent: string): string => {
  const { eol, unit } = layoutOf(text);
  return JSON.stringify(value, undefined, unit).replaceAll('\n', `${eol}${indent}`);
};

const intoEmpty = (text: string, object: JsonObject, key: string, value: unknown): string => {
  const { eol, unit } = layoutOf(text);
  const outer = lineIndent(text, object.at);
  const member = `${eol}${outer}${unit}${JSON.stringify(key)}: ${valueText(text, value, outer + unit)}`;
  const close = endOf(text, object.at) - 1;
  const isBare = /^\s*$/.test(text.slice(object.at + 1, close));
  if (isBare) return `${text.slice(0, object.at + 1)}${member}${eol}${outer}${text.slice(close)}`;
  const isOpen = /^[ \t]*\r?\n/.test(text.slice(object.at + 1));
  return insert(text, object.at + 1, isOpen ? member : `${member}${eol}${outer}`);
};

/** As the last member, with the indent of the others. */
const withMember = (text: string, object: JsonObject, key: string, value: unknown): string => {
  const last = inOrder(object).at(-1);
  if (last === undefined) return intoEmpty(text, object, key, value);
  const { eol, unit } = layoutOf(text);
  const outer = lineIndent(text, object.at);
  const indent = beginsLine(text, last.at) ? lineIndent(text, last.at) : outer + unit;
  const end = endOf(text, last.node.at);
  const comma = past(text, end);
  const hasComma = text[comma] === ',';
  const separated = hasComma ? text : insert(text, end, ',');
  const place = endOfLine(separated, hasComma ? comma + 1 : end + 1);
  const member = `${eol}${indent}${JSON.stringify(key)}: ${valueText(text, value, indent)}`;
  return insert(separated, place, `${member}${hasComma ? ',' : ''}`);
};

const withValue = (text: string, { at, node }: JsonMember, value: unknown): string =>
  text.slice(0, node.at) + valueText(text, value, lineIndent(text, at)) + text.slice(endOf(text, node.at));

/** From where a member is cut out: with its line, if it has one to itself. */
const cutFrom = (text: string, at: number): number => {
  if (!beginsLine(text, at)) return at;
  const lineFeed = text.lastIndexOf('\n', at - 1);
  if (lineFeed < 0) return at;
  return text[lineFeed - 1] === '\r' ? lineFeed - 1 : lineFeed;
};

const withoutMember = (text: string, object: JsonObject, member: JsonMember): string => {
  const members = inOrder(object);
  const end = endOf(text, member.node.at);
  const comma = past(text, end);
  const hasComma = text[comma] === ',';
  const cut = text.slice(0, cutFrom(text, member.at)) + text.slice(endOfLine(text, hasComma ? comma + 1 : end));
  const before = members[members.indexOf(member) - 1];
  if (hasComma || before === undefined) return cut;
  const extra = past(cut, endOf(cut, before.node.at));
  return cut[extra] === ',' ? cut.slice(0, extra) + cut.slice(extra + 1) : cut;
};

const readRoot = (text: string): JsonObject => {
  try {
    const root = readJson(text);
    if (root.kind === 'object') return root;
  } catch (thrown) {
    if (!(thrown instanceof JsonTextError)) throw thrown;
    const { line, column } = positionAt(text, thrown.at);
    throw new EditError(`the file is no JSON: ${thrown.message} (line ${line}, column ${column})`);
  }
  throw new EditError('the file holds no object');
};

const assertOnce = ({ repeated }: JsonObject, key: string): void => {
  if (repeated.some((member) => member.key === key)) throw new EditError(`${JSON.stringify(key)} is written twice`);
};

/** The object behind a key; undefined when there is none. */
const inner = (object: JsonObject, key: string): JsonObject | undefined => {
  assertOnce(object, key);
  const node = object.members.get(key)?.node;
  if (node !== undefined && node.kind !== 'object') throw new EditError(`${JSON.stringify(key)} is no object`);
  return node;
};

/** The last object on the way that is there, and how many keys lead to it. */
const deepest = (
  root: JsonObject,
  keys: readonly string[],
): { readonly object: JsonObject; readonly depth: number } => {
  let object = root;
  for (const [depth, key] of keys.entries()) {
    const next = inner(object, key);
    if (next === undefined) return { object, depth };
    object = next;
  }
  return { object, depth: keys.length };
};

/** What stands at the keys of a text, as plain values. */
export const readMembers = (text: string, keys: readonly string[]): Readonly<Record<string, unknown>> => {
  if (text.trim() === '') return {};
  const { object, depth } = deepest(readRoot(text), keys);
  return depth === keys.length ? (plain(object) as Record<string, unknown>) : {};
};

type Members = Record<string, unknown>;

/** The plain value with one member changed, missing objects made; undefined takes it out. */
const intended = (value: Members, [key = '', ...rest]: readonly string[], wanted: unknown): Members => {
  const { [key]: old, ...others } = value;
  if (rest.length > 0) return { ...value, [key]: intended((old ?? {}) as Members, rest, wanted) };
  return wanted === undefined ? others : { ...value, [key]: wanted };
};

/** Only what means exactly this is written. */
const checked = (edited: string, meant: unknown): string => {
  if (isDeepStrictEqual(plain(readRoot(edited)), meant)) return edited;
  throw new EditError('the file is written in a way that cannot be changed safely; edit it by hand');
};

const BYTE_ORDER_MARK = '\uFEFF';

const orBlank = (text: string | undefined): string => {
  if (text !== undefined && text.trim() !== '') return text;
  return text?.startsWith(BYTE_ORDER_MARK) ? `${BYTE_ORDER_MARK}{}\n` : '{}\n';
};

/** Sets the member that the path leads to. Objects on the way are made where they are missing. */
export const setMember = (text: string | undefined, path: readonly string[], value: unknown): string => {
  const start = orBlank(text);
  const root = readRoot(start);
  const { object, depth } = deepest(root, path.slice(0, -1));
  const [key = '', ...below] = path.slice(depth);
  assertOnce(object, key);
  const made = below.reduceRight<unknown>((value, name) => ({ [name]: value }), value);
  const member = object.members.get(key);
  const edited = member === undefined ? withMember(start, object, key, made) : withValue(start, member, made);
  return checked(edited, intended(plain(root) as Members, path, value));
};

/** Takes the member out; a text without it stays as it is. */
export const removeMember = (text: string, path: readonly string[]): string => {
  if (text.trim() === '') return text;
  const root = readRoot(text);
  const { object, depth } = deepest(root, path.slice(0, -1));
  const key = path.at(-1) ?? '';
  const member = depth === path.length - 1 ? object.members.get(key) : undefined;
  if (member === undefined) return text;
  assertOnce(object, key);
  return checked(withoutMember(text, object, member), intended(plain(root) as Members, path, undefined));
};
