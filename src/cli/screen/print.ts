// Prints the output of commands: results on stdout, everything else on stderr. Colours are used only on a terminal that shows them;
// `hasColors` honours NO_COLOR.
import { styleText } from 'node:util';
import { plain, plainBut } from '../../core/plain.js';
import { ColibriError } from '../../errors.js';
import { columnsOf, fitted } from './width.js';

export type Colour = 'green' | 'yellow' | 'red' | 'dim' | 'bold';

export const paint = (colour: Colour, text: string): string => {
  const { stdout } = process;
  return stdout.isTTY === true && stdout.hasColors() ? styleText(colour, text) : text;
};

/** Matches exactly the escape sequences that `paint` makes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are made of
const OWN_COLOUR = /(\u001b\[(?:1|2|22|31|32|33|39)m)/;

/**
 * Escapes all control characters but line ends and Colibri's own colours before a text goes to a terminal, in case a caller forgot
 * `plain`. A pipe gets the text unchanged.
 */
export const forTerminal = (text: string): string =>
  text
    .split(OWN_COLOUR)
    .map((part, at) => (at % 2 === 1 ? part : plainBut(part, '\n')))
    .join('');

const write = (stream: NodeJS.WriteStream, text: string): void => {
  stream.write(stream.isTTY === true ? forTerminal(text) : text);
};

/** Prints one line, wrapped on a terminal. A text of several lines was laid out by its caller: it stays as it is, like all text for a pipe. */
const put = (stream: NodeJS.WriteStream, line: string): void => {
  const width = columnsOf(stream);
  const lines = width === undefined || line.includes('\n') ? [line] : fitted(line, width);
  write(stream, `${lines.join('\n')}\n`);
};

export const say = (line = ''): void => put(process.stdout, line);

/** Prints a line on stderr: for the person, not for a program that reads stdout. */
export const tell = (line: string): void => put(process.stderr, line);

/** Prints a text, such as a file, unchanged and with its own line ends. */
export const sayWhole = (text: string): void => write(process.stdout, text);

/** Prints a line without wrapping, for text that is copied or read by a program. */
export const sayExactly = (line: string): void => write(process.stdout, `${line}\n`);
export const tellExactly = (line: string): void => write(process.stderr, `${line}\n`);

/** The functions that print text for people: to stdout, or to stderr if `--json` uses stdout. */
export interface Out {
  readonly say: (line: string) => void;
  /** Prints a line without wrapping. */
  readonly exactly: (line: string) => void;
}

export const outBeside = (json: true | undefined): Out =>
  json ? { say: tell, exactly: tellExactly } : { say, exactly: sayExactly };

/** `plain` escapes control characters: text from a store or a file may contain terminal commands. */
export { plain };

/** The JSON text, with those control characters escaped that `JSON.stringify` leaves. */
const harmless = (json: string): string => json.split('\n').map(plain).join('\n');

export const sayJson = (value: unknown): void => sayExactly(harmless(JSON.stringify(value, null, 2)));

/** Prints an answer: as JSON for a program, or its lines for a person. */
export const sayAnswer = (json: true | undefined, value: unknown, lines: () => readonly string[]): void => {
  if (json) sayJson(value);
  else for (const line of lines()) say(line);
};

/** Prints a value as JSON on one line, for a program that follows the output. */
export const sayJsonLine = (value: unknown): void => sayExactly(harmless(JSON.stringify(value)));

/** The text with a final full stop added if it is missing, so that a remedy can follow. */
export const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

export const oneLine = (thrown: unknown): string => {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const remedy = thrown instanceof ColibriError && thrown.remedy !== undefined ? ` ${thrown.remedy}` : '';
  return plain(`${sentence(message)}${remedy}`.replaceAll('\n', '; '));
};
