// Writes and parses proof files (c2sp.org/tlog-proof@v1): one record, its Merkle path to a root, and the signed checkpoint over that root.
// The `extra` line is untrusted: proof-check.ts recomputes the leaves from it. Pure and strict.
import { fromBase64, fromHashLines, toBase64, toHashLine } from './base64.js';
import { fromUtf8, toUtf8 } from './bytes.js';
import { canonicalJson } from './canonical-json.js';
import { fromDecimal } from './checkpoint.js';

const MAGIC = 'c2sp.org/tlog-proof@v1';
/** The most hashes of a Merkle path in a proof file: a tree of 2^53 leaves has 53 levels. */
const MOST_HASHES = 64;

/** A thought and its Merkle path to the root of its sealed session. */
export interface ThoughtProof {
  /** The canonical text of the thought that was hashed. */
  readonly record: string;
  readonly content: string | null;
  readonly salt: string | null;
  readonly index: number;
  /** The hashes of the Merkle path, 64 hex digits each. */
  readonly path: readonly string[];
}

/** A further record of the same log, and its Merkle path to the same root. */
export interface FurtherRecord {
  readonly record: string;
  readonly index: number;
  readonly path: readonly string[];
}

/** What belongs to the outcome of a call: its intent first, then in order the records of the approvals that it used and of the decisions of voters. */
export interface CallProof {
  /** The text of the definition that the intent names; null if it is not stored or was erased. */
  readonly definition: string | null;
  readonly records: readonly FurtherRecord[];
}

export interface ProofExtra {
  /** The canonical text of the log's record. */
  readonly record: string;
  readonly thought?: ThoughtProof;
  readonly call?: CallProof;
}

export interface ProofFile {
  readonly extra: ProofExtra;
  readonly index: number;
  readonly path: readonly string[];
  /** The text of the signed checkpoint note, unchanged. */
  readonly checkpoint: string;
}

export const writeProof = ({ extra, index, path, checkpoint }: ProofFile): string => {
  const encoded = toBase64(toUtf8(canonicalJson(extra)));
  return [MAGIC, `extra ${encoded}`, `index ${index}`, ...path.map(toHashLine), '', checkpoint].join('\n');
};

export const isHexHash = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
export const isIndex = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isTextOrNull = (value: unknown): value is string | null => value === null || typeof value === 'string';

const isThought = (value: unknown): value is ThoughtProof => {
  if (typeof value !== 'object' || value === null) return false;
  const { record, content, salt, index, path } = value as Partial<Record<keyof ThoughtProof, unknown>>;
  if (Object.keys(value).length !== 5) return false;
  // Content and salt are erased together, so a file with only one of them is refused: content without its salt could not be checked and
  // would look proven.
  if ((content === null) !== (salt === null)) return false;
  const texts = typeof record === 'string' && isTextOrNull(content) && isTextOrNull(salt);
  return texts && isIndex(index) && Array.isArray(path) && path.length <= MOST_HASHES && path.every(isHexHash);
};

/** The most records beside the one that is proved: an intent, and four for each approval of a call with as many providers as a route may have. */
const MOST_RECORDS = 256;

const isFurther = (value: unknown): value is FurtherRecord => {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 3) return false;
  const { record, index, path } = value as Partial<Record<keyof FurtherRecord, unknown>>;
  if (typeof record !== 'string' || !isIndex(index)) return false;
  return Array.isArray(path) && path.length <= MOST_HASHES && path.every(isHexHash);
};

const isCall = (value: unknown): value is CallProof => {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 2) return false;
  const { definition, records } = value as Partial<Record<keyof CallProof, unknown>>;
  return (
    isTextOrNull(definition) && Array.isArray(records) && records.length <= MOST_RECORDS && records.every(isFurther)
  );
};

const parseExtra = (line: string): ProofExtra | undefined => {
  const bytes = line.startsWith('extra ') ? fromBase64(line.slice('extra '.length)) : undefined;
  // A byte order mark is kept, so that parsing fails: with a mark, the same proof would have a second form.
  const text = bytes && fromUtf8(bytes);
  if (text === undefined) return undefined;
  try {
    const value = JSON.parse(text) as Partial<Record<keyof ProofExtra, unknown>>;
    if (typeof value?.record !== 'string' || canonicalJson(value) !== text) return undefined;
    // An unknown key is refused: it could be a misspelt one, and what it holds would not be checked.
    if (!Object.keys(value).every((key) => key === 'record' || key === 'thought' || key === 'call')) return undefined;
    if (value.call !== undefined && !isCall(value.call)) return undefined;
    if (value.thought !== undefined && !isThought(value.thought)) return undefined;
    return value as unknown as ProofExtra;
  } catch {
    return undefined;
  }
};

const parseIndex = (line: string): number | undefined =>
  line.startsWith('index ') ? fromDecimal(line.slice('index '.length)) : undefined;

/** The parts of a proof file; undefined if the text does not have exactly the form of one. */
export const readProof = (text: string): ProofFile | undefined => {
  const at = text.indexOf('\n\n');
  if (at < 0) return undefined;
  const [magic, extraLine, indexLine, ...hashLines] = text.slice(0, at).split('\n');
  if (magic !== MAGIC) return undefined;
  const extra = parseExtra(extraLine ?? '');
  const index = parseIndex(indexLine ?? '');
  const path = fromHashLines(hashLines, MOST_HASHES);
  if (extra === undefined || index === undefined || path === undefined) return undefined;
  return { extra, index, path, checkpoint: text.slice(at + 2) };
};
