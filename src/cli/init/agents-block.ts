// Adds and removes Colibri's section of AGENTS.md or CLAUDE.md, which stands between two marks. The text outside the marks stays.
import { EditError } from '../../files/json-edit.js';

const BEGIN = '<!-- colibri:begin -->';
const END = '<!-- colibri:end -->';

/** The section that `init` writes for agents: the most important of Colibri's own instructions, because some clients do not pass a server's instructions on to the model. */
export const AGENTS_TEXT = `${BEGIN}
## Colibri

The MCP server \`colibri\` keeps this project's task queue and a record of every call made through it.

- To work, take a task: \`task_next_actions\` with \`claim_by\` (your name). New work: \`task_create\` first.
- Move it with \`task_update\`, one state at a time, and say why in \`note\`. Pass the \`lease_token\` you got.
- A decision beyond that: \`thought_record\`.
- A refusal says why and what helps: make the calls in \`details.next\`, do not repeat the refused one.
${END}`;

const placeOf = (text: string) => {
  const [begins, ends] = [BEGIN, END].map((mark) => text.split(mark).length - 1);
  if (begins === 0 && ends === 0) return undefined;
  const from = text.indexOf(BEGIN);
  const to = text.indexOf(END) + END.length;
  if (begins !== 1 || ends !== 1 || to < from + BEGIN.length) {
    throw new EditError('the marks colibri:begin and colibri:end must each appear once, in this order; repair them');
  }
  return { from, to };
};

/** Colibri's section of a text, with its marks; undefined if there is none. */
export const blockIn = (text: string): string | undefined => {
  const place = placeOf(text);
  return place && text.slice(place.from, place.to);
};

const inLineEndsOf = (text: string, block: string): string =>
  /\r\n/.test(text) ? block.replaceAll(/\r?\n/g, '\r\n') : block;

/** Appends Colibri's section to a text, or replaces the existing section. */
export const withBlock = (text: string | undefined, block: string): string => {
  if (text === undefined || text.replace(/^\uFEFF/, '').trim() === '')
    return `${text?.startsWith('\uFEFF') ? '\uFEFF' : ''}${block}\n`;
  const place = placeOf(text);
  const made = inLineEndsOf(text, block);
  if (place !== undefined) return text.slice(0, place.from) + made + text.slice(place.to);
  const eol = /\r\n/.test(text) ? '\r\n' : '\n';
  return `${text}${text.endsWith('\n') ? '' : eol}${eol}${made}${eol}`;
};

/** Removes Colibri's section and the empty line before it. */
export const withoutBlock = (text: string): string => {
  const place = placeOf(text);
  if (place === undefined) return text;
  const before = text.slice(0, place.from).replace(/(\r?\n)\r?\n$/, '$1');
  return before + text.slice(place.to).replace(/^\r?\n/, '');
};
