// CSV as RFC 4180 has it, for spreadsheets that take a text for a formula. Pure.

export type Cell = string | number | boolean | null | readonly unknown[];

/**
 * A text that begins with one of these is run by spreadsheets, the wide forms by some of them, or begins to be after
 * white space was cut off. An apostrophe in front makes it a text again; whoever needs the exact bytes takes JSON lines.
 */
const FORMULA = /^\s*[=+\-@\uff0b\uff0d\uff1d\uff20]|^[\t\r\n]/;

const textOf = (cell: Cell): string => {
  if (cell === null) return '';
  if (typeof cell === 'number' || typeof cell === 'boolean') return String(cell); // -1 is a number and no formula
  const text = typeof cell === 'string' ? cell : JSON.stringify(cell);
  return FORMULA.test(text) ? `'${text}` : text;
};

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** One line with its end. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map((cell) => quoted(textOf(cell))).join(',')}\r\n`;
