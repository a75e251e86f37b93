// Reads receipts (docs/audit-format.md), which say where the record of a call is, and finds the part of a received answer that was
// digested.
import { isObject, type JsonObject, parseObject } from './canonical-json.js';
import { isHexHash, isIndex } from './proof-file.js';
import { RECEIPT_KEY, type Receipt } from './records.js';
import { isRefusal, type Written, withoutHop, written } from './result-text.js';

const isText = (value: unknown): value is string => typeof value === 'string';
const isSalt = (value: unknown): value is string => isText(value) && /^[0-9a-f]{32}$/.test(value);

/** A checked copy of a receipt, which cannot change after the check; undefined if a member is missing or of the wrong type. */
export const readReceipt = (value: unknown): Receipt | undefined => {
  if (!isObject(value)) return undefined;
  const { log, seq, leaf, call, salt } = value;
  const isOne = isText(log) && isIndex(seq) && isHexHash(leaf) && isText(call) && isSalt(salt);
  return isOne ? { log, seq, leaf, call, salt } : undefined;
};

/** The receipt in an answer, unchecked; undefined if the answer has none. */
export const carriedBy = (answer: JsonObject): unknown => {
  const { _meta: meta } = answer;
  return isObject(meta) ? meta[RECEIPT_KEY] : undefined;
};

/** The answer without the receipt and the members that the last client or server on the way (hop) added: the form that was digested. */
const asDigested = (answer: JsonObject): JsonObject => {
  const { _meta: meta } = answer;
  if (!isObject(meta)) return withoutHop(answer);
  const { [RECEIPT_KEY]: _, ...others } = meta;
  return withoutHop({ ...answer, _meta: others });
};

const hasOnly = (value: JsonObject, ...keys: readonly string[]): boolean =>
  Object.keys(value).length === keys.length && keys.every((key) => Object.hasOwn(value, key));

const isEnvelope = (value: JsonObject): boolean =>
  value.ok === true ? hasOnly(value, 'ok', 'data') : value.ok === false && hasOnly(value, 'ok', 'error');

/** Whether `isError` fits the envelope. Earlier versions did not set it if the refusal was inside `data`. */
const isMarked = (envelope: JsonObject, isError: unknown): boolean =>
  isError === isRefusal(envelope) || (isError === false && envelope.ok === true);

/**
 * The digested text in an answer of Colibri's own tools; undefined if the rest of the answer does not repeat it, because nothing in the
 * answer may say more than the digest covers.
 */
export const ownText = (answer: JsonObject): string | undefined => {
  const { content, structuredContent, isError = false, ...more } = asDigested(answer);
  const [block, ...blocks]: readonly unknown[] = Array.isArray(content) ? content : [];
  if (!isObject(block) || blocks.length > 0 || Object.keys(more).length > 0) return undefined;
  const { type, text } = block;
  if (type !== 'text' || typeof text !== 'string' || !hasOnly(block, 'type', 'text')) return undefined;
  const envelope = parseObject(text);
  if (!isEnvelope(envelope) || !isMarked(envelope, isError)) return undefined;
  const isRepeated = structuredContent === undefined || written(structuredContent)?.text === text;
  return isRepeated ? text : undefined;
};

/**
 * The forms that a result may have had before it was adapted to protocol 2025-11-25 and older, where structured content that is not an
 * object is wrapped in one (wire/door.ts).
 */
const beforeProjection = (result: JsonObject): readonly JsonObject[] => {
  const { content, structuredContent: outer } = result;
  if (!isObject(outer) || !hasOnly(outer, 'result') || isObject(outer.result)) return [];
  const plain: JsonObject = { ...result, structuredContent: outer.result };
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const last = blocks.at(-1);
  if (!isObject(last) || last.text !== JSON.stringify(outer.result)) return [plain];
  const { content: _, ...without } = plain;
  return [plain, { ...plain, content: blocks.slice(0, -1) }, ...(blocks.length === 1 ? [without] : [])];
};

/** The texts of an answer of a server behind Colibri, in each form in which the answer may have been digested. */
export const wholeTexts = (answer: JsonObject): readonly Written[] => {
  const result = asDigested(answer);
  // An envelope ({ok, data}) alone is not a result. It is refused here because it would have the same text as the digested text of an
  // answer of Colibri's own tools.
  if (isEnvelope(result)) return [];
  return [result, ...beforeProjection(result)].map(written).filter((one) => one !== undefined);
};
