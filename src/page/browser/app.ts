// What the views share: the data, what was made of them, and what the check said.
import type { PageVerdict } from '../../proof/page-check.js';
import type { PageData } from '../../proof/page-data.js';
import type { PageModel } from '../model/model.js';

export interface CallFilters {
  outcome: string;
  tool: string;
  server: string;
  who: string;
  text: string;
  /** The moment up to which records were asked for, as the field has it. */
  until: string;
  page: number;
}

export interface App {
  readonly live: boolean;
  data: PageData;
  model: PageModel;
  /** Undefined until everything was checked. */
  verdict: PageVerdict | undefined;
  readonly filters: CallFilters;
  /** The moment that ages are counted from: when the page was made, or now. */
  now(): string;
  /** Draws the current view again. */
  redraw(): void;
  /** Loads records before or after those that are shown; undefined in a saved page. */
  readonly older?: (() => void) | undefined;
  /** Loads the records up to a moment. */
  readonly until?: ((moment: string) => void) | undefined;
  readonly newest?: (() => void) | undefined;
}

/** A view: its name in the address, its title, its key, and what it draws for one thing or for all. */
export interface View {
  readonly name: string;
  readonly title: string;
  readonly count?: (app: App) => number;
  readonly draw: (app: App, id: string) => ParentNode & Node;
  /** What a drawing depends on; if it did not change, a live page leaves the drawing alone, with what the reader opened and typed in it. */
  readonly state?: (app: App, id: string) => string | undefined;
}
