// The types that the sources of an export (records, calls, thoughts, tasks) share.
import type { Store } from '../../store/store.js';
import type { CsvCell } from './csv.js';
import type { Period } from './repository.js';

export interface ExportChoice extends Period {
  /** Whether arguments and the contents of thoughts are exported. */
  readonly contents: boolean;
}

/** An exported row; `row` names its kind. JSON lines also have rows that are needed to check the rows that were asked for. */
export type ExportRow = Readonly<Record<string, CsvCell>> & { readonly row: string };

export interface ExportPage {
  readonly rows: readonly ExportRow[];
  /** How many rows were read so far, for the progress display. */
  readonly done: number;
  readonly total: number;
}

export interface Source {
  /** The kind of row that this source is asked for; CSV has only rows of this kind. */
  readonly row: string;
  readonly columns: readonly string[];
  pages(store: Store, choice: ExportChoice): AsyncGenerator<ExportPage>;
}
