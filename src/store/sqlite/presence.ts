// Whether the files of the open database are still where everybody would look for them. Once they are not, nothing more is
// acknowledged: a receipt for a record that nobody can find is worse than a refusal.

import { asError, ColibriError } from '../../errors.js';
import { STORE_LIMITS } from '../limits.js';
import type { FileIdentity } from './identity.js';
import type { StoreLog } from './options.js';

const RESTART = 'Restart Colibri when the store is back in its place.';
const RESCUED = `Nothing is recorded any more; what was is written aside, the log says where. ${RESTART}`;

export const lostError = (reason: string, remedy = RESTART): ColibriError =>
  new ColibriError('STORE_UNAVAILABLE', `the store was taken away while it was in use: ${reason}`, { remedy });

export const replacedError = (path: string): ColibriError =>
  new ColibriError('STORE_UNAVAILABLE', `${path} was replaced while it was opened`, {
    remedy: 'Try again in a moment.',
  });

export interface PresenceParts {
  readonly identity: FileIdentity;
  readonly logger: StoreLog;
  /** Copies what is open to another file and returns its path; called once, and never inside a transaction. */
  readonly rescue: () => Promise<string>;
  /** How many bytes the engine needs its write-ahead log to have. */
  readonly logNeeds: () => number;
  /** Called with each look of an idle second. */
  readonly onLook: () => void;
}

export class Presence {
  readonly #parts: PresenceParts;
  readonly #timer: NodeJS.Timeout;
  #fault: ColibriError | undefined;
  #rescued: Promise<void> = Promise.resolve();

  constructor(parts: PresenceParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.#look(), STORE_LIMITS.presenceMs).unref();
  }

  /** Set for good: a file that comes back may have missed what was committed meanwhile. */
  get fault(): ColibriError | undefined {
    return this.#fault;
  }

  /** Looks before a write: what is missing from the log can be told only now. */
  beforeWrite(): ColibriError | undefined {
    if (this.#fault === undefined) this.#note(this.#cutLog());
    return this.#fault;
  }

  /** Looks, after a commit and before anybody is told of it. */
  check(): ColibriError | undefined {
    if (this.#fault === undefined) this.#note(this.#parts.identity.lost());
    return this.#fault;
  }

  /** Looks for the last time; resolves when what had to be written aside is. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    this.#note(this.#cutLog() ?? this.#parts.identity.lostAny());
    await this.#rescued;
  }

  #look(): void {
    this.#note(this.#cutLog() ?? this.#parts.identity.lostAny());
    if (this.#fault === undefined) this.#parts.onLook();
  }

  /** Asked again where it is too short: another process may have folded it back between the two questions, which is fine. */
  #cutLog(): string | undefined {
    const isCut = (): boolean => (this.#parts.identity.shrunkLog()?.bytes ?? Infinity) < this.#parts.logNeeds();
    const log = this.#parts.identity.shrunkLog();
    return log !== undefined && isCut() && isCut() ? `${log.path} was cut short` : undefined;
  }

  #note(reason: string | undefined): void {
    if (reason === undefined || this.#fault !== undefined) return;
    clearInterval(this.#timer);
    this.#fault = lostError(reason, RESCUED);
    this.#parts.logger.warn(`${this.#fault.code}: ${this.#fault.message}. Nothing is recorded any more.`);
    this.#rescued = this.#rescue();
  }

  async #rescue(): Promise<void> {
    const { logger, rescue } = this.#parts;
    try {
      const to = await rescue();
      logger.warn(`what the store held is written aside to ${to}; check it with colibri verify --db '${to}'`);
    } catch (thrown) {
      logger.warn('what the store held could not be written aside', { error: asError(thrown).message });
    }
  }
}
