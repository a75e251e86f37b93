// What the rest of the process may ask of the records of its calls; recorded-calls.ts does it.
import type { Soon } from '../../core/soon.js';
import type { ColibriError } from '../../errors.js';
import type { Store, Tx } from '../../store/store.js';
import type { Appended } from '../ledger.js';
import type { OwnLog } from '../own-log.js';
import type { PayloadPolicy } from '../payload.js';
import type { SigningState } from '../signer.js';
import type { IntentJournal } from './journal.js';
import type { Ending, Intent, Pair } from './pair.js';
import { RecordedCalls } from './recorded-calls.js';

/** The positions that the records of a call have, or will have once the open transaction is committed. */
export interface PairPositions {
  readonly intent: number;
  readonly outcome: number;
}

export interface CallLedger {
  readonly log: OwnLog;
  readonly instance: string;
  /** Stops all appending to the log: from now on every method that appends throws the error `why`. */
  halt(why: ColibriError): void;
  /** Why nothing is appended to the log any more; undefined while records are appended. */
  readonly halted?: ColibriError | undefined;
  /** Whether `enter` needs only the journal now, so that it does not wait for the store. */
  readonly isPrompt: boolean;
  /** Makes a call's intent durable. */
  enter(intent: Intent): Soon<Pair>;
  /**
   * Commits what `act` appends, together with the call's intent if that is not in the ledger yet. Returns whether `act` appended anything; if it
   * returns undefined, nothing of it may have been written.
   */
  enterWith(pair: Pair, act: (tx: Tx) => Promise<readonly Appended[] | undefined>): Promise<boolean>;
  /** Commits the outcome of a call, together with its intent if that is not in the ledger yet. Returns the outcome's position. */
  exit(pair: Pair, ending: Ending): Soon<Appended>;
  /**
   * To be called at the beginning of the transaction in which `exitIn` will append the outcome. `isFirst`: appends the intent now, because
   * records that the handler appends belong between the two.
   */
  claim(tx: Tx, pair: Pair, isFirst?: boolean): Promise<PairPositions>;
  /** Like `exit`, in the caller's transaction, which called `claim` before. After its commit, the caller calls `settled`. */
  exitIn(tx: Tx, pair: Pair, ending: Ending): Promise<Appended>;
  /** Says that the transaction in which `exitIn` appended the outcome is committed. */
  settled(pair: Pair): void;
  /** Appends both records of a finished call whose intent was not made durable, in the caller's transaction. */
  pair(tx: Tx, intent: Intent, ending: Ending): Promise<void>;
  /** Appends the outcome of a call of any process whose intent is in the ledger, in the caller's transaction. */
  close(tx: Tx, sequenceNo: number, ending: Ending): Promise<void>;
  /** Overwrites intents in the journal that are in the ledger. */
  wipeJournal(): void;
  /** Ends the journal. To be called after the last call. */
  end(): void;
}

/** The calls that run in this process now. */
export interface Traffic {
  readonly size: number;
  /** True if at most one call runs and no further request has arrived. */
  readonly isAlone: boolean;
}

export interface CallLedgerOptions {
  readonly store: Store;
  readonly log: OwnLog;
  readonly instance: string;
  readonly payloads: PayloadPolicy;
  readonly traffic: Traffic;
  /** Without a journal, every intent is committed to the ledger before the call's handler starts. */
  readonly journal?: IntentJournal | undefined;
  readonly nowMs: () => number;
  /** Tells when `onGrown` and `refusal` have to be called. Without it, both are called for every call. */
  readonly signing?: Readonly<SigningState>;
  /** A callback for the time after records were appended; it gets the size of the log and must not throw. */
  readonly onGrown: (size: number) => void;
  /** Why no intent may be recorded now; undefined if one may. Outcomes are recorded in any case. */
  readonly refusal?: () => ColibriError | undefined;
}

export const createCallLedger = (options: CallLedgerOptions): CallLedger => new RecordedCalls(options);
