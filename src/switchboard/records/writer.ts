// Writes those records of the switchboard that belong to no call: `health`, `catalogue`, `config`. They wait here in a bounded queue while
// the ledger is busy or not open. If the queue is full, further records are lost, and one `gap` record says how many.
import type { Clock } from '../../core/clock.js';
import { isStoreFault } from '../../errors.js';
import type { CallLedger } from '../../ledger/calls/call-ledger.js';
import { append } from '../../ledger/ledger.js';
import { LEDGER_LIMITS } from '../../ledger/limits.js';
import type { Store, Tx } from '../../store/store.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { Recorder } from './catalogue-repository.js';

/** The store and the ledger that records are written to. */
export interface Books {
  readonly store: Store;
  readonly ledger: Pick<CallLedger, 'log' | 'instance' | 'halted' | 'enterWith'>;
}

export type Entry = (tx: Tx, to: Recorder) => Promise<unknown>;

interface Waiting {
  readonly at: string;
  readonly entry: Entry;
}

export interface WriterOptions {
  readonly now: Clock;
  readonly warn: (message: string) => void;
}

export class RecordsWriter {
  readonly #options: WriterOptions;
  #books: Books | undefined;
  #waiting: Waiting[] = [];
  #lost: { count: number; firstAt: string; lastAt: string } | undefined;
  #writing: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  get books(): Books | undefined {
    return this.#books;
  }

  open(books: Books): void {
    this.#books = books;
    this.#start();
  }

  /** Queues a record with the current time. Records are written in order, each in a transaction of its own. */
  add(entry: Entry): void {
    const at = this.#options.now();
    if (this.#waiting.length >= SWITCHBOARD_LIMITS.switchboardRecords) this.#lose(at);
    else this.#waiting.push({ at, entry });
    this.#start();
  }

  /** Resolves when every queued record is written or has failed. */
  async flush(): Promise<void> {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#start();
    await this.#writing;
    clearTimeout(this.#retry);
  }

  #lose(at: string): void {
    this.#lost ??= { count: 0, firstAt: at, lastAt: at };
    this.#lost.count += 1;
    this.#lost.lastAt = at;
  }

  #start(): void {
    if (this.#books === undefined || this.#writing !== undefined || this.#retry !== undefined) return;
    this.#writing = this.#write(this.#books).finally(() => {
      this.#writing = undefined;
    });
  }

  async #write(books: Books): Promise<void> {
    for (
      let next = this.#waiting[0];
      next !== undefined && books.ledger.halted === undefined;
      next = this.#waiting[0]
    ) {
      if (!(await this.#take(books, next))) return;
      this.#waiting.shift();
    }
    const lost = this.#lost;
    if (lost === undefined || books.ledger.halted !== undefined) return;
    const gap = { count: lost.count, first_at: lost.firstAt, last_at: lost.lastAt, reason: 'switchboard records' };
    const record = { kind: 'gap', ...gap } as const;
    const entry: Entry = (tx, { log, at }) => append(tx, log, [{ at, record }]);
    if (await this.#take(books, { at: lost.lastAt, entry })) this.#lost = undefined;
  }

  /** Writes one record; returns false if it must be tried again. A record that can never be written is dropped, so that it does not block others. */
  async #take({ store, ledger }: Books, { at, entry }: Waiting): Promise<boolean> {
    const to: Recorder = { log: ledger.log, instance: ledger.instance, at };
    try {
      await store.write((tx) => entry(tx, to), { group: true, log: ledger.log.id });
      return true;
    } catch (thrown) {
      this.#options.warn(`a record of the switchboard could not be written: ${String(thrown)}`);
      if (!isStoreFault(thrown)) return true;
      this.#retry = setTimeout(() => {
        this.#retry = undefined;
        this.#start();
      }, LEDGER_LIMITS.lateRetryMs).unref();
      return false;
    }
  }
}
