// Formats tables: columns are as wide as their contents, and are cut if the screen is too narrow.
import { type Colour, paint } from './print.js';
import { cut, widthOf } from './width.js';

export interface Column {
  readonly title: string;
  /** If true, the cells are right-aligned, as numbers are. */
  readonly right?: true;
  /** The least width (columns of the screen) that the column may be cut down to. */
  readonly least?: number;
  /** Beyond this width the column gives way before any other does: one very long cell shall not cost the others theirs. */
  readonly most?: number;
  /** When the column gives way on a narrow screen: those with a lower number first, among equals the widest. 0 if left out. */
  readonly gives?: number;
  readonly colour?: (cell: string) => Colour | undefined;
  /** The beginning of a cell that is shown whole, however narrow the screen is. */
  readonly keeps?: (cell: string) => string;
}

/** The texts of one row of a table, one for each column. They contain no control characters and no colours. */
export type Cells = readonly string[];

const GAP = '  ';

const total = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1);

/** Narrows columns that may be cut, one screen column at a time, until the line fits: in the order in which they give way, the widest first. */
const shrink = (
  columns: readonly Column[],
  widths: readonly number[],
  least: readonly number[],
  width: number,
): readonly number[] => {
  const shrunk = [...widths];
  const orders = [...new Set(columns.map(({ gives = 0 }) => gives))].toSorted((a, b) => a - b);
  let excess = total(shrunk) - width;
  for (const order of orders) {
    for (; excess > 0; excess--) {
      const room = shrunk.map((own, i) => ((columns[i]?.gives ?? 0) === order && own > (least[i] ?? own) ? own : 0));
      const widest = Math.max(...room);
      if (widest === 0) break;
      shrunk[room.indexOf(widest)] = widest - 1;
    }
  }
  return shrunk;
};

/** The least width that columns may shrink to on a very narrow screen. */
const VERY_LEAST = 3;

export const columnWidths = (columns: readonly Column[], rows: readonly Cells[], width: number): readonly number[] => {
  const widest = (i: number, part: (cell: string) => string): number =>
    Math.max(0, ...rows.map((row) => widthOf(part(row[i] ?? ''))));
  const natural: readonly number[] = columns.map(({ title }, i) => Math.max(widthOf(title), widest(i, String)));
  /** The widths below which no column goes, if those that may be cut go down to `most`. */
  const bounds = (most: (least: number) => number): readonly number[] =>
    columns.map(({ least, keeps }, i) =>
      least === undefined ? (natural[i] ?? 0) : Math.max(most(least), keeps === undefined ? 0 : widest(i, keeps)),
    );
  const first = columns.map(({ most }, i) => most ?? natural[i] ?? 0);
  const [some, last] = [bounds((least) => least), bounds(() => VERY_LEAST)];
  return [first, some, last].reduce((widths, least) => shrink(columns, widths, least, width), natural);
};

/** The cell if it fits, else its beginning: never less than the part that the column keeps. */
const shortened = (cell: string, width: number, keeps: Column['keeps']): string => {
  const text = cut(cell, width);
  const kept = keeps?.(cell);
  return kept === undefined || text === cell || text.startsWith(kept) ? text : cut(kept, width);
};

/** How many blanks stand to the right of a cell, before the next text begins: a cell that is too wide may run on over them. */
const blanksAfter = (columns: readonly Column[], widths: readonly number[], cells: Cells, at: number): number => {
  let blanks = 0;
  for (let i = at + 1; i < columns.length; i++) {
    const [cell, width] = [cells[i] ?? '', widths[i] ?? 0];
    if (cell !== '') return blanks + (columns[i]?.right === true ? Math.max(0, width - widthOf(cell)) : 0);
    blanks += width + GAP.length;
  }
  return blanks;
};

/** Every cell begins, or for numbers ends, where its column does, whatever stands in the line. */
export const rowLine = (columns: readonly Column[], widths: readonly number[], cells: Cells): string => {
  let [line, end] = ['', 0];
  let from = 0;
  for (const [i, column] of columns.entries()) {
    const [cell, width] = [cells[i] ?? '', widths[i] ?? 0];
    const blanks = column.right === true ? 0 : blanksAfter(columns, widths, cells, i);
    const text = shortened(cell, width + blanks, column.keeps);
    const start = column.right === true ? from + Math.max(0, width - widthOf(text)) : from;
    const colour = column.colour?.(cell);
    if (text !== '') {
      line += ' '.repeat(start - end) + (colour === undefined ? text : paint(colour, text));
      end = start + widthOf(text);
    }
    from += width + GAP.length;
  }
  return line;
};

export const headLine = (columns: readonly Column[], widths: readonly number[]): string => {
  const titles = columns.map(({ title }) => title);
  const colourless = columns.map(({ colour: _, ...column }) => column);
  return paint('dim', rowLine(colourless, widths, titles));
};

export const tableLines = (columns: readonly Column[], rows: readonly Cells[], width: number): string[] => {
  const widths = columnWidths(columns, rows, width);
  return [headLine(columns, widths), ...rows.map((row) => rowLine(columns, widths, row))];
};
