// Our code over the vectors, and the vectors against their generator.
import canonicalize from 'canonicalize';
import { describe, expect, it } from 'vitest';
import { leafHash, saltedDigest } from '../../src/ledger/hashes.js';
import { checkConsistency, checkProof, openCheckpoint, signCheckpoint } from '../../src/ledger/notes.js';
import { grow, includes, isConsistent, rootOf } from '../../src/ledger/tree.js';
import { canonicalJson } from '../../src/proof/canonical-json.js';
import { originOf } from '../../src/proof/checkpoint.js';
import { readConsistency, writeConsistency } from '../../src/proof/consistency-file.js';
import type { Frontier } from '../../src/proof/merkle.js';
import type { ConsistencyClaim, InclusionClaim } from '../../src/proof/merkle-proof.js';
import { readProof, writeProof } from '../../src/proof/proof-file.js';
import { vkeyOf } from '../../src/proof/verifier.js';
import type { CanonicalCase } from './basics.js';
import type { TextCase } from './cases.js';
import type { ConsistencyCase } from './consistency.js';
import { vectorFiles } from './make.js';
import {
  bytesOf,
  casesOf,
  VECTOR_KEY as KEY,
  vectorNames,
  vectorPrivateKey,
  vectorVerifier as verifier,
} from './read.js';

describe('the files', () => {
  it('are what the generator writes, all of them', () => {
    const made = vectorFiles();
    expect(vectorNames().toSorted()).toEqual([...made.keys()].toSorted());
    for (const [name, text] of made) expect({ name, text: String(bytesOf(name)) }).toEqual({ name, text });
  });

  it.each(['checkpoints.jsonl', 'proof-files.jsonl', 'consistency-files.jsonl'])('%s has no case twice', (name) => {
    const cases = casesOf<ConsistencyCase>(name);
    const distinct = (pick: (one: ConsistencyCase) => string) => new Set(cases.map(pick)).size;
    expect(distinct((one) => one.name)).toBe(cases.length);
    expect(distinct((one) => JSON.stringify([one.text, one.older, one.cosignatures]))).toBe(cases.length);
  });
});

describe('the key', () => {
  it('has the name, the origin and the vkey', () => {
    expect(originOf(KEY.log_id)).toBe(KEY.origin);
    expect(vkeyOf(verifier)).toBe(KEY.vkey);
    expect(`${KEY.vkey}\n`).toBe(String(bytesOf('log.vkey')));
  });

  it('signs the same bytes', () => {
    const note = String(bytesOf('21.checkpoint'));
    const opened = openCheckpoint(note, verifier);
    if ('refused' in opened) throw new Error(opened.refused);
    expect(signCheckpoint(opened.checkpoint, vectorPrivateKey)).toBe(note);
  });
});

it.each(casesOf<CanonicalCase>('canonical-json.jsonl'))('canonical JSON: $name', ({ json, canonical }) => {
  const value: unknown = JSON.parse(json);
  if (canonical === undefined) {
    expect(() => canonicalJson(value)).toThrow();
    return;
  }
  expect(canonicalJson(value)).toBe(canonical);
  expect(canonicalize(value)).toBe(canonical);
});

it.each(casesOf<{ name: string; body: string; leaf: string }>('leaves.jsonl'))('leaf: $name', ({ body, leaf }) => {
  expect(leafHash(body)).toBe(leaf);
});

it.each(casesOf<{ salt: string; text: string; digest: string }>('digests.jsonl'))('digest of $text', (one) => {
  expect(saltedDigest(Buffer.from(one.salt, 'hex'), one.text)).toBe(one.digest);
});

it.each(casesOf<{ data: string[]; root: string }>('roots.jsonl'))('root over $data', ({ data, root }) => {
  const leaves = data.map((hex) => leafHash(Buffer.from(hex, 'hex').toString('latin1')));
  const frontier = leaves.reduce<Frontier>((sofar, leaf, size) => grow(sofar, size, leaf).frontier, []);
  expect(rootOf(frontier)).toBe(root);
});

it.each(casesOf<InclusionClaim>('inclusion.jsonl'))('leaf $index of $size', (claim) => {
  expect(includes(claim)).toBe(true);
});

type SnakeClaim = Pick<ConsistencyClaim, 'first' | 'second' | 'path'> & { first_root: string; second_root: string };
it.each(casesOf<SnakeClaim>('consistency.jsonl'))('$first begins $second', ({ first_root, second_root, ...claim }) => {
  expect(isConsistent({ ...claim, firstRoot: first_root, secondRoot: second_root })).toBe(true);
});

const optionsOf = ({ cosignatures }: TextCase) => ({ allowCosignatures: cosignatures === true });

describe('checkpoints', () => {
  it.each(casesOf<TextCase>('checkpoints.jsonl'))('$name', (one) => {
    const opened = openCheckpoint(one.text, verifier, optionsOf(one));
    if (one.accept) expect(opened).toHaveProperty('checkpoint');
    else expect(opened).toEqual({ refused: one.why });
  });
});

describe('proof files', () => {
  it.each(casesOf<TextCase>('proof-files.jsonl'))('$name', (one) => {
    const verdict = checkProof(one.text, verifier, optionsOf(one));
    if (verdict.holds) expect(writeProof(verdict.proof)).toBe(one.text);
    expect({ accept: verdict.holds, why: 'why' in verdict ? verdict.why : undefined }).toEqual({
      accept: one.accept,
      why: one.why,
    });
    expect(readProof(one.text) === undefined).toBe(one.why === 'malformed');
  });
});

describe('consistency files', () => {
  it.each(casesOf<ConsistencyCase>('consistency-files.jsonl'))('$name', (one) => {
    const verdict = checkConsistency(one.text, { older: one.older, verifier, ...optionsOf(one) });
    expect({ accept: verdict.holds, why: 'why' in verdict ? verdict.why : undefined }).toEqual({
      accept: one.accept,
      why: one.why,
    });
    const file = readConsistency(one.text);
    expect(file === undefined).toBe(one.why === 'malformed');
    if (file !== undefined) expect(writeConsistency(file)).toBe(one.text);
  });
});
