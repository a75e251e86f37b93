// Proof files, c2sp.org/tlog-proof@v1: one record, its path to a root, the checkpoint that was signed over it. `extra`
// is untrusted: leaves are recomputed from it. Pure, strict.

import { saltedDigest } from '../ledger/payload.js';
import { fromBase64, fromHashLines, toHashLine } from './base64.js';
import { canonicalJson } from './canonical-json.js';
import { type Checkpoint, fromDecimal, type OpenOptions, openCheckpoint, type Verifier } from './checkpoint.js';
import { leafHash } from './merkle.js';
import { includes } from './merkle-proof.js';

const MAGIC = 'c2sp.org/tlog-proof@v1';
/** A tree of 2^53 leaves is 53 high. */
const MOST_HASHES = 64;

/** A thought and its path to the root of its sealed session. */
export interface ThoughtProof {
  /** The canonical text that was hashed. */
  readonly record: string;
  readonly content: string | null;
  readonly salt: string | null;
  readonly index: number;
  /** 64 hex digits each. */
  readonly path: readonly string[];
}

export interface ProofExtra {
  /** The canonical text of the ledger's record. */
  readonly record: string;
  readonly thought?: ThoughtProof;
}

export interface ProofFile {
  readonly extra: ProofExtra;
  readonly index: number;
  readonly path: readonly string[];
  /** The signed note, as it stands. */
  readonly checkpoint: string;
}

export const writeProof = ({ extra, index, path, checkpoint }: ProofFile): string => {
  const encoded = Buffer.from(canonicalJson(extra)).toString('base64');
  return [MAGIC, `extra ${encoded}`, `index ${index}`, ...path.map(toHashLine), '', checkpoint].join('\n');
};

const isHexHash = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
const isIndex = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isTextOrNull = (value: unknown): value is string | null => value === null || typeof value === 'string';

const isThought = (value: unknown): value is ThoughtProof => {
  if (typeof value !== 'object' || value === null) return false;
  const { record, content, salt, index, path } = value as Partial<Record<keyof ThoughtProof, unknown>>;
  if (Object.keys(value).length !== 5) return false;
  // Both are erased, or none: a content without its salt could not be checked and would look proven.
  if ((content === null) !== (salt === null)) return false;
  const texts = typeof record === 'string' && isTextOrNull(content) && isTextOrNull(salt);
  return texts && isIndex(index) && Array.isArray(path) && path.length <= MOST_HASHES && path.every(isHexHash);
};

const parseExtra = (line: string): ProofExtra | undefined => {
  const bytes = line.startsWith('extra ') ? fromBase64(line.slice('extra '.length)) : undefined;
  try {
    // A byte order mark is kept, so that it fails: it would be a second form of the same text.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes ?? Buffer.from('?'));
    const value = JSON.parse(text) as Partial<Record<keyof ProofExtra, unknown>>;
    if (typeof value?.record !== 'string' || canonicalJson(value) !== text) return undefined;
    // A key that is not known could be a misspelt one whose proof would then go unchecked.
    if (!Object.keys(value).every((key) => key === 'record' || key === 'thought')) return undefined;
    if (value.thought !== undefined && !isThought(value.thought)) return undefined;
    return value as unknown as ProofExtra;
  } catch {
    return undefined;
  }
};

const parseIndex = (line: string): number | undefined =>
  line.startsWith('index ') ? fromDecimal(line.slice('index '.length)) : undefined;

/** The parts of a proof file, or nothing where it is not exactly of this form. */
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

const parseObject = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
};

/** The second step: from the thought to the root that the seal record names, and from the content to the thought. */
const thoughtFault = (sealText: string, thought: ThoughtProof): string | undefined => {
  const { kind, root, record_count: size } = parseObject(sealText);
  if (kind !== 'seal' || !isHexHash(root) || !isIndex(size)) return 'the record is no seal of a session';
  const { record, index, path, content, salt } = thought;
  if (!includes({ leaf: leafHash(record), index, size, path, root })) return 'the thought is not in the sealed session';
  if (content === null || salt === null) return undefined; // erased: the digest alone remains
  const { content_digest: digest } = parseObject(record);
  const matches = /^[0-9a-f]{32}$/.test(salt) && saltedDigest(Buffer.from(salt, 'hex'), content) === digest;
  return matches ? undefined : 'the content is not what the thought digested';
};

export type ProofVerdict =
  | { readonly holds: true; readonly checkpoint: Checkpoint; readonly proof: ProofFile }
  | { readonly holds: false; readonly why: string };

/** Whether the record in a proof file is in the log that the verifier's key signs. */
export const checkProof = (text: string, verifier: Verifier, options: OpenOptions = {}): ProofVerdict => {
  const proof = readProof(text);
  if (proof === undefined) return { holds: false, why: 'malformed' };
  const opened = openCheckpoint(proof.checkpoint, verifier, options);
  if ('refused' in opened) return { holds: false, why: `checkpoint: ${opened.refused}` };
  const { size, root } = opened.checkpoint;
  const leaf = leafHash(proof.extra.record);
  if (!includes({ leaf, index: proof.index, size, path: proof.path, root })) {
    return { holds: false, why: 'the record is not in the tree of the checkpoint' };
  }
  const why = proof.extra.thought && thoughtFault(proof.extra.record, proof.extra.thought);
  if (why !== undefined) return { holds: false, why };
  return { holds: true, checkpoint: opened.checkpoint, proof };
};
