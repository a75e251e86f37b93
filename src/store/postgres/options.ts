// The options of the PostgreSQL store and their defaults.

import { monotonicMs } from '../../core/clock.js';
import { STORE_LIMITS } from '../limits.js';
import type { Migration, StoreLog } from '../store.js';
import { MIGRATIONS_OF_POSTGRES } from './migrations/index.js';

/** The bounds from limits.ts that the PostgreSQL store uses; tests may lower them. */
export interface PostgresLimits {
  readonly connections: number;
  readonly connectMs: number;
  readonly lockMs: number;
  readonly statementMs: number;
  readonly answerMs: number;
  readonly serverRetries: number;
  readonly queueMs: number;
  readonly lookUpMs: number;
  readonly lookUpPauseMs: number;
  readonly connectPauseMs: number;
  readonly instanceMs: number;
}

export interface PostgresOptions {
  /** The address of the database. It may hold a password: it is given to the driver and shown nowhere. */
  readonly url: string;
  /** If true, nothing is ever written, and the server refuses every write of this store's connections. */
  readonly readOnly?: boolean;
  readonly migrations?: readonly Migration[];
  /** The folder for copies of the database. */
  readonly backups: string;
  readonly limits?: Partial<PostgresLimits>;
  /** The wall clock in milliseconds, for the names of backups. */
  readonly now?: () => number;
  /** The monotonic clock in milliseconds, for timeouts. */
  readonly elapsedMs?: () => number;
  readonly random?: () => number;
  readonly logger?: StoreLog;
}

export type PostgresSettings = Required<Omit<PostgresOptions, 'limits'>> & { readonly limits: PostgresLimits };

const SILENT: StoreLog = { warn: () => {} };

export const postgresSettings = (options: PostgresOptions): PostgresSettings => ({
  readOnly: false,
  migrations: MIGRATIONS_OF_POSTGRES,
  now: Date.now,
  elapsedMs: monotonicMs,
  random: Math.random,
  logger: SILENT,
  ...options,
  limits: { ...STORE_LIMITS, ...options.limits },
});
