// Checks whether an answer matches the digest in its call's record. The receipt came with the answer, and the record comes from the log; a
// proof file of the record then shows that the record is in the log.
import { fromHex, fromUtf8, joined, toUtf8 } from './bytes.js';
import { canonicalJson, isObject, type JsonObject, parsedObject, parseObject } from './canonical-json.js';
import type { ProofCrypto } from './crypto.js';
import { type Hashes, hashesFrom } from './hashes.js';
import { type NotHeld, notHeld } from './proof-check.js';
import { carriedBy, ownText, readReceipt, wholeTexts } from './receipt.js';
import type { Receipt } from './records.js';
import type { Written } from './result-text.js';

export type ReceiptVerdict =
  | {
      readonly holds: true;
      /** The members of the record. */
      readonly record: JsonObject;
    }
  | NotHeld;

interface Given {
  readonly receipt: Receipt;
  /** The canonical text of the record, and its parsed members. */
  readonly text: string;
  readonly record: JsonObject;
  /**
   * The texts of the answer that may have been digested; undefined if the record has the digest of the answer's bytes (`form: "bytes"`).
   */
  readonly texts: readonly Written[] | undefined;
  /** The bytes of the answer, if they were kept. */
  readonly bytes: Uint8Array | undefined;
}

/** The texts of an answer that may have been digested. The record of a call that went to another server has a `route`: then the whole result was digested. */
const textsOf = (answer: JsonObject, record: JsonObject): readonly Written[] => {
  const own = record.route === undefined ? ownText(answer) : undefined;
  return [...(own === undefined ? [] : [{ text: own }]), ...wholeTexts(answer)];
};

const isCanonical = (text: string, record: JsonObject): boolean => {
  try {
    return canonicalJson(record) === text;
  } catch {
    return false;
  }
};

const isSame = (one: Receipt, other: Receipt | undefined): boolean =>
  (['log', 'seq', 'leaf', 'call', 'salt'] as const).every((member) => one[member] === other?.[member]);

/** The bytes of an answer that was kept as bytes or as text; undefined if it was kept in another form, such as an object. */
const bytesOf = (answer: unknown): Uint8Array | undefined => {
  if (answer instanceof Uint8Array) return answer;
  return typeof answer === 'string' ? toUtf8(answer) : undefined;
};

/** The answer as an object; if its bytes were kept, they are parsed. */
const objectIn = (answer: unknown, bytes: Uint8Array | undefined): JsonObject | undefined => {
  if (bytes !== undefined) return parsedObject(fromUtf8(bytes));
  return isObject(answer) ? answer : undefined;
};

const read = (handed: unknown, given: unknown, text: unknown): Given | NotHeld => {
  const receipt = readReceipt(handed);
  if (receipt === undefined) return notHeld('the receipt is not {log, seq, leaf, call, salt}');
  if (typeof text !== 'string') return notHeld('the record is not a text');
  const record = parseObject(text);
  if (!isCanonical(text, record)) return notHeld('the record is not a JSON object in canonical form');
  const bytes = bytesOf(given);
  if (record.form === 'bytes') {
    if (bytes === undefined) return notHeld('the record digests bytes: the answer must be handed in as it came');
    return { receipt, text, record, texts: undefined, bytes };
  }
  const answer = objectIn(given, bytes);
  if (answer === undefined) return notHeld('the answer is not a result');
  const carried = carriedBy(answer);
  if (carried !== undefined && !isSame(receipt, readReceipt(carried))) {
    return notHeld('the answer carries another receipt');
  }
  return { receipt, text, record, texts: textsOf(answer, record), bytes };
};

/** Calls `read` and turns an exception into a verdict: reading objects that a caller passed in may run any code, and may throw. */
const readSafely = (receipt: unknown, answer: unknown, text: unknown): Given | NotHeld => {
  try {
    return read(receipt, answer, text);
  } catch {
    return notHeld('the receipt or the answer cannot be read');
  }
};

const placeFault = ({ log, seq, call }: Receipt, record: JsonObject): string | undefined => {
  if (record.log !== log || record.seq !== seq) return 'the record names another place than the receipt';
  if (record.kind !== 'call.exit') return 'the record is not the outcome of a call';
  return record.call === call ? undefined : 'the record is of another call';
};

const OTHER_ANSWER = 'the answer does not match the digest in the record';
/**
 * A possible reason why the digest differs: the server that answered was a Colibri too. Its receipt was digested with the result, and
 * then this Colibri replaced that receipt by its own.
 */
const REPLACED = 'or it had a receipt of its own, which ours replaced';

const digestFault = ({ receipt, record, texts, bytes }: Given, hashes: Hashes): string | undefined => {
  const { result_digest: digest, form, route } = record;
  if (digest === undefined)
    return 'the record has no digest of an answer: JSON-RPC errors and cancelled calls have none';
  const salt = fromHex(receipt.salt);
  if (texts === undefined)
    return hashes.bytes(joined(salt, bytes ?? new Uint8Array())) === digest ? undefined : OTHER_ANSWER;
  const found = texts.some((one) => one.form === form && hashes.salted(salt, one.text) === digest);
  if (found) return undefined;
  return route === undefined ? OTHER_ANSWER : `${OTHER_ANSWER}, ${REPLACED}`;
};

/** Whether a record is the one that a receipt names and contains the digest of an answer; `hashes` are the hash functions to use. */
export const receiptVerdict = (receipt: unknown, answer: unknown, record: string, hashes: Hashes): ReceiptVerdict => {
  const given = readSafely(receipt, answer, record);
  if ('holds' in given) return given;
  if (hashes.leaf(given.text) !== given.receipt.leaf)
    return notHeld('the leaf of the receipt is not that of the record');
  const why = placeFault(given.receipt, given.record) ?? digestFault(given, hashes);
  return why === undefined ? { holds: true, record: given.record } : notHeld(why);
};

/**
 * Whether `record`, the canonical text of a `call.exit`, is the record that `receipt` names and contains the digest of `answer`: the result
 * that carried the receipt, or, if the record has `form: "bytes"`, the bytes of the result as the server sent them, or their text. The
 * promise rejects only if `crypto` throws.
 */
export const verifyReceipt = async (
  receipt: Receipt,
  answer: unknown,
  record: string,
  crypto: Pick<ProofCrypto, 'sha256'>,
): Promise<ReceiptVerdict> =>
  receiptVerdict(
    receipt,
    answer,
    record,
    hashesFrom((bytes) => crypto.sha256(bytes)),
  );
