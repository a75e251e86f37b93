// Writes the two records of a call: its intent, committed before the tool's handler starts, and its outcome. The outcome names the intent
// by `sequence_no`; no record is ever updated.
import { CORE_LIMITS } from '../core/limits.js';
import { type ColibriError, isStoreFault } from '../errors.js';
import type { CallEnterRecord, CallExitRecord } from '../proof/records.js';
import type { Store, Tx } from '../store/store.js';
import { isBrokenLog } from './head.js';
import type { Appended, Dated } from './ledger.js';
import type { OwnLog } from './own-log.js';
import { appendKept, appendKeptNow, type KeptEntry, type Payload, type PayloadPolicy, payloadOf } from './payload.js';
import type { SigningState } from './signer.js';

/** What the record before a call says, without the members that are added when it is appended: instance, digest of the arguments, position. */
export interface Intent extends Omit<CallEnterRecord, 'kind' | 'instance' | 'late' | keyof Payload['said']> {
  readonly at: string;
  /** The call's arguments as received, without texts that the tool stores itself. */
  readonly args: unknown;
  /** True if the call was answered before its intent was committed. */
  late?: true | undefined;
}

/** What the record after a call says, without the sequence number that links it to the record before the call. */
export interface Ending extends Omit<CallExitRecord, 'late'> {
  readonly at: string;
  /** True if the call was answered before its outcome was committed. */
  late?: true | undefined;
}

export interface CallLedger {
  readonly log: OwnLog;
  readonly instance: string;
  /** Stops all appending to the log: from now on every method that appends throws the error `why`. */
  halt(why: ColibriError): void;
  /** Why nothing is appended to the log any more; undefined while records are appended. */
  readonly halted?: ColibriError | undefined;
  /** Commits a call's intent record and returns the call's sequence number. */
  enter(intent: Intent): Promise<number>;
  /** Appends a call's outcome record: in `tx`, to commit with the handler's own writes, or in a transaction of its own. */
  exit(sequenceNo: number, ending: Ending, tx?: Tx): Promise<Appended>;
  /** Appends both records of a finished call in the caller's transaction. */
  pair(tx: Tx, intent: Intent, ending: Ending): Promise<void>;
}

export interface CallLedgerOptions {
  readonly store: Store;
  readonly log: OwnLog;
  readonly instance: string;
  readonly payloads: PayloadPolicy;
  /** The set of tool calls that are running now. */
  readonly inFlight: { readonly size: number };
  /** Tells when `onGrown` and `refusal` have to be called. Without it, both are called for every call. */
  readonly signing?: Readonly<SigningState>;
  /** A callback for the time after records were appended; it gets the size of the log and must not throw. */
  readonly onGrown: (size: number) => void;
  /** Why no intent may be recorded now; undefined if one may. Outcomes are recorded in any case. */
  readonly refusal?: () => ColibriError | undefined;
}

/** A record to be appended, and the row of `payloads` that is stored with it. */
interface Entry {
  /** Makes the record. Called inside the transaction, because until then the record may be marked `late`. */
  readonly dated: () => Dated;
  readonly kept: Payload['row'];
}

const made = ({ dated, kept }: Entry): KeptEntry => ({ dated: dated(), kept });

const ended = (sequenceNo: number, ending: Ending): Entry => ({
  dated: () => ({ at: ending.at, record: ending, sequenceNo }),
  kept: undefined,
});

/** The entry for a call's intent. Arguments are redacted and digested once, before the transaction, which may have to be repeated. */
const intentEntry = (intent: Intent, instance: string, payloads: PayloadPolicy): Entry => {
  const { said, row } = payloadOf(intent.args, payloads);
  return {
    // Members without a value are named too: V8 is faster if the objects of all intents have the same members.
    dated: () => ({
      at: intent.at,
      record: {
        kind: 'call.enter',
        instance,
        call: intent.call,
        tool: intent.tool,
        effect: intent.effect,
        check: intent.check,
        client: intent.client,
        host: intent.host,
        args: said.args,
        args_bytes: said.args_bytes,
        args_digest: said.args_digest,
        args_salt: said.args_salt,
        late: intent.late,
      },
    }),
    kept: row,
  };
};

export const createCallLedger = (options: CallLedgerOptions): CallLedger => {
  const { store, log, instance, payloads, inFlight, onGrown, refusal } = options;
  const { signing = { nextAt: 0, isFailing: true } } = options;
  let broken: ColibriError | undefined;
  const haltedBy = (): ColibriError | undefined => broken ?? store.fault;
  const assertGoing = (): void => {
    const why = haltedBy();
    if (why !== undefined) throw why;
  };

  const intended = (intent: Intent): Entry => intentEntry(intent, instance, payloads);

  const write = (tx: Tx, entries: readonly Entry[]): Promise<Appended[]> => appendKept(tx, log, entries.map(made));

  const counted = (appended: readonly Appended[]): void => {
    const size = (appended.at(-1)?.seq ?? -1) + 1;
    if (size >= signing.nextAt) onGrown(size);
  };

  /** Appends records at once, if this process wrote the head last and nothing else is under way; otherwise undefined. */
  const atOnce = (entries: readonly Entry[]): Appended[] | undefined =>
    log.left && store.writeNow?.((tx) => appendKeptNow(tx, log, entries.map(made)));

  /** Queues a record so that intents and outcomes of one turn of the event loop share a commit. */
  const soon = gather(
    async (entries: readonly Entry[]): Promise<Appended[]> => {
      assertGoing();
      try {
        const appended = atOnce(entries) ?? (await store.write((tx) => write(tx, entries), { group: true }));
        log.committed = Math.max(log.committed, (appended.at(-1)?.seq ?? -1) + 1);
        counted(appended);
        return appended;
      } catch (thrown) {
        if (isBrokenLog(thrown)) broken ??= thrown;
        throw thrown;
      }
    },
    // In one turn of the event loop, `groupCalls` calls may begin and as many may end; each of these is one record.
    { most: 2 * CORE_LIMITS.groupCalls, isAlone: () => inFlight.size <= 1 },
  );
  const only = ([appended]: readonly Appended[]): Appended => {
    if (appended === undefined) throw new Error('nothing was appended');
    return appended;
  };

  return {
    log,
    instance,
    halt: (why) => {
      broken ??= why;
    },
    get halted() {
      return haltedBy();
    },
    enter: async (intent) => {
      const why = signing.isFailing ? refusal?.() : undefined;
      if (why !== undefined) throw why;
      return (await soon(intended(intent))).seq;
    },
    exit: async (sequenceNo, ending, tx) => {
      if (tx === undefined) return soon(ended(sequenceNo, ending));
      assertGoing();
      const appended = await write(tx, [ended(sequenceNo, ending)]);
      counted(appended);
      return only(appended);
    },
    pair: async (tx, intent, ending) => {
      assertGoing();
      const { seq } = only(await write(tx, [intended(intent)]));
      await write(tx, [ended(seq, ending)]);
    },
  };
};

// Batches small writes: records of calls that run at the same time share one append. The records of a call that runs alone never wait.

export interface GatherOptions {
  /** The most items in one batch. */
  readonly most: number;
  /** Whether no further item can be expected in this turn of the event loop, so that the batch need not wait for the turn's end. */
  readonly isAlone: () => boolean;
}

/**
 * Returns a function that passes items on in batches: a single item at once, several at the end of the event loop's turn, when all requests
 * of a chunk of input have arrived. If a batch fails because of its contents, its items are passed on one by one, so that only the bad item
 * fails.
 */
export const gather = <T, R>(
  handle: (items: readonly T[]) => Promise<readonly R[]>,
  { most, isAlone }: GatherOptions,
) => {
  interface Waiting {
    readonly item: T;
    resolve(result: R): void;
    reject(error: unknown): void;
  }
  let waiting: Waiting[] = [];
  let scheduled = false;

  const alone = ({ item, resolve, reject }: Waiting): Promise<void> =>
    handle([item]).then(([result]) => resolve(result as R), reject);

  const send = async (): Promise<void> => {
    scheduled = false;
    const batch = waiting.slice(0, most);
    waiting = waiting.slice(most);
    if (waiting.length > 0) schedule();
    try {
      const results = await handle(batch.map(({ item }) => item));
      for (const [i, { resolve }] of batch.entries()) resolve(results[i] as R);
    } catch (error) {
      if (batch.length === 1 || isStoreFault(error)) for (const { reject } of batch) reject(error);
      else await Promise.all(batch.map(alone));
    }
  };
  const schedule = (): void => {
    if (scheduled) return;
    scheduled = true;
    const endOfTurn = setImmediate(send);
    // `isAlone` is asked in a microtask: by then the call that this item belongs to has been counted as running.
    queueMicrotask(() => {
      if (!isAlone()) return;
      clearImmediate(endOfTurn);
      void send();
    });
  };

  return (item: T): Promise<R> =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      schedule();
    });
};
