// Reads a file of receipts that a client kept: a JSON array, or one JSON value a line; each is a receipt or an answer with a receipt.
import { ColibriError } from '../../errors.js';
import { isObject } from '../../proof/canonical-json.js';
import { RECEIPT_KEY } from '../../proof/records.js';

export interface KeptReceipt {
  readonly log: string;
  readonly seq: number;
  readonly leaf: string;
  readonly call: string;
  readonly salt?: string;
}

const unreadable = (at: number): ColibriError =>
  new ColibriError('INVALID_PARAMS', `Entry ${at} of the file is not a receipt.`, {
    remedy:
      'Expected {log, seq, leaf, call}, or an answer with _meta["dev.colibri/receipt"], in an array or one a line.',
  });

const memberOf = (value: unknown, key: string): unknown => (isObject(value) ? value[key] : undefined);

/** The receipt in the answer to a call: in its result, or in the data of its error. */
const carried = (value: unknown): unknown => {
  const result = memberOf(value, 'result') ?? value;
  const data = memberOf(memberOf(value, 'error') ?? value, 'data');
  return memberOf(memberOf(result, '_meta'), RECEIPT_KEY) ?? memberOf(data, RECEIPT_KEY) ?? value;
};

const isReceipt = (value: unknown): value is KeptReceipt => {
  const { log, seq, leaf, call } = (value ?? {}) as Partial<Record<keyof KeptReceipt, unknown>>;
  const texts = [log, leaf, call].every((text) => typeof text === 'string');
  return texts && Number.isSafeInteger(seq) && Number(seq) >= 0;
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

export const readReceipts = (text: string): KeptReceipt[] =>
  parsed(text).map((value, at) => {
    const receipt = carried(value);
    if (!isReceipt(receipt)) throw unreadable(at + 1);
    const { log, seq, leaf, call } = receipt;
    return { log, seq, leaf, call };
  });
