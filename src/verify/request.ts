// The request for a verification: which store, all of it or one session or task, and what to compare the store with.

import type { StoreSource } from './reading.js';
import type { GivenReceipt } from './receipts-check.js';
import type { KeyPlace } from './verdict/custody.js';
import type { VerdictScope } from './verdict/verdict.js';

export interface VerifyRequest extends StoreSource {
  readonly scope: VerdictScope;
  /** The folder of signed heads; the file `<dir>/<log_id>/<size>` holds one signed note. */
  readonly headsDir?: string;
  /** The name of this machine. Without it, heads that name a path cannot show which store was at this path before. */
  readonly host?: string;
  /** Where the signing keys are: to check the MACs of the heads, and to say who can reach the keys (the custody). */
  readonly keys?: KeyPlace;
  /** Signed notes that a person brought: each must be the beginning of its log, whatever the store says that somebody accepted. */
  readonly heads?: readonly string[];
  /** Signed notes that Colibri itself kept, for a file that is not the store of the heads folder, such as a backup. */
  readonly keptHeads?: readonly string[];
  /** Receipts that a client kept, with or without the answers; their records must be in the store and have the digests of the answers. */
  readonly receipts?: readonly GivenReceipt[];
  /** A signed note that the user trusts. The records that the note covers are tied to it by hashes and not checked one by one. */
  readonly since?: string;
  /** The most milliseconds that the verification may take; then it stops, and the verdict says how far it got. */
  readonly budgetMs?: number;
  /** The most records with which SQLite's own check includes the table of records; only tests set it. */
  readonly fileRecords?: number;
  /** The number of threads; 0 runs everything on the caller's thread. */
  readonly workers?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Thrown if the store does not have the session, task or machine that the request names. */
export class UnknownScope extends Error {
  constructor(id: string) {
    super(`there is no ${id}`);
  }
}
