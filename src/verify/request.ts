// The request for a verification: which store and scope, and what to compare it with.

import type { GivenReceipt } from './places.js';
import type { KeyPlace } from './verdict/custody.js';
import type { VerdictScope } from './verdict/verdict.js';

export interface VerifyRequest {
  /** SQLite database file. */
  readonly path: string;
  readonly scope: VerdictScope;
  /** `<dir>/<log_id>/<size>` holds one signed note each. */
  readonly headsDir?: string;
  /** Where the signing keys are; only used to describe the custody. */
  readonly keys?: KeyPlace;
  /** Further signed notes that the user gave. */
  readonly heads?: readonly string[];
  /** Receipts that a client kept. */
  readonly receipts?: readonly GivenReceipt[];
  /** A signed note that the user trusts. The records it covers are tied to it by hashes and not checked one by one. */
  readonly since?: string;
  /** The time limit; then the verdict says how far the check got. */
  readonly budgetMs?: number;
  /** How many threads; 0 runs everything on the caller's thread. */
  readonly workers?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Thrown if the store has no such session or task. */
export class UnknownScope extends Error {
  constructor(id: string) {
    super(`there is no ${id}`);
  }
}
