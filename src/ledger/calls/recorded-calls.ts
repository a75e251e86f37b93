// Writes the two records of each call of this process. The intent is durable before the call's handler starts: in the journal, or in the ledger if
// there is no journal or the last commit failed. Intent and outcome then enter the ledger in one transaction. No record is ever updated.
import { CORE_LIMITS } from '../../core/limits.js';
import { onceThere, type Soon } from '../../core/soon.js';
import { type ColibriError, quietly } from '../../errors.js';
import type { Tx } from '../../store/store.js';
import { isBrokenLog, readSize } from '../head.js';
import type { Appended, GuardedAppend } from '../ledger.js';
import { LEDGER_LIMITS } from '../limits.js';
import { isIntentAt } from '../outcomes.js';
import type { OwnLog } from '../own-log.js';
import { appendKept, appendKeptNow, guardedKept, type KeptEntry } from '../payload.js';
import type { SigningState } from '../signer.js';
import type { CallLedger, CallLedgerOptions, PairPositions } from './call-ledger.js';
import { EarlyIntents } from './early-intents.js';
import { gather } from './gather.js';
import type { IntentJournal } from './journal.js';
import { type Ending, type Intent, outcomeEntry, Pair, pairEntries } from './pair.js';

interface Settling {
  readonly pair: Pair;
  readonly ending: Ending;
}

const isInLedger = ({ seq }: Pair): boolean => seq !== undefined;

const last = (appended: readonly Appended[]): Appended => {
  const record = appended.at(-1);
  if (record === undefined) throw new Error('nothing was appended');
  return record;
};

export class RecordedCalls implements CallLedger {
  readonly log: OwnLog;
  readonly instance: string;
  readonly #options: CallLedgerOptions;
  readonly #signing: Readonly<SigningState>;
  readonly #early: EarlyIntents;
  #broken: ColibriError | undefined;
  /** True if the last commit failed. Then intents are committed before their handlers start, until a commit succeeds. */
  #isFailing = false;
  readonly #noteSoon;
  readonly #settleSoon;
  readonly #commitSoon;

  constructor(options: CallLedgerOptions) {
    const { log, instance, traffic, signing = { nextAt: 0, isFailing: true } } = options;
    this.log = log;
    this.instance = instance;
    this.#options = options;
    this.#signing = signing;
    this.#early = new EarlyIntents({
      nowMs: options.nowMs,
      commit: (pairs) => this.#commitIntents(pairs),
      release: (pair) => this.#release(pair),
    });
    const most = CORE_LIMITS.groupCalls;
    const isDue = (items: number, turns: number): boolean =>
      traffic.size <= 2 ||
      (turns > 0 && (turns >= LEDGER_LIMITS.gatherTurns || items >= traffic.size * LEDGER_LIMITS.gatherShare));
    this.#noteSoon = gather<Pair, Pair>((pairs) => this.#note(pairs), { most, isDue: () => true });
    this.#settleSoon = gather<Settling, Appended>((items) => this.#settle(items), { most, isDue });
    this.#commitSoon = gather<Pair, Pair>((pairs) => this.#commitFirst(pairs), { most, isDue });
  }

  get halted(): ColibriError | undefined {
    return this.#broken ?? this.#options.store.fault;
  }

  halt(why: ColibriError): void {
    this.#broken ??= why;
  }

  #assertGoing(): void {
    const why = this.halted;
    if (why !== undefined) throw why;
  }

  get isPrompt(): boolean {
    return this.#options.journal?.isSynced === false && !this.#isFailing;
  }

  enter(intent: Intent): Soon<Pair> {
    this.#assertGoing();
    const { traffic, journal, refusal } = this.#options;
    const why = this.#signing.isFailing ? refusal?.() : undefined;
    if (why !== undefined) throw why;
    const pair = this.#pairOf(intent);
    if (journal === undefined || this.#isFailing) return this.#commitSoon(pair);
    return traffic.isAlone ? onceThere(this.#note([pair]), () => pair) : this.#noteSoon(pair);
  }

  #pairOf(intent: Intent): Pair {
    const { log, instance, payloads } = this.#options;
    return new Pair(intent, { log: log.id, instance, payloads, own: log });
  }

  /** Writes intents to the journal; commits them to the ledger if the journal has no room. */
  #note(pairs: readonly Pair[]): Soon<readonly Pair[]> {
    const { journal, log } = this.#options;
    const lines = pairs.length === 1 ? (pairs[0]?.line ?? '') : pairs.map(({ line }) => line).join('');
    const frame = journal?.write(lines, pairs.length, log.committed);
    if (journal === undefined || frame === undefined) {
      this.#early.commitAll();
      return this.#commitFirst(pairs);
    }
    for (const pair of pairs) pair.frame = frame;
    return journal.isSynced ? this.#onDisk(journal, pairs) : this.#watch(pairs);
  }

  async #onDisk(journal: IntentJournal, pairs: readonly Pair[]): Promise<readonly Pair[]> {
    try {
      await journal.synced();
    } catch (thrown) {
      for (const pair of pairs) this.settled(pair); // these calls do not run
      throw thrown;
    }
    return this.#watch(pairs);
  }

  /** From now on the intents, which are durable, are committed by themselves if their calls last. */
  #watch(pairs: readonly Pair[]): readonly Pair[] {
    const sinceMs = this.#options.nowMs();
    for (const pair of pairs) {
      pair.sinceMs = sinceMs;
      this.#early.watch(pair);
    }
    return pairs;
  }

  /** Commits intents to the ledger before their handlers start. */
  async #commitFirst(pairs: readonly Pair[]): Promise<readonly Pair[]> {
    await this.#commitIntents(pairs);
    return pairs;
  }

  /** Appends intents by themselves; skips those that somebody else is about to append, with their outcome. */
  async #commitIntents(pairs: readonly Pair[]): Promise<void> {
    this.#assertGoing();
    let entered: readonly Pair[] = [];
    const undo = (): void => {
      for (const pair of entered) pair.seq = undefined;
      entered = [];
    };
    const due = (): readonly KeptEntry[] => {
      undo(); // the write may run again
      entered = pairs.filter((pair) => !pair.isClaimed && !isInLedger(pair));
      return entered.map((pair) => pair.entry());
    };
    const placed = (appended: readonly Appended[]): void => {
      for (const [i, pair] of entered.entries()) pair.seq = appended[i]?.seq;
    };
    try {
      await this.#committed(this.#appendSoon(due, placed));
    } catch (thrown) {
      undo();
      throw thrown;
    }
  }

  async enterWith(pair: Pair, act: (tx: Tx) => Promise<readonly Appended[] | undefined>): Promise<boolean> {
    this.#assertGoing();
    if (pair.early !== undefined) await pair.early;
    let isMine = false;
    let isDone = false;
    const undo = (): void => {
      if (isMine) pair.seq = undefined;
      isMine = false;
    };
    try {
      await this.#committed(
        this.#options.store.write(
          async (tx) => {
            undo(); // the transaction may run again
            const due = isInLedger(pair) ? [] : [pair];
            const intents = await this.#write(
              tx,
              due.map((one) => one.entry()),
            );
            isMine = due.length > 0;
            if (isMine) pair.seq = last(intents).seq;
            const more = await act(tx);
            isDone = more !== undefined;
            return [...intents, ...(more ?? [])];
          },
          { log: this.log.id },
        ),
      );
    } catch (thrown) {
      undo();
      throw thrown;
    }
    this.settled(pair);
    return isDone;
  }

  exit(pair: Pair, ending: Ending): Soon<Appended> {
    pair.isClaimed = true;
    pair.sizeAfter = undefined; // of a transaction that was rolled back
    if (pair.early !== undefined) return pair.early.then(() => this.#settleSoon({ pair, ending }));
    if (!this.#options.traffic.isAlone) return this.#settleSoon({ pair, ending });
    this.#assertGoing();
    const appended = this.#atOnce(pairEntries(pair, ending));
    if (appended === undefined) return this.#settleSoon({ pair, ending });
    this.settled(pair);
    return last(appended);
  }

  #settle(items: readonly Settling[]): Soon<readonly Appended[]> {
    this.#assertGoing();
    const entries = items.flatMap(({ pair, ending }) => pairEntries(pair, ending));
    const outcomes = (appended: readonly Appended[]): readonly Appended[] => {
      for (const { pair } of items) this.settled(pair);
      return appended.filter((_, i) => entries[i]?.dated.record.kind === 'call.exit');
    };
    const appended = this.#atOnce(entries);
    if (appended !== undefined) return outcomes(appended);
    return this.#committed(this.#appendSoon(() => entries)).then(outcomes);
  }

  /** Appends records at once, if this process wrote the head last and nothing else is under way; otherwise undefined. */
  #atOnce(entries: readonly KeptEntry[]): Appended[] | undefined {
    const { store, log } = this.#options;
    if (log.left === undefined) return undefined;
    const appended = store.writeNow?.((tx) => appendKeptNow(tx, log, entries));
    if (appended !== undefined) this.#noteCommit(appended);
    return appended;
  }

  /**
   * Appends records: in one statement where the store can and this process wrote the head last, otherwise in a transaction. `due` says which, when
   * the write has its turn, and again if it runs again; `placed` is told where they will be, before that is committed.
   */
  async #appendSoon(
    due: () => readonly KeptEntry[],
    placed: (appended: readonly Appended[]) => void = () => {},
  ): Promise<Appended[]> {
    const { store, log } = this.#options;
    const inTransaction = async (tx: Tx): Promise<Appended[]> => {
      const appended = await this.#write(tx, due());
      placed(appended);
      return appended;
    };
    const write = () => store.write(inTransaction, { group: true, log: log.id });
    if (store.writeOnce === undefined) return write();
    let made: GuardedAppend | undefined;
    let isNothing = false;
    const isWritten = await store.writeOnce(() => {
      const entries = due();
      isNothing = entries.length === 0;
      made = isNothing ? undefined : guardedKept(log, this.instance, entries);
      if (made !== undefined) placed(made.appended);
      return made?.insert;
    });
    if (isNothing) return [];
    if (!isWritten || made === undefined) return write();
    log.left = made.head;
    return made.appended;
  }

  #write(tx: Tx, entries: readonly KeptEntry[]): Promise<Appended[]> {
    return appendKept(tx, this.log, entries);
  }

  async #committed(commit: Promise<Appended[]>): Promise<Appended[]> {
    try {
      const appended = await commit;
      this.#noteCommit(appended);
      return appended;
    } catch (thrown) {
      this.#isFailing = true;
      return this.#failed(thrown);
    }
  }

  /** Throws on what a failed append threw. If the log was changed or replaced, nothing is appended to it any more. */
  #failed(thrown: unknown): never {
    if (isBrokenLog(thrown)) this.#broken ??= thrown;
    throw thrown;
  }

  #noteCommit(appended: readonly Appended[]): void {
    this.#isFailing = false;
    const size = (appended.at(-1)?.seq ?? -1) + 1;
    this.log.committed = Math.max(this.log.committed, size);
    this.#counted(size);
  }

  #counted(size: number): void {
    if (size >= this.#signing.nextAt) this.#options.onGrown(size);
  }

  async claim(tx: Tx, pair: Pair, isFirst = false): Promise<PairPositions> {
    this.#assertGoing();
    pair.isClaimed = true;
    pair.seqInTx = undefined; // of a transaction that was rolled back
    pair.sizeAfter = undefined;
    // The transaction that appended the intent by itself may have been rolled back.
    if (pair.seq !== undefined && !(await isIntentAt(tx, this.log.id, pair.seq, pair.intent.call)))
      pair.seq = undefined;
    if (isFirst && pair.seq === undefined) pair.seqInTx = last(await this.#write(tx, [pair.entry()])).seq;
    const size = await readSize(tx, this.log.id);
    const intent = pair.seq ?? pair.seqInTx;
    return intent === undefined ? { intent: size, outcome: size + 1 } : { intent, outcome: size };
  }

  async exitIn(tx: Tx, pair: Pair, ending: Ending): Promise<Appended> {
    this.#assertGoing();
    const entries = pairEntries(pair, ending, pair.seq ?? pair.seqInTx);
    const outcome = last(await this.#write(tx, entries).catch((thrown) => this.#failed(thrown)));
    pair.sizeAfter = outcome.seq + 1;
    this.#counted(pair.sizeAfter);
    return outcome;
  }

  settled(pair: Pair): void {
    // A log that is shorter afterwards was replaced by an older one.
    if (pair.sizeAfter !== undefined) this.log.committed = Math.max(this.log.committed, pair.sizeAfter);
    this.#early.forget(pair);
    this.#release(pair);
  }

  /** Gives the pair's place in the journal free: its intent is in the ledger. */
  #release(pair: Pair): void {
    if (pair.frame !== undefined) this.#options.journal?.release(pair.frame);
    pair.frame = undefined;
  }

  async pair(tx: Tx, intent: Intent, ending: Ending): Promise<void> {
    this.#assertGoing();
    await this.#write(tx, pairEntries(this.#pairOf(intent), ending));
  }

  async close(tx: Tx, sequenceNo: number, ending: Ending): Promise<void> {
    this.#assertGoing();
    await this.#write(tx, [outcomeEntry(sequenceNo, ending)]);
  }

  wipeJournal(): void {
    quietly(() => this.#options.journal?.wipe()); // if the file is gone for good, the next intent finds it out
  }

  end(): void {
    this.#early.stop();
    this.#options.journal?.end();
  }
}
