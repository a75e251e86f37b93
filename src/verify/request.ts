// What a verification is asked.

import type { GivenReceipt } from './places.js';
import type { KeyPlace } from './verdict/custody.js';
import type { VerdictScope } from './verdict/verdict.js';

export interface VerifyRequest {
  /** SQLite database file. */
  readonly path: string;
  readonly scope: VerdictScope;
  /** `<dir>/<log_id>/<size>` holds one signed note each. */
  readonly headsDir?: string;
  /** Where signing keys are, for the custody. */
  readonly keys?: KeyPlace;
  /** Signed notes from outside. */
  readonly heads?: readonly string[];
  /** What a client kept of its answers. */
  readonly receipts?: readonly GivenReceipt[];
  /** A signed note that the user trusts: records below its size are tied to it and not checked again. */
  readonly since?: string;
  /** After that long the verdict says how far it came. */
  readonly budgetMs?: number;
  /** Threads; 0: everything on this one. */
  readonly workers?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

/** There is no such session, no such task. */
export class UnknownScope extends Error {
  constructor(id: string) {
    super(`there is no ${id}`);
  }
}
