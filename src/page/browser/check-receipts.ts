// Checks receipts that a client kept against the records of the page, in the forms that `colibri verify --receipts` takes.
import { fromBase64 } from '../../proof/base64.js';
import { canonicalJson, isObject, type JsonObject } from '../../proof/canonical-json.js';
import { RECEIPT_KEY } from '../../proof/records.js';
import { receiptVerdict } from '../../proof/verify-receipt.js';
import { logIdOf } from '../model/model.js';
import { numberIn, objectIn, textIn } from '../model/read.js';
import type { App } from './app.js';
import { pageHashes } from './checking.js';
import { h } from './dom.js';
import type { FileFinding } from './finding.js';
import { PAGE_LIMITS } from './limits.js';
import { standingOfRecord } from './marks.js';
import { countOf, figureOf } from './words.js';

interface Kept {
  readonly receipt: JsonObject;
  readonly answer: unknown;
}

const receiptIn = (value: JsonObject): JsonObject | undefined => {
  const found = objectIn(value._meta)[RECEIPT_KEY] ?? objectIn(value.data)[RECEIPT_KEY];
  return isObject(found) ? found : undefined;
};

const bytesBeside = ({ bytes, base64 }: JsonObject): unknown =>
  typeof bytes === 'string' ? bytes : typeof base64 === 'string' ? (fromBase64(base64) ?? null) : undefined;

/** A receipt alone, an answer with one in it, or a receipt beside the bytes of its answer, as `colibri verify --receipts` takes them. */
const keptIn = (value: unknown): Kept | undefined => {
  if (!isObject(value)) return undefined;
  if (isObject(value.receipt)) return { receipt: value.receipt, answer: bytesBeside(value) };
  for (const part of [value.result, value, value.error].filter(isObject)) {
    const receipt = receiptIn(part);
    if (receipt !== undefined)
      return { receipt, answer: part === value.error || part.data !== undefined ? undefined : part };
  }
  return typeof value.leaf === 'string' ? { receipt: value, answer: undefined } : undefined;
};

const receiptFault = (app: App, { receipt, answer }: Kept): string | undefined => {
  const [log, seq] = [textIn(receipt.log), numberIn(receipt.seq) ?? -1];
  const record = app.data.logs.find((one) => logIdOf(one) === log)?.records.find((one) => one.seq === seq);
  const name = `record ${seq} of log ${log.slice(0, 8)}`;
  if (record === undefined) return `${name} is not in this page`;
  const standing = standingOfRecord(app, log, seq);
  if (standing !== 'proved') return `${name} is ${standing}`;
  const text = canonicalJson(record);
  if (pageHashes.leaf(text) !== receipt.leaf || record.call !== receipt.call)
    return `${name} is another one than the receipt names`;
  if (answer === undefined) return undefined;
  const verdict = receiptVerdict(receipt, answer, text, pageHashes);
  return verdict.holds ? undefined : `${name}: ${verdict.why}`;
};

const parsedLines = (text: string): unknown[] => {
  const trimmed = text.trim();
  if (trimmed.startsWith('[')) return JSON.parse(trimmed) as unknown[];
  try {
    return [JSON.parse(trimmed)];
  } catch {
    return trimmed
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => JSON.parse(line) as unknown);
  }
};

export const receiptsFinding = (app: App, text: string): FileFinding => {
  const all = parsedLines(text).slice(0, PAGE_LIMITS.checkReceipts);
  const faults = all.flatMap((value, i) => {
    const kept = keptIn(value);
    const why = kept === undefined ? 'is not a receipt' : receiptFault(app, kept);
    return why === undefined ? [] : [`entry ${i + 1}: ${why}`];
  });
  const right = all.length - faults.length;
  return {
    good: faults.length === 0 && all.length > 0,
    text: `${figureOf(right)} of ${countOf(all.length, 'receipt')} match records of this page that are under a signed root.`,
    more:
      faults.length > 0 &&
      h(
        'ul',
        {},
        faults.slice(0, PAGE_LIMITS.checkFaults).map((fault) => h('li', {}, fault)),
        faults.length > PAGE_LIMITS.checkFaults &&
          h('li', {}, `and ${figureOf(faults.length - PAGE_LIMITS.checkFaults)} more`),
      ),
  };
};
