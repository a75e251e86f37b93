// CSV as RFC 4180 has it, for spreadsheets that take a text for a formula, and for whoever looks at it with a terminal. Pure.
import { plainBut } from '../../core/plain.js';

export type CsvCell = string | number | boolean | null | readonly unknown[];

/**
 * A text that begins with one of these is run by spreadsheets, the wide forms by some of them, or begins to be after
 * white space was cut off. An apostrophe in front makes it a text again; whoever needs the exact bytes takes JSON lines.
 */
const FORMULA = /^\s*[=+\-@\uff0b\uff0d\uff1d\uff20]|^[\t\r\n]/;

/** A table is read by people: of what is not seen, only these stay as they are. Quoted, they are part of a cell. */
const LAYOUT = '\n\t';

const textOf = (cell: CsvCell, kept: string): string => {
  if (cell === null) return '';
  if (typeof cell === 'number' || typeof cell === 'boolean') return String(cell); // -1 is a number and no formula
  const text = plainBut((typeof cell === 'string' ? cell : JSON.stringify(cell)).replaceAll('\r\n', '\n'), kept);
  return FORMULA.test(text) ? `'${text}` : text;
};

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** One line with its end. On a terminal nothing may look like another line. */
export const csvLine = (cells: readonly CsvCell[], isShown = false): string =>
  `${cells.map((cell) => quoted(textOf(cell, isShown ? '' : LAYOUT))).join(',')}\r\n`;
