// Reads a file of receipts that a client kept: a JSON array, or one JSON value a line. Each is a receipt alone, an answer with a receipt in
// it, or a receipt with the bytes of its answer.
import { ColibriError } from '../../errors.js';
import { isObject, type JsonObject } from '../../proof/canonical-json.js';
import { RECEIPT_KEY } from '../../proof/records.js';
import type { GivenReceipt, KeptAnswer } from '../../verify/verify.js';

const unreadable = (at: number): ColibriError =>
  new ColibriError('INVALID_PARAMS', `Entry ${at} of the file is not a receipt.`, {
    remedy:
      'Expected {log, seq, leaf, call, salt}, an answer with _meta["dev.colibri/receipt"], or {receipt, bytes} or {receipt, base64}, in an array or one a line.',
  });

const memberOf = (value: unknown, key: string): unknown => (isObject(value) ? value[key] : undefined);

interface Kept {
  readonly receipt: unknown;
  readonly answer?: KeptAnswer;
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The bytes of an answer, which the file has beside the receipt as text (`bytes`) or as `base64`. */
const bytesBeside = ({ bytes, base64 }: JsonObject): Uint8Array | undefined => {
  if (typeof bytes === 'string') return Buffer.from(bytes);
  return typeof base64 === 'string' && BASE64.test(base64) ? Buffer.from(base64, 'base64') : undefined;
};

/** Finds the receipt in a result. The value is the whole JSON-RPC response or its result alone. */
const inResult = (value: JsonObject): Kept | undefined => {
  const result = [value.result, value].filter(isObject).find(({ _meta: meta }) => memberOf(meta, RECEIPT_KEY));
  return result && { receipt: memberOf(result._meta, RECEIPT_KEY), answer: { result } };
};

/** Finds the receipt in a JSON-RPC error. The value is the whole response or its error alone. */
const inError = (value: JsonObject): Kept | undefined => {
  const error = [value.error, value].filter(isObject).find(({ data }) => memberOf(data, RECEIPT_KEY));
  return error && { receipt: memberOf(error.data, RECEIPT_KEY), answer: { error } };
};

const besideBytes = (value: JsonObject): Kept | undefined => {
  const bytes = bytesBeside(value);
  return bytes === undefined || value.receipt === undefined ? undefined : { receipt: value.receipt, answer: { bytes } };
};

const keptIn = (value: unknown): Kept =>
  (isObject(value) ? (besideBytes(value) ?? inResult(value) ?? inError(value)) : undefined) ?? { receipt: value };

/** A receipt without the answer to its call. */
export type KeptReceipt = Omit<GivenReceipt, 'answer'>;

const isReceipt = (value: unknown): value is KeptReceipt => {
  const { log, seq, leaf, call, salt } = (value ?? {}) as Partial<Record<keyof KeptReceipt, unknown>>;
  const texts = [log, leaf, call].every((text) => typeof text === 'string');
  const isSalted = salt === undefined || typeof salt === 'string';
  return texts && isSalted && Number.isSafeInteger(seq) && Number(seq) >= 0;
};

const values = (text: string): unknown[] => {
  const trimmed = text.trim();
  if (trimmed.startsWith('[')) return JSON.parse(trimmed) as unknown[];
  return trimmed
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as unknown);
};

const parsed = (text: string): unknown[] => {
  try {
    return values(text);
  } catch {
    throw unreadable(0);
  }
};

export const readReceipts = (text: string): GivenReceipt[] =>
  parsed(text).map((value, at) => {
    const { receipt, answer } = keptIn(value);
    if (!isReceipt(receipt)) throw unreadable(at + 1);
    const { log, seq, leaf, call, salt } = receipt;
    return { log, seq, leaf, call, ...(salt !== undefined && { salt }), ...(answer && { answer }) };
  });
