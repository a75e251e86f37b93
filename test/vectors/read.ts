// The vector files as a test reads them: from disk, not from their generator.
import { createPrivateKey } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { verifierOf } from '../../src/ledger/tree.js';

const FOLDER = new URL('.', import.meta.url);

export const vectorNames = (): string[] => readdirSync(FOLDER).filter((name) => !/\.(ts|mjs|md)$/.test(name));

export const bytesOf = (name: string): Buffer => readFileSync(new URL(name, FOLDER));

/** One case a line. */
export const casesOf = <T>(name: string): T[] =>
  String(bytesOf(name))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as T);

interface VectorKey {
  readonly seed: string;
  readonly public_key: string;
  readonly log_id: string;
  readonly origin: string;
  readonly vkey: string;
}
export const [VECTOR_KEY] = casesOf<VectorKey>('key.jsonl') as [VectorKey];

export const vectorVerifier = verifierOf(VECTOR_KEY.origin, Buffer.from(VECTOR_KEY.public_key, 'hex'));

/** The DER of a PKCS #8 Ed25519 key ends in its seed (RFC 8410 §7). */
export const vectorPrivateKey = createPrivateKey({
  key: Buffer.from(`302e020100300506032b657004220420${VECTOR_KEY.seed}`, 'hex'),
  format: 'der',
  type: 'pkcs8',
});
