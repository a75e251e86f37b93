// The two records of one call on their way into the ledger: the intent, which is durable before the call's handler starts, and the outcome. Usually
// both are appended in one transaction, after the handler has ended. The intent of a call that lasts is appended by itself.
import type { CallEnterRecord, CallExitRecord } from '../../proof/records.js';
import { type EnterHalves, enterHalves } from '../call-text.js';
import type { CallWords } from '../error-words.js';
import type { Dated } from '../ledger.js';
import type { OwnLog } from '../own-log.js';
import { type KeptEntry, keptTexts, type Payload, type PayloadPolicy, payloadOf } from '../payload.js';
import type { JournalFrame } from './journal.js';

/** What the record before a call says, without the members that are added when it is appended: instance, digest of the arguments, position. */
export interface Intent extends Omit<CallEnterRecord, 'kind' | 'instance' | 'late' | keyof Payload['said']> {
  readonly at: string;
  /** The call's arguments as received, without texts that the tool stores itself. */
  readonly args: unknown;
  /** True if the call was answered before its intent was durable. */
  late?: true | undefined;
}

/** What the record after a call says, without the sequence number that links it to the record before the call. */
export interface Ending extends Omit<CallExitRecord, 'late'> {
  readonly at: string;
  /** The words of the error, if the call ended with one, and of attempts that failed before another server was asked. They are kept beside the record. */
  readonly words?: CallWords | undefined;
  /** True if the call was answered before its outcome was committed. */
  late?: true | undefined;
}

export interface PairPlace {
  readonly log: string;
  readonly instance: string;
  readonly payloads: PayloadPolicy;
  /** The log of the process that makes the call. */
  readonly own?: Pick<OwnLog, 'isGone'>;
}

export class Pair {
  readonly intent: Intent;
  readonly payloads: PayloadPolicy;
  /** The place of the intent in the journal; undefined if it is not there, or in the ledger already. */
  frame: JournalFrame | undefined = undefined;
  /** The intent's position in the log if it was appended by itself. The transaction that appended it may still be rolled back. */
  seq: number | undefined = undefined;
  /**
   * The intent's position in the log if it was appended at the beginning of the handler's transaction. Only that transaction's own outcome
   * may use it: if the transaction is rolled back, the intent is gone.
   */
  seqInTx: number | undefined = undefined;
  /** How many records the log has once the transaction commits that appended the outcome. */
  sizeAfter: number | undefined;
  /** Resolves, and never rejects, when the attempt to append the intent by itself has ended. */
  early: Promise<void> | undefined = undefined;
  /** True once somebody is about to append the outcome: from then on the intent is no longer appended by itself. */
  isClaimed = false;
  /** When the intent became durable, in milliseconds of the monotonic clock. */
  sinceMs = 0;
  readonly #record: CallEnterRecord;
  readonly #halves: EnterHalves;
  readonly #kept: Payload['row'];
  readonly #own: PairPlace['own'];

  /** Redacts and digests the arguments once: a transaction that appends them may have to be repeated. */
  constructor(intent: Intent, { log, instance, payloads, own }: PairPlace) {
    this.intent = intent;
    this.payloads = payloads;
    this.#own = own;
    const { said, row } = payloadOf(intent.args, payloads);
    // Members without a value are named too: V8 is faster if the objects of all intents have the same members.
    this.#record = {
      kind: 'call.enter',
      instance,
      call: intent.call,
      tool: intent.tool,
      effect: intent.effect,
      check: intent.check,
      client: intent.client,
      host: intent.host,
      definition: intent.definition,
      unlisted: intent.unlisted,
      args: said.args,
      args_bytes: said.args_bytes,
      args_digest: said.args_digest,
      args_salt: said.args_salt,
      late: undefined,
    };
    this.#halves = enterHalves({ at: intent.at, log }, this.#record);
    this.#kept = row;
  }

  /** Whether others closed the call, because they took its process for dead: then it gets no other outcome. */
  get isGone(): boolean {
    return this.#own?.isGone === true;
  }

  /** The intent as a line of the journal: the record with the position 0, then the salt and the text of the stored arguments. */
  get line(): string {
    const { before, after } = this.#halves;
    const kept = this.#kept;
    return kept === undefined ? `${before}0${after}\n` : `${before}0${after}\t${kept.salt}\t${kept.json ?? ''}\n`;
  }

  /** The intent as an entry of an append. Made inside the transaction, because until then the intent may be marked `late`. */
  entry(): KeptEntry {
    const { at, late } = this.intent;
    const dated: Dated =
      late === true ? { at, record: { ...this.#record, late } } : { at, record: this.#record, halves: this.#halves };
    return { dated, kept: this.#kept };
  }
}

/**
 * The outcome of a call as an entry of an append. `sequenceNo`: 'before' if the call's intent is the entry directly before it. The words of an
 * error are kept only where arguments are.
 */
export const outcomeEntry = (
  sequenceNo: number | 'before',
  ending: Ending,
  payloads: PayloadPolicy = 'none',
): KeptEntry => {
  const { at, words } = ending;
  if (words === undefined || payloads !== 'stored')
    return { dated: { at, record: ending, sequenceNo }, kept: undefined };
  const { said, row } = keptTexts(words);
  return { dated: { at, record: { ...ending, ...said }, sequenceNo }, kept: row };
};

/** The entries that complete a call in the ledger: its outcome, and its intent if that is not there yet. `seq`: the intent's position there. */
export const pairEntries = (pair: Pair, ending: Ending, seq = pair.seq): KeptEntry[] =>
  seq === undefined
    ? [pair.entry(), outcomeEntry('before', ending, pair.payloads)]
    : [outcomeEntry(seq, ending, pair.payloads)];
