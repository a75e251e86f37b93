// Changes one member of a JSON text as a person would: comments, trailing commas, indentation, line ends and a byte order mark are kept.
// The result is parsed again, and an edit that would mean something else is refused. The positions of edits are computed here, because
// `modify` of jsonc-parser drops the comments between two members and reformats the lines that it touches.
import { isDeepStrictEqual } from 'node:util';
import { applyEdits, type Edit } from 'jsonc-parser';
import { type JsonMember, JsonTextError, type ObjectNode, plainValue, positionAt, readJson } from './json-text.js';
import { FileRefused } from './untrusted-file.js';

/** Why a text is not changed, in words for a person. */
export class EditError extends FileRefused {}

/** The spaces at the start of the line that holds the offset `at`. */
const lineIndent = (text: string, at: number): string =>
  /^\uFEFF?([ \t]*)/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1, at))?.[1] ?? '';

const beginsLine = (text: string, at: number): boolean =>
  /^[ \t]*$/.test(text.slice(text.lastIndexOf('\n', at - 1) + 1, at));

/** The line ends and the indentation of a JSON text, guessed from their first occurrence. */
const layoutOf = (text: string): { readonly eol: string; readonly unit: string } => ({
  eol: /\r?\n/.exec(text)?.[0] ?? '\n',
  unit: /^[ \t]+(?=")/m.exec(text)?.[0] ?? '  ',
});

/** The offset after the comments on the same line, which belong to the value before them. */
const endOfLine = (text: string, at: number): number => {
  const rest = /^[ \t]*(?:\/\*(?:(?!\*\/)[^\r\n])*\*\/[ \t]*)*(?:\/\/[^\r\n]*)?(?=\r?\n)/.exec(text.slice(at));
  return at + (rest?.[0].length ?? 0);
};

const inOrder = ({ members, repeated }: ObjectNode): JsonMember[] =>
  [...members.values(), ...repeated].sort((a, b) => a.at - b.at);

const insertion = (offset: number, content: string): Edit => ({ offset, length: 0, content });

const cut = (from: number, to: number): Edit => ({ offset: from, length: to - from, content: '' });

const valueText = (text: string, value: unknown, indent: string): string => {
  const { eol, unit } = layoutOf(text);
  return JSON.stringify(value, undefined, unit).replaceAll('\n', `${eol}${indent}`);
};

const intoEmpty = (text: string, { at, end }: ObjectNode, key: string, value: unknown): Edit[] => {
  const { eol, unit } = layoutOf(text);
  const outer = lineIndent(text, at);
  const member = `${eol}${outer}${unit}${JSON.stringify(key)}: ${valueText(text, value, outer + unit)}`;
  const inside = text.slice(at + 1, end - 1);
  if (/^\s*$/.test(inside)) return [{ ...cut(at + 1, end - 1), content: `${member}${eol}${outer}` }];
  const isOpen = /^[ \t]*\r?\n/.test(inside);
  return [insertion(at + 1, isOpen ? member : `${member}${eol}${outer}`)];
};

/** The edits that add a last member to an object, indented like the other members. */
const withMember = (text: string, object: ObjectNode, key: string, value: unknown): Edit[] => {
  const last = inOrder(object).at(-1);
  if (last === undefined) return intoEmpty(text, object, key, value);
  const { eol, unit } = layoutOf(text);
  const indent = beginsLine(text, last.at) ? lineIndent(text, last.at) : lineIndent(text, object.at) + unit;
  const member = `${eol}${indent}${JSON.stringify(key)}: ${valueText(text, value, indent)}`;
  const { end, comma } = last.node;
  if (comma !== undefined) return [insertion(endOfLine(text, comma + 1), `${member},`)];
  return [insertion(end, ','), insertion(endOfLine(text, end), member)];
};

const withValue = (text: string, { at, node }: JsonMember, value: unknown): Edit[] => [
  { ...cut(node.at, node.end), content: valueText(text, value, lineIndent(text, at)) },
];

/** The offset from which a member is removed. For a member that is the first on its line: the line end before that line. */
const cutFrom = (text: string, at: number): number => {
  if (!beginsLine(text, at)) return at;
  const lineFeed = text.lastIndexOf('\n', at - 1);
  if (lineFeed < 0) return at;
  return text[lineFeed - 1] === '\r' ? lineFeed - 1 : lineFeed;
};

/** The edits that remove a member from an object. With the last member, the comma before it is removed too. */
const withoutMember = (text: string, object: ObjectNode, member: JsonMember): Edit[] => {
  const members = inOrder(object);
  const { end, comma } = member.node;
  const taken = cut(cutFrom(text, member.at), endOfLine(text, comma === undefined ? end : comma + 1));
  const before = members[members.indexOf(member) - 1]?.node.comma;
  return comma !== undefined || before === undefined ? [taken] : [cut(before, before + 1), taken];
};

const readRoot = (text: string): ObjectNode => {
  try {
    const root = readJson(text);
    if (root.kind === 'object') return root;
  } catch (thrown) {
    if (!(thrown instanceof JsonTextError)) throw thrown;
    const { line, column } = positionAt(text, thrown.at);
    throw new EditError(`the file is not valid JSON: ${thrown.message} (line ${line}, column ${column})`);
  }
  throw new EditError('the file does not hold a JSON object');
};

const assertOnce = ({ repeated }: ObjectNode, key: string): void => {
  if (repeated.some((member) => member.key === key)) throw new EditError(`${JSON.stringify(key)} is written twice`);
};

/** The object at a key of an object; undefined if the key is missing. */
const inner = (object: ObjectNode, key: string): ObjectNode | undefined => {
  assertOnce(object, key);
  const node = object.members.get(key)?.node;
  if (node !== undefined && node.kind !== 'object') throw new EditError(`${JSON.stringify(key)} is not an object`);
  return node;
};

/** Follows the keys as far as objects exist. Returns the last object, and how many keys lead to it. */
const deepest = (
  root: ObjectNode,
  keys: readonly string[],
): { readonly object: ObjectNode; readonly depth: number } => {
  let object = root;
  for (const [depth, key] of keys.entries()) {
    const next = inner(object, key);
    if (next === undefined) return { object, depth };
    object = next;
  }
  return { object, depth: keys.length };
};

/** The members of the object at the given keys of a JSON text, as plain values. */
export const readMembers = (text: string, keys: readonly string[]): Readonly<Record<string, unknown>> => {
  if (text.trim() === '') return {};
  const { object, depth } = deepest(readRoot(text), keys);
  return depth === keys.length ? (plainValue(object) as Record<string, unknown>) : {};
};

type Members = Record<string, unknown>;

/** The value with the member at a path changed and missing objects created; if `wanted` is undefined, the member is removed. */
const intended = (value: Members, [key = '', ...rest]: readonly string[], wanted: unknown): Members => {
  const { [key]: old, ...others } = value;
  if (rest.length > 0) return { ...value, [key]: intended((old ?? {}) as Members, rest, wanted) };
  return wanted === undefined ? others : { ...value, [key]: wanted };
};

/** Applies the edits to a JSON text, and throws unless the result parses to exactly the intended value. */
const checked = (text: string, edits: Edit[], meant: unknown): string => {
  const edited = applyEdits(text, edits);
  if (isDeepStrictEqual(plainValue(readRoot(edited)), meant)) return edited;
  throw new EditError('the file is written in a way that cannot be changed safely; edit it by hand');
};

const BYTE_ORDER_MARK = '\uFEFF';

const orBlank = (text: string | undefined): string => {
  if (text !== undefined && text.trim() !== '') return text;
  return text?.startsWith(BYTE_ORDER_MARK) ? `${BYTE_ORDER_MARK}{}\n` : '{}\n';
};

/** A JSON text with the member at a path set; missing objects on the way are created. */
export const setMember = (text: string | undefined, path: readonly string[], value: unknown): string => {
  const start = orBlank(text);
  const root = readRoot(start);
  const { object, depth } = deepest(root, path.slice(0, -1));
  const [key = '', ...below] = path.slice(depth);
  assertOnce(object, key);
  const made = below.reduceRight<unknown>((value, name) => ({ [name]: value }), value);
  const member = object.members.get(key);
  const edits = member === undefined ? withMember(start, object, key, made) : withValue(start, member, made);
  return checked(start, edits, intended(plainValue(root) as Members, path, value));
};

/** A JSON text without the member at a path; a text that has no such member is returned unchanged. */
export const removeMember = (text: string, path: readonly string[]): string => {
  if (text.trim() === '') return text;
  const root = readRoot(text);
  const { object, depth } = deepest(root, path.slice(0, -1));
  const key = path.at(-1) ?? '';
  const member = depth === path.length - 1 ? object.members.get(key) : undefined;
  if (member === undefined) return text;
  assertOnce(object, key);
  return checked(text, withoutMember(text, object, member), intended(plainValue(root) as Members, path, undefined));
};
