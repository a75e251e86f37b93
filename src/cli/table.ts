// Tables for people: columns as wide as what stands in them, cut where the screen is narrower.
import { type Colour, paint } from './print.js';
import { cut, padded, widthOf } from './width.js';

export interface Column {
  readonly title: string;
  /** Numbers stand to the right. */
  readonly right?: true;
  /** May be cut, down to so many columns. */
  readonly least?: number;
  readonly colour?: (cell: string) => Colour | undefined;
}

/** Text without controls and colours. */
export type Cells = readonly string[];

const GAP = '  ';

const total = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1);

/** The widest of those that may be cut gives way, one column at a time. */
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

/** On a screen where nothing has the room it should have. */
const VERY_LEAST = 3;

export const columnWidths = (columns: readonly Column[], rows: readonly Cells[], width: number): readonly number[] => {
  const natural = columns.map(({ title }, i) => Math.max(widthOf(title), ...rows.map((row) => widthOf(row[i] ?? ''))));
  const least = columns.map((column, i) => column.least ?? natural[i] ?? 0);
  const tight = columns.map((column, i) => (column.least === undefined ? (natural[i] ?? 0) : VERY_LEAST));
  return shrink(shrink(natural, least, width), tight, width);
};

const lineOf = (columns: readonly Column[], widths: readonly number[], cells: Cells, colours: boolean): string =>
  columns
    .map(({ right, colour }, i) => {
      const [cell, width] = [cells[i] ?? '', widths[i] ?? 0];
      const text = padded(cut(cell, width), width, right === true);
      const painted = colours ? colour?.(cell) : undefined;
      return painted === undefined ? text : paint(painted, text);
    })
    .join(GAP)
    .trimEnd();

export const headLine = (columns: readonly Column[], widths: readonly number[]): string =>
  paint(
    'dim',
    lineOf(
      columns,
      widths,
      columns.map(({ title }) => title),
      false,
    ),
  );

export const rowLine = (columns: readonly Column[], widths: readonly number[], cells: Cells): string =>
  lineOf(columns, widths, cells, true);

export const tableLines = (columns: readonly Column[], rows: readonly Cells[], width: number): string[] => {
  const widths = columnWidths(columns, rows, width);
  return [headLine(columns, widths), ...rows.map((row) => rowLine(columns, widths, row))];
};
