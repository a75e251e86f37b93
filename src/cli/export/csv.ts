// Writes CSV by RFC 4180. Texts that a spreadsheet would run as a formula and characters that a terminal would obey are made harmless.
import { plainBut } from '../../core/plain.js';

export type CsvCell = string | number | boolean | null | readonly unknown[];

/**
 * Spreadsheets run a text that begins with one of these, even after white space; some also run the wide forms. An apostrophe
 * in front makes it a text again; JSON lines have the exact bytes.
 */
const FORMULA = /^\s*[=+\-@\uff0b\uff0d\uff1d\uff20]|^[\t\r\n]/;

/** The only invisible characters that stay as they are; in a quoted cell they do not end it. */
const LAYOUT = '\n\t';

const textOf = (cell: CsvCell, kept: string): string => {
  if (cell === null) return '';
  if (typeof cell === 'number' || typeof cell === 'boolean') return String(cell); // -1 is a number, not a formula
  const text = plainBut((typeof cell === 'string' ? cell : JSON.stringify(cell)).replaceAll('\r\n', '\n'), kept);
  return FORMULA.test(text) ? `'${text}` : text;
};

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** One line with its line end. On a terminal (`isShown`) cells keep no line breaks, which could look like further rows. */
export const csvLine = (cells: readonly CsvCell[], isShown = false): string =>
  `${cells.map((cell) => quoted(textOf(cell, isShown ? '' : LAYOUT))).join(',')}\r\n`;
