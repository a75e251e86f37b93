// Formats tables: columns are as wide as their contents, and are cut if the screen is too narrow.
import { type Colour, paint } from './print.js';
import { cut, padded, widthOf } from './width.js';

export interface Column {
  readonly title: string;
  /** If true, the cells are right-aligned, as numbers are. */
  readonly right?: true;
  /** The least width (columns of the screen) that the column may be cut down to. */
  readonly least?: number;
  readonly colour?: (cell: string) => Colour | undefined;
  /** If true, a cell that would be cut may use the space that other cells of its line leave empty. */
  readonly borrows?: true;
  /** Makes a shorter form of a cell that does not fit; the column keeps room for that form as long as possible. */
  readonly shorter?: (cell: string) => string;
}

/** The texts of one row of a table, one for each column. They contain no control characters and no colours. */
export type Cells = readonly string[];

const GAP = '  ';

const total = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1);

/** Narrows the widest column that may be cut, one screen column at a time, until the line fits. */
const shrink = (widths: readonly number[], least: readonly number[], width: number): readonly number[] => {
  const shrunk = [...widths];
  for (let excess = total(shrunk) - width; excess > 0; excess--) {
    const room = shrunk.map((own, i) => (own > (least[i] ?? own) ? own : 0));
    const widest = Math.max(...room);
    if (widest === 0) break;
    shrunk[room.indexOf(widest)] = widest - 1;
  }
  return shrunk;
};

/** The least width that columns may shrink to on a very narrow screen. */
const VERY_LEAST = 3;

export const columnWidths = (columns: readonly Column[], rows: readonly Cells[], width: number): readonly number[] => {
  const natural = columns.map(({ title }, i) => Math.max(widthOf(title), ...rows.map((row) => widthOf(row[i] ?? ''))));
  const least = columns.map(({ least, shorter }, i) => {
    if (least === undefined || shorter === undefined) return least ?? natural[i] ?? 0;
    return Math.max(least, ...rows.map((row) => widthOf(shorter(row[i] ?? ''))));
  });
  const tight = columns.map((column, i) => (column.least === undefined ? (natural[i] ?? 0) : VERY_LEAST));
  // A cell that does not fit is shown in its shorter form, so a column wider than that form and narrower than the whole cell would waste
  // space.
  const short = natural.map((own, i) => (columns[i]?.shorter === undefined ? own : Math.min(own, least[i] ?? own)));
  return shrink(shrink(total(natural) > width ? short : natural, least, width), tight, width);
};

/** The whole cell if it fits the width, otherwise its shorter form. */
const formOf = (column: Column | undefined, cell: string, width: number): string =>
  widthOf(cell) > width ? (column?.shorter?.(cell) ?? cell) : cell;

/** Lets a borrowing cell use the empty space of other cells, those to its right first, and only if the cell then fits whole. */
const withBorrowed = (columns: readonly Column[], widths: readonly number[], cells: Cells): readonly number[] => {
  const needed = widths.map((width, i) => widthOf(formOf(columns[i], cells[i] ?? '', width)));
  const room = [...widths];
  const free = (i: number): number => Math.max(0, (room[i] ?? 0) - (needed[i] ?? 0));
  for (const i of room.keys()) {
    let lacks = (needed[i] ?? 0) - (room[i] ?? 0);
    const others = [...room.keys()].toSorted((a, b) => Number(a < i) - Number(b < i));
    if (columns[i]?.borrows !== true || lacks <= 0 || others.reduce((sum, j) => sum + free(j), 0) < lacks) continue;
    room[i] = needed[i] ?? 0;
    for (const j of others) {
      const taken = Math.min(free(j), lacks);
      room[j] = (room[j] ?? 0) - taken;
      lacks -= taken;
    }
  }
  return room;
};

export const rowLine = (columns: readonly Column[], widths: readonly number[], cells: Cells): string => {
  const room = withBorrowed(columns, widths, cells);
  return columns
    .map((column, i) => {
      const [cell, width] = [cells[i] ?? '', room[i] ?? 0];
      const text = padded(cut(formOf(column, cell, width), width), width, column.right === true);
      const colour = column.colour?.(cell);
      return colour === undefined ? text : paint(colour, text);
    })
    .join(GAP)
    .trimEnd();
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
