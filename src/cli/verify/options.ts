// The options of `colibri verify`.
import type { PlaceOptions } from '../place-options.js';

export interface VerifyOptions extends PlaceOptions {
  readonly node?: string;
  readonly session?: string;
  readonly task?: string;
  readonly head: readonly string[];
  readonly receipts?: string;
  readonly since?: string;
  readonly copy?: true;
  readonly proof?: string;
  readonly key?: string;
  readonly allowCosignatures?: true;
  readonly json?: true;
}
