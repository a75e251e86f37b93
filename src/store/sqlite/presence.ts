// Watches whether the files of the open database are still in place. Once they are not, no write is acknowledged any more: a receipt for a
// record that nobody can find is worse than a refusal.

import * as fs from 'node:fs';
import { asError, ColibriError, systemCode } from '../../errors.js';
import { STORE_LIMITS } from '../limits.js';
import type { StoreLog } from '../store.js';
import { type Known, knownAt } from './identity.js';

const RESTART = 'Restart Colibri when the store is back in its place.';
const RESCUED = `Nothing more is recorded. The contents of the store are saved in another file; Colibri's log file says where. ${RESTART}`;

export const lostError = (reason: string, remedy = RESTART): ColibriError =>
  new ColibriError('STORE_UNAVAILABLE', `the store was taken away while it was in use: ${reason}`, { remedy });

export const replacedError = (path: string): ColibriError =>
  new ColibriError('STORE_UNAVAILABLE', `${path} was replaced while it was opened`, {
    remedy: 'Try again in a moment.',
  });

export interface PresenceParts {
  readonly identity: FileIdentity;
  readonly elapsedMs: () => number;
  readonly logger: StoreLog;
  /** Copies the open database to another file and returns its path; called once, and never inside a transaction. */
  readonly rescue: () => Promise<string>;
  /** The bytes that the write-ahead log must have to hold everything that SQLite wrote to it. */
  readonly logNeeds: () => number;
  /** A callback that is called after each periodic check which found all files in place. */
  readonly onLook: () => void;
}

export class Presence {
  readonly #parts: PresenceParts;
  readonly #timer: NodeJS.Timeout;
  #fault: ColibriError | undefined;
  #rescued: Promise<void> = Promise.resolve();
  #checkedMs = Number.NEGATIVE_INFINITY;

  constructor(parts: PresenceParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.#look(), STORE_LIMITS.presenceMs).unref();
  }

  /** Why the database is no longer usable. Once set, the fault stays: a file that comes back may lack what was committed meanwhile. */
  get fault(): ColibriError | undefined {
    return this.#fault;
  }

  /**
   * Checks the write-ahead log before a write, after which a truncation could no longer be noticed, unless the files were checked a moment ago.
   * Returns the fault, if any.
   */
  beforeWrite(): ColibriError | undefined {
    const isFresh = this.#parts.elapsedMs() - this.#checkedMs < STORE_LIMITS.presenceFreshMs;
    if (this.#fault === undefined && !isFresh) this.#note(this.#cutLog());
    return this.#fault;
  }

  /** Checks the files after a commit and before the writer's caller gets its result. Returns the fault, if any. */
  check(): ColibriError | undefined {
    if (this.#fault === undefined) this.#note(this.#parts.identity.lost());
    this.#checkedMs = this.#parts.elapsedMs();
    return this.#fault;
  }

  /**
   * Checks the database's files for the last time. If the contents of a lost database are being copied to another file, the promise
   * resolves after the copy has ended.
   */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    this.#note(this.#cutLog() ?? this.#parts.identity.lostAny());
    await this.#rescued;
  }

  #look(): void {
    this.#note(this.#cutLog() ?? this.#parts.identity.lostAny());
    if (this.#fault === undefined) this.#parts.onLook();
  }

  /**
   * Why the write-ahead log lacks content; undefined if it does not. Asked twice: another process may have folded the log into the database
   * in between, which is fine.
   */
  #cutLog(): string | undefined {
    const isCut = (): boolean => (this.#parts.identity.shrunkLog()?.bytes ?? Infinity) < this.#parts.logNeeds();
    const log = this.#parts.identity.shrunkLog();
    return log !== undefined && isCut() && isCut() ? `${log.path} was cut short` : undefined;
  }

  #note(reason: string | undefined): void {
    if (reason === undefined || this.#fault !== undefined) return;
    clearInterval(this.#timer);
    this.#fault = lostError(reason, RESCUED);
    this.#parts.logger.warn(`${this.#fault.code}: ${this.#fault.message}. Nothing more is recorded.`);
    this.#rescued = this.#rescue();
  }

  async #rescue(): Promise<void> {
    const { logger, rescue } = this.#parts;
    try {
      const to = await rescue();
      logger.warn(`the contents of the store were saved to ${to}; check them with colibri verify --db '${to}'`);
    } catch (thrown) {
      logger.warn('the contents of the store could not be saved', { error: asError(thrown).message });
    }
  }
}

// The files of an open database, by device and inode.

/** System errors which mean that the path does not lead to a file. Other errors leave open whether the file exists. */
const MISSING: readonly unknown[] = ['ENOENT', 'ENOTDIR', 'ELOOP'];

interface Seen {
  readonly fault?: string;
  readonly bytes?: number;
}

const seenAt = ({ path, dev, ino }: Known): Seen => {
  try {
    const stats = fs.statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return { fault: `${path} is gone` };
    if (stats.dev !== dev || stats.ino !== ino) return { fault: `another file is in the place of ${path}` };
    return { bytes: stats.size };
  } catch (thrown) {
    return MISSING.includes(systemCode(thrown)) ? { fault: `${path} is gone` } : {};
  }
};

/** Which files an open database uses (device and inode), as they were when it was opened. */
export class FileIdentity {
  readonly #database: Known | undefined;
  readonly #log: Known | undefined;
  readonly #index: Known | undefined;
  #logBytes = 0;

  /** Notes which files the database has now; must be called after SQLite has opened them all. */
  constructor(path: string) {
    this.#database = knownAt(path);
    this.#log = knownAt(`${path}-wal`);
    this.#index = knownAt(`${path}-shm`);
  }

  /** Why a process that opens the path now would not find the rows just committed; undefined if it would find them. Called after each commit. */
  lost(): string | undefined {
    const database = this.#database && seenAt(this.#database);
    if (database?.fault !== undefined) return database.fault;
    if (database?.bytes === 0) return `${this.#database?.path} was emptied`;
    const log = this.#log && seenAt(this.#log);
    this.#logBytes = log?.bytes ?? this.#logBytes;
    return log?.fault;
  }

  /**
   * Why a process that opens the path now would not find the committed rows; undefined if it would. Checks all files of the database,
   * also the index of the write-ahead log (-shm), so it is slower than `lost`.
   */
  lostAny(): string | undefined {
    return this.lost() ?? (this.#index && seenAt(this.#index).fault);
  }

  /**
   * The write-ahead log's length if it is shorter than when last seen, else undefined. Another process has then checkpointed the log, or
   * somebody has truncated it. Must be called before a write, which would fill the gap with zeros and hide it.
   */
  shrunkLog(): { readonly path: string; readonly bytes: number } | undefined {
    const bytes = this.#log && seenAt(this.#log).bytes;
    if (this.#log === undefined || bytes === undefined || bytes >= this.#logBytes) return undefined;
    return { path: this.#log.path, bytes };
  }

  /** Whether the file at the path is gone or replaced. Unlike `lost`, it allows an empty file, such as a lock file. */
  isGone(): boolean {
    return this.#database === undefined || seenAt(this.#database).fault !== undefined;
  }

  isSameAs(other: FileIdentity): boolean {
    const [one, two] = [this.#database, other.#database];
    return one?.dev === two?.dev && one?.ino === two?.ino;
  }
}
