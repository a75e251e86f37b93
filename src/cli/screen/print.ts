// What the commands put on the screen: results on stdout, everything else on stderr. Colours only where a terminal
// shows them; NO_COLOR is honoured by `hasColors`.
import { styleText } from 'node:util';
import { plain, plainBut } from '../../core/plain.js';
import { ColibriError } from '../../errors.js';
import { columnsOf, fitted } from './width.js';

export type Colour = 'green' | 'yellow' | 'red' | 'dim' | 'bold';

export const paint = (colour: Colour, text: string): string => {
  const { stdout } = process;
  return stdout.isTTY === true && stdout.hasColors() ? styleText(colour, text) : text;
};

/** The colours that `paint` makes, and nothing else that begins like them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are made of
const OWN_COLOUR = /(\u001b\[(?:1|2|22|31|32|33|39)m)/;

/**
 * The last look before a terminal: whoever forgot `plain` is caught here. Into a pipe goes what was made for it; a terminal gets no control
 * but line ends and our own colours.
 */
export const forTerminal = (text: string): string =>
  text
    .split(OWN_COLOUR)
    .map((part, at) => (at % 2 === 1 ? part : plainBut(part, '\n')))
    .join('');

const write = (stream: NodeJS.WriteStream, text: string): void => {
  stream.write(stream.isTTY === true ? forTerminal(text) : text);
};

/** A terminal gets lines that fit it. Several at once were laid out by whoever made them, and a pipe gets them as they are. */
const put = (stream: NodeJS.WriteStream, line: string): void => {
  const width = columnsOf(stream);
  const lines = width === undefined || line.includes('\n') ? [line] : fitted(line, width);
  write(stream, `${lines.join('\n')}\n`);
};

export const say = (line = ''): void => put(process.stdout, line);

/** For the person; a program that reads stdout does not see it. */
export const tell = (line: string): void => put(process.stderr, line);

/** A text as it is, with its own line ends: a file that goes to stdout. */
export const sayWhole = (text: string): void => write(process.stdout, text);

/** What will be copied or read by a program, in one line however long. */
export const sayExactly = (line: string): void => {
  write(process.stdout, `${line}\n`);
};

export const tellExactly = (line: string): void => {
  write(process.stderr, `${line}\n`);
};

/** Where a person reads along: stdout, unless a program reads that. */
export interface Out {
  readonly say: (line: string) => void;
  /** In one line however long. */
  readonly exactly: (line: string) => void;
}

export const outBeside = (json: true | undefined): Out =>
  json ? { say: tell, exactly: tellExactly } : { say, exactly: sayExactly };

/** What a store or a file holds may have been written to fool a terminal. */
export { plain };

/** Valid JSON with the same meaning; what `JSON.stringify` leaves as it is and a terminal obeys is written as an escape. */
const harmless = (json: string): string => json.split('\n').map(plain).join('\n');

export const sayJson = (value: unknown): void => sayExactly(harmless(JSON.stringify(value, null, 2)));

/** One value a line, for those who read along. */
export const sayJsonLine = (value: unknown): void => sayExactly(harmless(JSON.stringify(value)));

/** `the key is gone` → `the key is gone.`, so that a remedy can follow. */
export const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

export const oneLine = (thrown: unknown): string => {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const remedy = thrown instanceof ColibriError && thrown.remedy !== undefined ? ` ${thrown.remedy}` : '';
  return plain(`${sentence(message)}${remedy}`.replaceAll('\n', '; '));
};
