// The options of the SQLite store and their defaults. Time and randomness are options, so that tests can control them.

import { monotonicMs } from '../../core/clock.js';
import { CORE_LIMITS } from '../../core/limits.js';
import { STORE_LIMITS } from '../limits.js';
import type { Migration, StoreLog } from '../store.js';
import { realPath } from './identity.js';
import { MIGRATIONS } from './migrations/index.js';

/** The bounds from limits.ts that the SQLite store uses; tests may lower them. */
export interface SqliteLimits {
  readonly groupCalls: number;
  readonly busyMs: number;
  readonly busyPauseMs: number;
  readonly commitsPerCheckpoint: number;
  readonly backups: number;
}

export interface SqliteOptions {
  /** The path of the database. Its links are resolved once, when the store is opened; all other files are placed beside the real file. */
  readonly path: string;
  /** If true, nothing is ever written, not even a lock file. */
  readonly readOnly?: boolean;
  /** With `full`, every commit is on disk before its promise resolves; with `normal`, a power cut may lose the last commits. */
  readonly durability?: 'normal' | 'full';
  /** What is overwritten when content is deleted: with `pages`, also whole pages that become free, which costs one write per page. */
  readonly wipe?: 'cells' | 'pages';
  readonly migrations?: readonly Migration[];
  /** If true (in tests), a transaction function that awaits anything but its `tx` fails and is rolled back. */
  readonly checkAwaits?: boolean;
  readonly limits?: Partial<SqliteLimits>;
  /** The wall clock in milliseconds, for the names of backups. */
  readonly now?: () => number;
  /** The monotonic clock in milliseconds, for timeouts. */
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
