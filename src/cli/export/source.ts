// What an export is made of.
import type { Store } from '../../store/store.js';
import type { CsvCell } from './csv.js';
import type { Period } from './repository.js';

export interface ExportChoice extends Period {
  /** Whether arguments and the contents of thoughts are in it. */
  readonly contents: boolean;
}

/** `row` says what it is: an export may carry more than was asked for, where that is needed to check it. */
export type ExportRow = Readonly<Record<string, CsvCell>> & { readonly row: string };

export interface ExportPage {
  readonly rows: readonly ExportRow[];
  /** How far it is, for whoever waits. */
  readonly done: number;
  readonly total: number;
}

export interface Source {
  /** What the rows are called that were asked for; a table has these alone. */
  readonly row: string;
  readonly columns: readonly string[];
  pages(store: Store, choice: ExportChoice): AsyncGenerator<ExportPage>;
}
