// The types that the sources of an export share: what was asked for, rows, pages.
import type { Store } from '../../store/store.js';
import type { CsvCell } from './csv.js';
import type { Period } from './repository.js';

export interface ExportChoice extends Period {
  /** Whether arguments and the contents of thoughts are exported. */
  readonly contents: boolean;
}

/** `row` names the kind of row: JSON lines also carry rows that are needed to check those asked for. */
export type ExportRow = Readonly<Record<string, CsvCell>> & { readonly row: string };

export interface ExportPage {
  readonly rows: readonly ExportRow[];
  /** For the progress display. */
  readonly done: number;
  readonly total: number;
}

export interface Source {
  /** The kind of row that was asked for; CSV has only these. */
  readonly row: string;
  readonly columns: readonly string[];
  pages(store: Store, choice: ExportChoice): AsyncGenerator<ExportPage>;
}
