// How many columns a text takes on a terminal, and how to make it fit. Where terminals disagree the wider answer is
// given: a line that is cut early is still a line, one that wraps is two.
import { readEnv } from '../../config.js';

/** Unicode's East Asian Width W and F, and what is shown as a picture. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18d08}\u{1aff0}-\u{1b2fb}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;
/** Marks on the character before them, and what is not shown at all. */
const NOTHING = /[\p{Mn}\p{Me}\p{Cf}]/u;
/** Makes a picture of the character before it: one column more. */
const AS_PICTURE = '\ufe0f';
const ASCII = /^[ -~]*$/;

const widthOfChar = (char: string): number => {
  if (char === AS_PICTURE) return 1;
  if (WIDE.test(char)) return 2;
  return NOTHING.test(char) ? 0 : 1;
};

/** Of text without controls: `plain` comes first. */
export const widthOf = (text: string): number => {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const char of text) width += widthOfChar(char);
  return width;
};

/** The beginning of a text that takes at most so many columns. */
const beginning = (text: string, width: number): string => {
  let [taken, end] = [0, 0];
  for (const char of text) {
    taken += widthOfChar(char);
    if (taken > width) break;
    end += char.length;
  }
  return text.slice(0, end);
};

const MORE = '…';

/** The text, or as much of it as fits with a sign that there was more. */
export const cut = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text;
  return width < 1 ? '' : `${beginning(text, width - 1).trimEnd()}${MORE}`;
};

export const padded = (text: string, width: number, right = false): string => {
  const room = ' '.repeat(Math.max(0, width - widthOf(text)));
  return right ? `${room}${text}` : `${text}${room}`;
};

/** Where a line that is too long ends: at a space if there is one in its second half. */
const breakAt = (text: string, most: number): number => {
  const space = text[most] === ' ' ? most : text.lastIndexOf(' ', most);
  return space > most / 2 ? space : most;
};

/** A text in lines that fit. Looks no further than it is asked to: a text may be megabytes. */
export function* wrapped(text: string, width: number): Generator<string> {
  let rest = text;
  do {
    const { length } = beginning(rest, width);
    const end = length === rest.length ? length : breakAt(rest, Math.max(1, length));
    yield rest.slice(0, end).trimEnd();
    rest = rest.slice(end).trimStart();
  } while (rest !== '');
}

/** Colours of our own take no columns. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are made of
const COLOUR = /\u001b\[\d+m/g;
const shownWidth = (text: string): number => widthOf(text.replace(COLOUR, ''));

const isBlank = (text: string): boolean => text.replace(COLOUR, '').trim() === '';

/** A second column goes on under itself, a list under its words. */
const hanging = (line: string, width: number): string => {
  const bare = line.replace(COLOUR, '');
  const [columns = ''] = /^.*\S {2,}(?=\S)/.exec(bare.slice(0, Math.ceil(width / 2))) ?? [];
  if (columns !== '') return ' '.repeat(widthOf(columns));
  const [indent = ''] = /^ */.exec(bare) ?? [];
  return indent === '' ? '' : `${indent}  `;
};

/**
 * A line as a terminal of that width shows it: broken at spaces. A word that is wider than the screen stays whole: the
 * terminal breaks it, and it can still be copied.
 */
export const fitted = (line: string, width: number): string[] => {
  if (shownWidth(line) <= width) return [line];
  const indents = [hanging(line, width), '  '];
  const [first = '', ...words] = line.split(' ');
  const lines: string[] = [];
  let current = first;
  for (const word of words) {
    const longer = `${current} ${word}`;
    if (isBlank(current) || shownWidth(longer) <= width) current = longer;
    else {
      lines.push(current.trimEnd());
      const indent = indents.find((one) => shownWidth(word) + one.length <= width) ?? '';
      current = `${indent}${word}`;
    }
  }
  return [...lines, current];
};

/** Of a terminal that does not say how wide it is: what every one has. */
const USUAL = 80;
/** Below this nothing can be laid out. */
const LEAST = 40;

/** Undefined: no terminal, or one that does not know. */
export const columnsOf = ({ isTTY, columns }: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>): number | undefined =>
  isTTY === true && columns > 0 ? Math.max(LEAST, columns) : undefined;

/** COLUMNS, where it is a number: how wide whoever reads the pipe wants it. */
const columnsSaid = (): number | undefined => {
  const said = readEnv().COLUMNS ?? '';
  return /^[1-9]\d{0,4}$/.test(said) ? Math.max(LEAST, Number(said)) : undefined;
};

/** For what is laid out. A pipe has no end: nothing is cut and nothing is broken there, unless COLUMNS says so. */
export const screenWidth = (): number => {
  const { stdout } = process;
  return columnsOf(stdout) ?? columnsSaid() ?? (stdout.isTTY === true ? USUAL : Number.POSITIVE_INFINITY);
};
