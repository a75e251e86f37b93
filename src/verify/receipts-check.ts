// Checks receipts that a client kept, and the answers that it kept with them, against the records in the store.
import { hashes, leafHash } from '../ledger/hashes.js';
import { type JsonObject, parseObject } from '../proof/canonical-json.js';
import { receiptVerdict } from '../proof/verify-receipt.js';
import { actionAt } from './log/ledger-repository.js';
import type { RecordSpot } from './log/record.js';
import type { StoreReader, StoreSnapshot } from './reading.js';
import { addFinding, type Found, guarded, nothingFound } from './verdict/finding-list.js';

/** The answer to a call as a client kept it: a result, the bytes of one, or a JSON-RPC error. */
export type KeptAnswer = { readonly result: JsonObject } | { readonly bytes: Uint8Array } | { readonly error: unknown };

/** A receipt that a client kept; `salt` and `answer` may be missing, and then only place, leaf and call are checked. */
export interface GivenReceipt extends RecordSpot {
  readonly leaf: string;
  readonly call: string;
  readonly salt?: string;
  readonly answer?: KeptAnswer;
}

export interface ReceiptsReport {
  readonly found: Found;
  /** How many receipts were checked without the answer to their call: the client kept none, or the record's digest does not cover the kept form. */
  readonly unanswered: number;
}

/** Whether nothing in the record can show whether the kept answer is the one that was given. */
const isUnanswered = ({ answer, salt }: GivenReceipt, { result_digest: digest, form }: JsonObject): boolean => {
  if (answer === undefined || salt === undefined) return true;
  if ('error' in answer) return digest === undefined;
  return form === 'bytes' && !('bytes' in answer);
};

const asSentence = (why: string): string => `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;

const answerFault = (receipt: GivenReceipt, body: string): string | undefined => {
  const { answer } = receipt;
  if (answer === undefined || 'error' in answer)
    return 'The call was answered with a result, and the kept answer is an error.';
  const verdict = receiptVerdict(receipt, 'bytes' in answer ? answer.bytes : answer.result, body, hashes);
  return verdict.holds ? undefined : asSentence(verdict.why);
};

const placeFault = ({ call, leaf }: GivenReceipt, body: unknown): string | undefined => {
  if (typeof body !== 'string') return 'The record that the receipt names is not there.';
  if (leafHash(body) !== leaf) return 'The record at the place that the receipt names has another hash.';
  const record = parseObject(body);
  if (record.kind !== 'call.exit') return 'The record that a receipt names is not the outcome of a call.';
  return record.call === call ? undefined : 'The receipt names another call than the record.';
};

interface Judged {
  readonly fault?: string | undefined;
  readonly isUnanswered?: boolean;
}

const judgeReceipt = (tx: StoreSnapshot, receipt: GivenReceipt): Judged => {
  const body = actionAt(tx, receipt.log, receipt.seq)?.[7];
  const fault = placeFault(receipt, body);
  if (fault !== undefined || typeof body !== 'string') return { fault };
  if (isUnanswered(receipt, parseObject(body))) return { isUnanswered: true };
  return { fault: answerFault(receipt, body) };
};

export const checkReceipts = (reader: StoreReader, receipts: readonly GivenReceipt[]): ReceiptsReport => {
  const found = nothingFound();
  let unanswered = 0;
  for (const receipt of receipts) {
    const where = { log: receipt.log, seq: receipt.seq };
    guarded(found, 'receipt', where, () => {
      const judged = reader.snapshot((tx) => judgeReceipt(tx, receipt));
      if (judged.fault !== undefined) addFinding(found, 'receipt', where, judged.fault);
      if (judged.isUnanswered === true) unanswered += 1;
    });
  }
  return { found, unanswered };
};
