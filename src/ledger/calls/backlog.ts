// Holds records that are not in the ledger yet: those of calls that ran before the ledger was open, and outcomes that the ledger refused.
// The number of these records is bounded; calls beyond the bound are only counted, in one `gap` record.

import { CORE_LIMITS } from '../../core/limits.js';
import { asError, isStoreFault, isUnknownEnd } from '../../errors.js';
import type { Store } from '../../store/store.js';
import { append } from '../ledger.js';
import { LEDGER_LIMITS } from '../limits.js';
import type { CallLedger } from './call-ledger.js';
import { type Ending, type Intent, Pair } from './pair.js';

interface Waiting {
  /** The call's pair if its intent (the record written before the call runs) is durable, else the intent itself. */
  readonly intent: Intent | Pair;
  readonly ending: Ending;
}

interface Lost {
  count: number;
  firstAt: string;
  lastAt: string;
}

export class Backlog {
  #pairs: Waiting[] = [];
  #outcomes: Waiting[] = [];
  readonly #expected = new Set<Promise<void>>();
  #lost: Lost | undefined;
  #leavesCalls = false;

  get isEmpty(): boolean {
    return this.#pairs.length === 0 && this.#outcomes.length === 0 && this.#lost === undefined;
  }

  /** Adds both records of a call, its intent and its outcome, when neither is in the ledger or the journal. */
  addPair(intent: Intent, ending: Ending): void {
    const waiting = { intent: { ...intent, late: true as const }, ending: { ...ending, late: true as const } };
    if (this.#pairs.length >= LEDGER_LIMITS.latePairs) this.#lose(waiting);
    else this.#pairs.push(waiting);
  }

  /** Adds the outcome record of a call whose intent is in the ledger or the journal. */
  addOutcome(pair: Pair, ending: Ending): void {
    const waiting = { intent: pair, ending: { ...ending, late: true as const } };
    if (this.#outcomes.length >= LEDGER_LIMITS.lateOutcomes) this.#lose(waiting);
    else this.#outcomes.push(waiting);
  }

  /** For a call that was answered before its intent was written: adds its outcome if writing the intent succeeds, else both records. */
  addAfter(entry: Promise<Pair>, intent: Intent, ending: Ending): void {
    const settled = entry
      .then(
        (pair) => this.addOutcome(pair, ending),
        () => this.addPair(intent, ending),
      )
      .finally(() => this.#expected.delete(settled));
    this.#expected.add(settled);
  }

  /** For a call that was answered before its outcome was written: adds the outcome record if writing it fails. */
  afterExit(exit: Promise<unknown>, pair: Pair, ending: Ending): void {
    const settled: Promise<void> = exit
      .then(
        () => {},
        () => this.addOutcome(pair, ending),
      )
      .finally(() => this.#expected.delete(settled));
    this.#expected.add(settled);
  }

  /** The promise resolves when the writes that `addAfter` and `afterExit` wait for have settled. */
  async expected(): Promise<void> {
    await Promise.all(this.#expected);
  }

  /** Whether some call has a durable intent but no outcome in the ledger, so that another process has to close the call later. */
  get leavesCalls(): boolean {
    return this.#leavesCalls || this.#outcomes.length > 0;
  }

  #lose({ intent, ending: { at } }: Waiting): void {
    if (intent instanceof Pair) this.#leavesCalls = true;
    if (this.#lost === undefined) this.#lost = { count: 1, firstAt: at, lastAt: at };
    else {
      this.#lost.count += 1;
      this.#lost.lastAt = at;
    }
  }

  /** Writes the records that wait now to the ledger in batches; records that the ledger refuses keep waiting. */
  async flush(store: Store, ledger: CallLedger): Promise<void> {
    if (this.isEmpty || ledger.halted !== undefined) return; // a halted ledger takes nothing any more
    await this.#flushList(this.#pairs, store, ledger);
    await this.#flushList(this.#outcomes, store, ledger);
    const lost = this.#lost;
    if (lost === undefined) return;
    const gap = { count: lost.count, first_at: lost.firstAt, last_at: lost.lastAt };
    const record = { kind: 'gap', ...gap, reason: 'backlog full' } as const;
    await store.write((tx) => append(tx, ledger.log, [{ at: lost.lastAt, record }]), { log: ledger.log.id });
    // Calls that were lost while the gap record was being written are counted in the next gap record.
    this.#lost = lost.count === gap.count ? undefined : { ...lost, count: lost.count - gap.count };
  }

  async #flushList(list: Waiting[], store: Store, ledger: CallLedger): Promise<void> {
    // Only what waits now: while calls keep coming, the list of a slow store may never be empty, and the start waits for this.
    for (let left = list.length; left > 0; left -= CORE_LIMITS.groupCalls) {
      const batch = list.slice(0, Math.min(left, CORE_LIMITS.groupCalls));
      const faults = await Promise.all(batch.map((waiting) => writeWaiting(store, ledger, waiting)));
      // A record that the ledger will never accept must not block the others; one that may be there already must not be appended twice.
      const waits = (fault: Error | undefined): boolean => isStoreFault(fault) && !isUnknownEnd(fault);
      for (const [i, fault] of faults.entries()) if (fault && !waits(fault)) this.#lose(batch[i] as Waiting);
      list.splice(0, batch.length, ...batch.filter((_, i) => waits(faults[i])));
      const storeFault = faults.find((fault) => fault && isStoreFault(fault));
      if (storeFault !== undefined) throw storeFault;
    }
  }
}

/** Writes the waiting records of one call; returns why the ledger refused them, or undefined. */
const writeWaiting = async (
  store: Store,
  ledger: CallLedger,
  { intent, ending }: Waiting,
): Promise<Error | undefined> => {
  try {
    if (!(intent instanceof Pair))
      await store.write((tx) => ledger.pair(tx, intent, ending), { group: true, log: ledger.log.id });
    else await writeOutcome(store, ledger, intent, ending);
    return undefined;
  } catch (thrown) {
    return asError(thrown);
  }
};

const writeOutcome = async (store: Store, ledger: CallLedger, pair: Pair, ending: Ending): Promise<void> => {
  if (pair.isGone) return; // others closed the call
  await store.write(
    async (tx) => {
      await ledger.claim(tx, pair);
      await ledger.exitIn(tx, pair, ending);
    },
    { group: true, log: ledger.log.id },
  );
  ledger.settled(pair);
};
