// Every vector through colibri/proof: the same verdict, in the same words, as through the ledger's own code.
import { describe, expect, it } from 'vitest';
import { checkConsistency, checkProof, openCheckpoint } from '../../src/ledger/notes.js';
import { type ProofCrypto, verifyCheckpoint, verifyConsistency, verifyProof } from '../../src/proof/index.js';
import { atItsPlace } from '../../src/proof/proof-check.js';
import type { TextCase } from '../vectors/cases.js';
import type { ConsistencyCase } from '../vectors/consistency.js';
import { casesOf, VECTOR_KEY, vectorVerifier as verifier } from '../vectors/read.js';
import { nodeCrypto } from './node-crypto.js';

const { vkey } = VECTOR_KEY;
const optionsOf = ({ cosignatures }: TextCase) => ({ allowCosignatures: cosignatures === true });

const CRYPTOS: readonly (readonly [string, ProofCrypto])[] = [
  ['at once', nodeCrypto],
  ['later', { ...nodeCrypto, verifyEd25519: async (claim) => nodeCrypto.verifyEd25519(claim) }],
];

describe.each(CRYPTOS)('Ed25519 %s', (_, crypto) => {
  it.each(casesOf<TextCase>('checkpoints.jsonl'))('checkpoint: $name', async (one) => {
    const verdict = await verifyCheckpoint(one.text, vkey, crypto, optionsOf(one));
    const ours = openCheckpoint(one.text, verifier, optionsOf(one));
    expect(verdict).toEqual('refused' in ours ? { holds: false, why: ours.refused } : { holds: true, ...ours });
    expect(verdict.holds).toBe(one.accept);
  });

  it.each(casesOf<TextCase>('proof-files.jsonl'))('proof file: $name', async (one) => {
    const verdict = await verifyProof(one.text, vkey, crypto, optionsOf(one));
    expect(verdict).toEqual(atItsPlace(checkProof(one.text, verifier, optionsOf(one))));
    expect({ accept: verdict.holds, why: 'why' in verdict ? verdict.why : undefined }).toEqual({
      accept: one.accept,
      why: one.why,
    });
  });

  it.each(casesOf<ConsistencyCase>('consistency-files.jsonl'))('consistency file: $name', async (one) => {
    const verdict = await verifyConsistency(one.older, one.text, vkey, crypto, optionsOf(one));
    expect(verdict).toEqual(checkConsistency(one.text, { older: one.older, verifier, ...optionsOf(one) }));
    expect(verdict.holds).toBe(one.accept);
  });
});
