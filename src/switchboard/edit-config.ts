// Adds and removes servers in a switchboard file as a person would: everything else, comments too, stays as it is written.
// The result is read again; an edit that would mean something else than intended is not made.
import { isDeepStrictEqual } from 'node:util';
import { type JsonMember, type JsonObject, JsonTextError, plain, readJson } from './json-text.js';

export class EditError extends Error {}

const STRING = /"(?:[^"\\]|\\.)*"/y;
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const SPACE = /[ \t\r\n\uFEFF]+/y;
const SCALAR = /[^\s,\]}/]+/y;

const matchAt = (pattern: RegExp, text: string, at: number): string | undefined => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
};

/** Where the value that begins at `at` ends. The text was read before, so brackets match. */
const endOf = (text: string, at: number): number => {
  let depth = 0;
  for (let offset = at; offset < text.length; ) {
    const skipped = matchAt(STRING, text, offset) ?? matchAt(COMMENT, text, offset);
    const char = text[offset] ?? '';
    if (depth === 0 && skipped === undefined && !'{['.includes(char)) {
      return offset + (matchAt(SCALAR, text, offset)?.length ?? 1);
    }
    if ('{['.includes(char)) depth += 1;
    if ('}]'.includes(char)) depth -= 1;
    offset += skipped?.length ?? 1;
    if (depth === 0) return offset;
  }
  return text.length;
};

/** The next place that is neither space nor comment. */
const past = (text: string, at: number): number => {
  let offset = at;
  for (;;) {
    const skipped = matchAt(SPACE, text, offset) ?? matchAt(COMMENT, text, offset);
    if (skipped === undefined) return offset;
    offset += skipped.length;
  }
};

const indentAt = (text: string, at: number): string => /[ \t]*$/.exec(text.slice(0, at))?.[0] ?? '';

const inOrder = ({ members, repeated }: JsonObject): JsonMember[] =>
  [...members.values(), ...repeated].sort((a, b) => a.at - b.at);

const written = (key: string, value: unknown, indent: string): string =>
  `${JSON.stringify(key)}: ${JSON.stringify(value, undefined, 2).replaceAll('\n', `\n${indent}`)}`;

const insert = (text: string, at: number, piece: string): string => text.slice(0, at) + piece + text.slice(at);

/** Behind a comment on the same line, which belongs to what stands before it. */
const endOfLine = (text: string, at: number): number => {
  const rest = /^[ \t]*(\/\/[^\n]*)?(?=\r?\n)/.exec(text.slice(at));
  return at + (rest?.[0].length ?? 0);
};

/** As the last member, with the indent of the others. */
const withMember = (text: string, object: JsonObject, key: string, value: unknown): string => {
  const last = inOrder(object).at(-1);
  if (last === undefined) {
    const outer = /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', object.at) + 1))?.[0] ?? '';
    const indent = `${outer}  `;
    return insert(text, object.at + 1, `\n${indent}${written(key, value, indent)}\n${outer}`);
  }
  const indent = indentAt(text, last.at);
  const end = endOf(text, last.node.at);
  const comma = past(text, end);
  const hasComma = text[comma] === ',';
  const separated = hasComma ? text : insert(text, end, ',');
  const place = endOfLine(separated, hasComma ? comma + 1 : end + 1);
  return insert(separated, place, `\n${indent}${written(key, value, indent)}${hasComma ? ',' : ''}`);
};

const withoutMember = (text: string, object: JsonObject, key: string): string => {
  const members = inOrder(object);
  const index = members.findIndex((member) => member.key === key);
  const member = members[index];
  if (member === undefined) return text;
  const end = endOf(text, member.node.at);
  const comma = past(text, end);
  const hasComma = text[comma] === ',';
  const lineStart = member.at - indentAt(text, member.at).length;
  const from = text[lineStart - 1] === '\n' ? lineStart - 1 : member.at;
  const cut = text.slice(0, from) + text.slice(endOfLine(text, hasComma ? comma + 1 : end));
  const before = members[index - 1];
  if (hasComma || before === undefined) return cut;
  const extra = past(cut, endOf(cut, before.node.at));
  return cut[extra] === ',' ? cut.slice(0, extra) + cut.slice(extra + 1) : cut;
};

const rootOf = (text: string): JsonObject => {
  try {
    const root = readJson(text);
    if (root.kind === 'object') return root;
  } catch (thrown) {
    if (!(thrown instanceof JsonTextError)) throw thrown;
    throw new EditError(`the file is no JSON: ${thrown.message}`);
  }
  throw new EditError('the file holds no object');
};

const serversOf = (root: JsonObject): JsonObject | undefined => {
  const node = root.members.get('mcpServers')?.node;
  if (node !== undefined && node.kind !== 'object') throw new EditError('"mcpServers" is no object');
  return node;
};

/** Only what means exactly this is written. */
const checked = (text: string, meant: unknown): string => {
  if (isDeepStrictEqual(plain(rootOf(text)), meant)) return text;
  throw new EditError('the file is written in a way that cannot be changed safely; edit it by hand');
};

type Servers = Record<string, unknown>;
type Root = Record<string, unknown> & { mcpServers?: Servers };

const BLANK = '{\n  "mcpServers": {}\n}\n';

export const addServer = (text: string | undefined, name: string, server: unknown): string => {
  const start = text === undefined || text.trim() === '' ? BLANK : text;
  const root = rootOf(start);
  const servers = serversOf(root);
  const before = plain(root) as Root;
  if (servers?.members.has(name)) throw new EditError(`there already is a server ${JSON.stringify(name)}`);
  const meant = { ...before, mcpServers: { ...before.mcpServers, [name]: server } };
  const edited =
    servers === undefined
      ? withMember(start, root, 'mcpServers', { [name]: server })
      : withMember(start, servers, name, server);
  return checked(edited, meant);
};

export const removeServer = (text: string, name: string): string => {
  const root = rootOf(text);
  const servers = serversOf(root);
  if (servers === undefined || !servers.members.has(name))
    throw new EditError(`there is no server ${JSON.stringify(name)}`);
  const before = plain(root) as Root;
  const { [name]: _gone, ...rest } = before.mcpServers ?? {};
  return checked(withoutMember(text, servers, name), { ...before, mcpServers: rest });
};
