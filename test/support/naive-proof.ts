// Proofs checked the plain way, from their description alone: RFC 6962 as a recursion, C2SP signed notes, Ed25519 from
// node. Shares no code with what made them.
import { createPublicKey, verify } from 'node:crypto';
import { canonical, sha256 } from './ledger-check.js';
import { type Answer, rowsOf } from './trail-tools.js';

const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');
export const leafOf = (text: string): string => sha256(Buffer.from([0]), text);
const nodeOf = (left: string, right: string): string => sha256(Buffer.from([1]), bytes(left), bytes(right));

const powerBelow = (n: number): number => (n <= 2 ? 1 : 2 * powerBelow(Math.ceil(n / 2)));

/** The root that a path leads to from leaf `m` of a tree of `n`. */
export const climb = (leaf: string, m: number, n: number, path: readonly string[]): string => {
  if (n === 1) return path.length === 0 ? leaf : 'the path is too long';
  const [k, last, rest] = [powerBelow(n), path.at(-1), path.slice(0, -1)];
  if (last === undefined) return 'the path is too short';
  return m < k ? nodeOf(climb(leaf, m, k, rest), last) : nodeOf(last, climb(leaf, m - k, n - k, rest));
};

/** The public key of a log, as its store publishes it. */
export const keyOf = (db: string, log: string): string => {
  const key = String(rowsOf(db, 'SELECT public_key FROM logs WHERE log_id = ?', log)[0]?.public_key);
  if (sha256(bytes(key)).slice(0, 32) !== log) throw new Error('the log has another name than its key');
  return key;
};

export interface Note {
  readonly log: string;
  readonly size: number;
  readonly root: string;
}

/** A checkpoint whose one signature is right. */
export const openNote = (note: string, publicKey: string): Note => {
  const [, text = '', name = '', encoded = ''] = /^((?:.*\n)+?)\n— (\S+) (\S+)\n$/.exec(note) ?? [];
  const [origin = '', size = '', root = '', end] = text.split('\n');
  const signature = Buffer.from(encoded, 'base64');
  const id = sha256(`${name}\n`, Buffer.from([1]), bytes(publicKey)).slice(0, 8);
  const spki = Buffer.concat([bytes('302a300506032b6570032100'), bytes(publicKey)]);
  const key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  if (end !== '' || name !== origin) throw new Error(`no checkpoint: ${note}`);
  if (signature.subarray(0, 4).toString('hex') !== id) throw new Error('signed by another key');
  if (!verify(null, Buffer.from(text), key, signature.subarray(4))) throw new Error('the signature is wrong');
  const log = /^colibri\.dev\/log\/([0-9a-f]{32})$/.exec(origin)?.[1] ?? '';
  return { log, size: Number(size), root: Buffer.from(root, 'base64').toString('hex') };
};

/** A c2sp.org/tlog-proof@v1 file of a thought, taken apart. */
const partsOf = (file: string): Answer => {
  const at = file.indexOf('\n\n');
  const [magic, extraLine = '', indexLine = '', ...hashes] = file.slice(0, at).split('\n');
  if (magic !== 'c2sp.org/tlog-proof@v1') throw new Error('no proof file');
  const extra = JSON.parse(Buffer.from(extraLine.replace(/^extra /, ''), 'base64').toString()) as Answer;
  const seq = Number(indexLine.replace(/^index /, ''));
  const path = hashes.map((line) => Buffer.from(line, 'base64').toString('hex'));
  return { thought: extra.thought, seal: { record: extra.record, seq, path }, checkpoint: file.slice(at + 2) };
};

/** The steps of the proof in an answer of merkle_root: in its file, or beside it where there is none. */
export const stepsOf = ({ proof, proof_file, checkpoint }: Answer): Answer =>
  proof_file === null ? { ...proof, checkpoint } : partsOf(proof_file);

/** The log of the session's seal. */
export const logOf = (answer: Answer): string => JSON.parse(stepsOf(answer).seal.record).log;

/** What merkle_root says with a thought, checked step by step. Returns the thought's record. */
export const checkRoot = (answer: Answer, publicKey: string, steps: Answer = stepsOf(answer)): Answer => {
  const { thought, seal, checkpoint } = steps;
  const record = JSON.parse(thought.record) as Answer;
  const sealed = JSON.parse(seal.record) as Answer;
  const note = openNote(checkpoint, publicKey);
  const facts: [unknown, unknown][] = [
    [canonical(record), thought.record],
    [climb(leafOf(thought.record), thought.index, answer.record_count, thought.path), answer.root],
    [record.seq, thought.index],
    [canonical(sealed), seal.record],
    [
      [sealed.kind, sealed.root, sealed.record_count, sealed.session_id, sealed.seq].join(),
      ['seal', answer.root, answer.record_count, answer.session_id, seal.seq].join(),
    ],
    [record.session_id, answer.session_id],
    [climb(leafOf(seal.record), seal.seq, note.size, seal.path), note.root],
    [note.size, answer.checkpoint_size ?? note.size],
    [note.log, sealed.log],
  ];
  for (const [got, wanted] of facts) if (got !== wanted) throw new Error(`${got} instead of ${wanted}`);
  return record;
};

/** A c2sp.org/tlog-proof@v1 file of a thought. Returns what it proves: the content, or null where it was erased. */
export const checkFile = (file: string, publicKey: string): string | null => {
  const { thought, seal, checkpoint } = partsOf(file);
  const note = openNote(checkpoint, publicKey);
  if (climb(leafOf(seal.record), seal.seq, note.size, seal.path) !== note.root)
    throw new Error('the seal is not in the log');
  const sealed = JSON.parse(seal.record) as Answer;
  const { record, index: place, path: inner, content, salt } = thought;
  if (climb(leafOf(record), place, sealed.record_count, inner) !== sealed.root) throw new Error('not in the session');
  if (content !== null && sha256(bytes(salt), content) !== JSON.parse(record).content_digest) {
    throw new Error('another content');
  }
  return content;
};
