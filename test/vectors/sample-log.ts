// The log that the vectors speak of: a fixed key, 21 records, a sealed session of five thoughts. Written with nothing of
// src/ledger, so that what it says is a second opinion. The key is public on purpose and signs nothing real.
import { createPrivateKey, createPublicKey, hash, sign } from 'node:crypto';
import { leafOf, naiveTree, sha256 } from '../support/rfc6962.js';

/** DER before an Ed25519 seed in PKCS #8 (RFC 8410 §7). */
const PKCS8_PREFIX = '302e020100300506032b657004220420';

export interface TestKey {
  readonly name: string;
  /** First four bytes, hex, of SHA-256(name ‖ "\n" ‖ 0x01 ‖ public key). */
  readonly id: string;
  readonly seed: string;
  readonly publicKey: string;
  readonly vkey: string;
  sign(text: string): Buffer;
}

const keyFrom = (seed: string, nameOf: (publicKey: string) => string): TestKey => {
  const key = createPrivateKey({ key: Buffer.from(PKCS8_PREFIX + seed, 'hex'), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex');
  const name = nameOf(publicKey);
  const id = hash('sha256', Buffer.concat([Buffer.from(`${name}\n\u0001`), Buffer.from(publicKey, 'hex')])).slice(0, 8);
  const vkey = `${name}+${id}+${Buffer.from(`01${publicKey}`, 'hex').toString('base64')}`;
  return { name, id, seed, publicKey, vkey, sign: (text) => sign(null, Buffer.from(text), key) };
};

const logIdOf = (publicKey: string): string => sha256(Buffer.from(publicKey, 'hex')).slice(0, 32);
const originFrom = (publicKey: string): string => `colibri.dev/log/${logIdOf(publicKey)}`;

/** Seeds: 00 01 … 1f, and two others. */
export const KEY = keyFrom(Buffer.from(Array.from({ length: 32 }, (_, i) => i)).toString('hex'), originFrom);
export const OTHER_KEY = keyFrom('11'.repeat(32), originFrom);
/** Another key under the log's own name. */
export const IMPOSTOR = keyFrom('22'.repeat(32), () => KEY.name);
export const WITNESS = keyFrom('33'.repeat(32), () => 'witness.example/w1');
export const LOG_ID = logIdOf(KEY.publicKey);

export const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');

/** A signature line of C2SP signed-note. */
export const signatureLine = (text: string, key: TestKey): string =>
  `— ${key.name} ${Buffer.concat([Buffer.from(key.id, 'hex'), key.sign(text)]).toString('base64')}\n`;

/** A signed note over any text. */
export const noteOf = (text: string, key: TestKey = KEY): string => `${text}\n${signatureLine(text, key)}`;

export const checkpointText = (size: number | string, root: string, origin = KEY.name): string =>
  `${origin}\n${size}\n${base64(root)}\n`;

/** JSON with sorted members: enough of RFC 8785 for the plain values here. */
export const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );

export const SALT = '000102030405060708090a0b0c0d0e0f';
export const digestOf = (salt: string, text: string): string => sha256(Buffer.from(salt, 'hex'), text);

const SESSION = '0192f0c1-0000-7000-8000-0000000000aa';
const at = (second: number): string => new Date(Date.UTC(2026, 10, 15, 18, 30, second, 123)).toISOString();
const GENESIS = leafOf(
  sorted({
    v: 1,
    kind: 'session',
    log: LOG_ID,
    session_id: SESSION,
    intent: 'Show how a thought is proved',
    task_id: 'T-0001',
    agent_id: 'agent-1',
    started_at: at(0),
  }),
);

/** The last but one is a text that every careless writer of JSON or UTF-8 stumbles over. */
export const CONTENTS: readonly string[] = [
  'Read the specification first.',
  'Two readings are possible.',
  'Take the strict one.',
  'Quotes " and \\, a tab\t, é, €, 😀, \u2028 and </script>.',
  'Done.',
];

/** The hashed text of a thought, which names the hash of the one before it. */
const thoughtText = (seq: number, before: string | undefined): string =>
  sorted({
    v: 1,
    session_id: SESSION,
    seq,
    thought_id: `0192f0c1-0000-7000-8000-00000000000${seq}`,
    type: 'analysis',
    task_id: 'T-0001',
    agent_id: null,
    skill: null,
    content_digest: digestOf(SALT, CONTENTS[seq] ?? ''),
    timestamp: at(seq),
    prev_hash: before === undefined ? GENESIS : leafOf(before),
  });

const thoughtTexts = (): string[] => {
  const texts: string[] = [];
  for (const seq of CONTENTS.keys()) texts.push(thoughtText(seq, texts.at(-1)));
  return texts;
};
export const THOUGHTS: readonly string[] = thoughtTexts();

export const thoughtTree = naiveTree(THOUGHTS.map(leafOf));

export const SEAL_SEQ = 12;
/** Here stands a record of a kind that nobody knows, with everything that a seal has. */
export const LOOKALIKE_SEQ = 15;
const fieldsOf = (seq: number): object => {
  if (seq !== SEAL_SEQ && seq !== LOOKALIKE_SEQ) {
    return { kind: 'gap', count: seq + 1, first_at: at(seq), last_at: at(seq), reason: 'a sample' };
  }
  return {
    kind: seq === SEAL_SEQ ? 'seal' : 'seal.draft',
    session_id: SESSION,
    genesis_hash: GENESIS,
    root: thoughtTree.root(0, THOUGHTS.length),
    record_count: THOUGHTS.length,
    subjects: [],
  };
};

/** The bodies of the records, by `seq`. */
export const RECORDS: readonly string[] = Array.from({ length: 21 }, (_, seq) =>
  sorted({ v: 1, log: LOG_ID, seq, at: at(seq), ...fieldsOf(seq) }),
);
export const logTree = naiveTree(RECORDS.map(leafOf));

/** The signed checkpoint of the first `size` records. */
export const checkpointOf = (size: number, key: TestKey = KEY): string =>
  noteOf(checkpointText(size, logTree.root(0, size)), key);
