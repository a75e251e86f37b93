// Writes CSV (RFC 4180). Makes harmless: texts that a spreadsheet would run as a formula, and control characters for a terminal.
import { plainBut } from '../../core/plain.js';

export type CsvCell = string | number | boolean | null | readonly unknown[];

/**
 * Spreadsheets run a text as a formula if it begins with =, +, - or @, even after white space, or with a tab or a line break; some
 * also take the full-width forms of these signs. Such a text gets an apostrophe in front, which makes it plain text. JSON
 * lines are exported unchanged.
 */
const FORMULA = /^\s*[=+\-@\uff0b\uff0d\uff1d\uff20]|^[\t\r\n]/;

/** The only control characters that stay unchanged in a cell, line feed and tab: they do not end a quoted cell. */
const LAYOUT = '\n\t';

const textOf = (cell: CsvCell, kept: string): string => {
  if (cell === null) return '';
  if (typeof cell === 'number' || typeof cell === 'boolean') return String(cell); // -1 is a number, not a formula
  const text = plainBut((typeof cell === 'string' ? cell : JSON.stringify(cell)).replaceAll('\r\n', '\n'), kept);
  return FORMULA.test(text) ? `'${text}` : text;
};

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** One CSV line with its line end. For a terminal (`isShown`) line breaks inside cells are replaced, because they look like rows. */
export const csvLine = (cells: readonly CsvCell[], isShown = false): string =>
  `${cells.map((cell) => quoted(textOf(cell, isShown ? '' : LAYOUT))).join(',')}\r\n`;
