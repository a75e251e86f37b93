// What the SQLite store is told from outside, and what it assumes where it was not told.
// Time and randomness come in here, so that a test can hold them.

import { monotonicMs } from '../../core/clock.js';
import { CORE_LIMITS } from '../../core/limits.js';
import { STORE_LIMITS } from '../limits.js';
import type { Migration } from '../store.js';
import { realPath } from './identity.js';
import { MIGRATIONS } from './migrations/index.js';

/** The bounds of limits.ts that this adapter obeys; a test may tighten them. */
export interface SqliteLimits {
  readonly groupCalls: number;
  readonly busyMs: number;
  readonly busyPauseMs: number;
  readonly commitsPerCheckpoint: number;
  readonly backups: number;
}

/** Where the store says what it could not do and nobody waited for. */
export interface StoreLog {
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export interface SqliteOptions {
  /** Links are resolved once, when it is opened; everything beside the database lies beside the file itself. */
  readonly path: string;
  /** Nothing is ever written, not even a lock of ours. */
  readonly readOnly?: boolean;
  /** `full`: every commit is on disk before its promise resolves. */
  readonly durability?: 'normal' | 'full';
  /** `pages`: what is deleted is overwritten also where it frees whole pages. Costs a write for each. */
  readonly wipe?: 'cells' | 'pages';
  readonly migrations?: readonly Migration[];
  /** For tests: a transaction function that outlives a macrotask fails and is rolled back. */
  readonly checkAwaits?: boolean;
  readonly limits?: Partial<SqliteLimits>;
  /** Wall clock; names the backups. */
  readonly now?: () => number;
  /** Monotonic clock; measures patience. */
  readonly elapsedMs?: () => number;
  readonly random?: () => number;
  readonly logger?: StoreLog;
}

export type Settings = Required<Omit<SqliteOptions, 'limits'>> & { readonly limits: SqliteLimits };

const SILENT: StoreLog = { warn: () => {} };

export const settingsOf = (options: SqliteOptions): Settings => ({
  readOnly: false,
  durability: 'normal',
  wipe: 'cells',
  migrations: MIGRATIONS,
  checkAwaits: false,
  now: Date.now,
  elapsedMs: monotonicMs,
  random: Math.random,
  logger: SILENT,
  ...options,
  path: realPath(options.path),
  limits: { groupCalls: CORE_LIMITS.groupCalls, ...STORE_LIMITS, ...options.limits },
});
