// Measures how many columns a text takes on a terminal, and cuts or wraps texts to fit. Where terminals disagree, the wider result is
// assumed: cutting a line early does less harm than an unexpected wrap.
import { readEnv } from '../../config.js';

/** Characters that take two columns: Unicode's East Asian Width W and F, and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18d08}\u{1aff0}-\u{1b2fb}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;
/** Characters that take no column: combining marks and invisible characters. */
const ZERO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;
/** The variation selector that turns the character before it into an emoji, which takes one column more. */
const AS_PICTURE = '\ufe0f';
const ASCII = /^[ -~]*$/;

const widthOfChar = (char: string): number => {
  if (char === AS_PICTURE) return 1;
  if (WIDE.test(char)) return 2;
  return ZERO_WIDTH.test(char) ? 0 : 1;
};

/** The columns that a text takes. The text must not contain control characters: call `plain` first. */
export const widthOf = (text: string): number => {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const char of text) width += widthOfChar(char);
  return width;
};

/** The beginning of a text, at most `width` columns wide. */
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

/** The text, or if the text is too wide, its beginning and an ellipsis. */
export const cut = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text;
  return width < 1 ? '' : `${beginning(text, width - 1).trimEnd()}${MORE}`;
};

export const padded = (text: string, width: number, right = false): string => {
  const room = ' '.repeat(Math.max(0, width - widthOf(text)));
  return right ? `${room}${text}` : `${text}${room}`;
};

/** The position to break a line that is too long: at a space if there is one in its second half. */
const breakAt = (text: string, most: number): number => {
  const space = text[most] === ' ' ? most : text.lastIndexOf(' ', most);
  return space > most / 2 ? space : most;
};

/** Wraps a text into lines that fit. This is a generator, so that a text of megabytes is processed only as far as needed. */
export function* wrapped(text: string, width: number): Generator<string> {
  let rest = text;
  do {
    const { length } = beginning(rest, width);
    const end = length === rest.length ? length : breakAt(rest, Math.max(1, length));
    yield rest.slice(0, end).trimEnd();
    rest = rest.slice(end).trimStart();
  } while (rest !== '');
}

/** Colibri's colour sequences, which take no columns. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are made of
const COLOUR = /\u001b\[\d+m/g;
const shownWidth = (text: string): number => widthOf(text.replace(COLOUR, ''));

const isBlank = (text: string): boolean => text.replace(COLOUR, '').trim() === '';

/** The indent of the lines that continue a wrapped line: below its second column, or two more than its own indent. */
const hanging = (line: string, width: number): string => {
  const bare = line.replace(COLOUR, '');
  const [columns = ''] = /^.*\S {2,}(?=\S)/.exec(bare.slice(0, Math.ceil(width / 2))) ?? [];
  if (columns !== '') return ' '.repeat(widthOf(columns));
  const [indent = ''] = /^ */.exec(bare) ?? [];
  return indent === '' ? '' : `${indent}  `;
};

/**
 * Breaks a line at spaces to fit a width. A word that is wider than the screen stays whole: the terminal breaks the word, which can
 * still be copied.
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

/** The width that is assumed for a terminal that does not report one. */
const USUAL = 80;
/** The least width: narrower terminals are treated as this wide. */
const LEAST = 40;

/** The width of a terminal; undefined if the stream is not a terminal, or does not report its width. */
export const columnsOf = ({ isTTY, columns }: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>): number | undefined =>
  isTTY === true && columns > 0 ? Math.max(LEAST, columns) : undefined;

/** The width that the environment variable COLUMNS asks for; undefined if its value is not a number. */
const columnsWanted = (): number | undefined => {
  const said = readEnv().COLUMNS ?? '';
  return /^[1-9]\d{0,4}$/.test(said) ? Math.max(LEAST, Number(said)) : undefined;
};

/** The width for tables and wrapped text. For a pipe it is infinite, so that nothing is cut or wrapped, unless COLUMNS is set. */
export const screenWidth = (): number => {
  const { stdout } = process;
  return columnsOf(stdout) ?? columnsWanted() ?? (stdout.isTTY === true ? USUAL : Number.POSITIVE_INFINITY);
};
