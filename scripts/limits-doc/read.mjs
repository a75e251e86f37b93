// Reads the limits.ts files as text: their doc comments are what the document says, and a compiler drops them.
import { readdirSync, readFileSync } from 'node:fs';

const SRC = new URL('../../src/', import.meta.url);

const HEAD = /^((?:\/\/ [^\n]+\n)+)export const ([A-Z]+_LIMITS) = \{\n(.*)\} as const;\n$/s;
/** A blank line, a heading, or an entry with its doc comment if it has one. */
const PART =
  /\n|^ {2}\/\/ [^\n]*\n|^ {2}(?:\/\*\*((?:(?!\*\/).)*)\*\/\n {2})?([a-z]\w*): ([\d_.]+(?: \* [\d_.]+)*),\n/msy;

const product = (text) =>
  text
    .replaceAll('_', '')
    .split(' * ')
    .reduce((all, factor) => all * Number(factor), 1);

const sentence = (comment) => comment?.replaceAll(/\s*\n\s*\* ?/g, ' ').trim() ?? '';

/** The entries of the object; whatever is not understood is an error, so that nothing is left out. */
const entriesOf = (body, file) => {
  const entries = [];
  PART.lastIndex = 0;
  while (PART.lastIndex < body.length) {
    const at = PART.lastIndex;
    const [part, comment, name, value] = PART.exec(body) ?? [];
    if (part === undefined) throw new Error(`${file}: not an entry: ${body.slice(at).split('\n')[0]}`);
    if (name !== undefined) entries.push({ name, value: product(value), meaning: sentence(comment) });
  }
  return entries;
};

/** One limits.ts: whose bounds, the name of the object, its entries. */
export const readRoom = (text, file) => {
  const [, comment, object, body] = HEAD.exec(text) ?? [];
  if (object === undefined) throw new Error(`${file}: not a comment and one object`);
  const about = comment.replaceAll(/\n?\/\/ /g, ' ').trim();
  return { file, room: file.replace(/\/limits\.ts$/, ''), about, object, entries: entriesOf(body, file) };
};

/** All rooms, in the order of their names. */
export const readRooms = () =>
  readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /(^|\/)limits\.ts$/.test(path))
    .toSorted()
    .map((path) => readRoom(readFileSync(new URL(path, SRC), 'utf8'), `src/${path}`));
