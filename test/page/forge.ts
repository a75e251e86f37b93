// Signs the records of a page anew, with a key that nobody knows.
import { generateKeyPairSync } from 'node:crypto';
import { hashes, leafHash } from '../../src/ledger/hashes.js';
import { publicKeyOf } from '../../src/ledger/keys.js';
import { signCheckpoint } from '../../src/ledger/notes.js';
import { grow, rootOf, verifierOf } from '../../src/ledger/tree.js';
import { canonicalJson, type JsonObject } from '../../src/proof/canonical-json.js';
import { originOf } from '../../src/proof/checkpoint.js';
import type { Frontier } from '../../src/proof/merkle.js';
import type { PageLog } from '../../src/proof/page-data.js';
import { vkeyOf } from '../../src/proof/verifier.js';

/** A log with these records, signed with a new key. */
export const signedAnew = (log: PageLog, records: readonly JsonObject[]): PageLog => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const publicKey = publicKeyOf(privateKey);
  const id = hashes.bytes(publicKey).slice(0, 32);
  const verifier = verifierOf(originOf(id), publicKey);
  const own = records.map((record, seq) => ({ ...record, log: id, seq }));
  let frontier: Frontier = [];
  for (const [seq, record] of own.entries()) ({ frontier } = grow(frontier, seq, leafHash(canonicalJson(record))));
  const checkpoint = signCheckpoint({ origin: verifier.name, size: own.length, root: rootOf(frontier) }, privateKey);
  return {
    ...log,
    vkey: vkeyOf(verifier),
    checkpoint,
    nodes: [],
    size: own.length,
    records: own,
    payloads: [],
    rows: [],
    thoughts: [],
    definitions: [],
  };
};
