// The options of `colibri log`.

import type { PlaceOptions } from '../place.js';
import type { FilterOptions } from './filter.js';

export interface LogOptions extends PlaceOptions, FilterOptions {
  readonly limit: number;
  readonly all?: true;
  readonly follow?: true;
  readonly explain?: true;
  readonly json?: true;
}
