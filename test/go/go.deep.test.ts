// A second implementation, in Go and with Go's own note and tlog, must come to the same verdicts as ours: on what our
// code writes, on every vector, and on every file with one bit changed or one byte left out.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leafHash } from '../../src/ledger/hashes.js';
import { checkConsistency, checkProof, openCheckpoint, signCheckpoint } from '../../src/ledger/notes.js';
import { grow, rootOf } from '../../src/ledger/tree.js';
import { writeConsistency } from '../../src/proof/consistency-file.js';
import type { Frontier } from '../../src/proof/merkle.js';
import { consistencyRanges, inclusionRanges, type Range } from '../../src/proof/merkle-proof.js';
import { writeProof } from '../../src/proof/proof-file.js';
import type { TextCase } from '../vectors/cases.js';
import type { ConsistencyCase } from '../vectors/consistency.js';
import { bytesOf, casesOf, VECTOR_KEY, vectorPrivateKey, vectorVerifier as verifier } from '../vectors/read.js';
import { buildChecker, type Check, type Checker, missingGo, verdicts } from './checker.js';

const ROOT = new URL('../../', import.meta.url).pathname;

/** Our verdict on the bytes of a case, read as a careless reader would: what is no UTF-8 is replaced. */
const OURS: Readonly<Record<Check, (files: readonly Buffer[]) => boolean>> = {
  'check-checkpoint': ([note]) => 'checkpoint' in openCheckpoint(String(note), verifier),
  'check-proof': ([file]) => checkProof(String(file), verifier).holds,
  'check-consistency': ([older, file]) => checkConsistency(String(file), { older: String(older), verifier }).holds,
};

const missing = missingGo();
const isCi = !['', 'false', undefined].includes(process.env.CI);
if (missing !== undefined && !isCi) process.stderr.write(`skipped, not proven here: ${missing}\n`);

it.runIf(isCi)('Go is here: without it a second implementation would prove nothing', () => {
  expect(missing).toBeUndefined();
});

describe.skipIf(missing !== undefined)('the Go program', () => {
  let folder = '';
  let checker: Checker = { binary: '', vkey: VECTOR_KEY.vkey };
  // Go from 1.20 on compiles its own library first.
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'colibri-go-'));
    checker = { ...checker, binary: buildChecker(folder) };
  }, 180_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const accepts = (check: Check, cases: readonly (readonly Buffer[])[], options: readonly string[] = []): boolean[] =>
    verdicts(checker, check, cases, options).map((verdict) => verdict === 'ok');

  describe.each([
    ['check-checkpoint', 'checkpoints.jsonl'],
    ['check-proof', 'proof-files.jsonl'],
    ['check-consistency', 'consistency-files.jsonl'],
  ] as const)('%s', (check, file) => {
    it.each([false, true])('agrees on every vector, cosignatures %s', (cosignatures) => {
      const cases = casesOf<TextCase & Partial<ConsistencyCase>>(file).filter(
        (one) => (one.cosignatures ?? false) === cosignatures,
      );
      const files = cases.map(({ older, text }) =>
        (older === undefined ? [text] : [older, text]).map((t) => Buffer.from(t)),
      );
      const theirs = accepts(check, files, cosignatures ? ['-cosignatures'] : []);
      expect(cases.map(({ name }, i) => [name, theirs[i]])).toEqual(cases.map(({ name, accept }) => [name, accept]));
    });
  });

  it.each([
    ['check-checkpoint', ['21.checkpoint']],
    ['check-proof', ['record.tlog-proof']],
    ['check-proof', ['thought.tlog-proof']],
    ['check-consistency', ['13.checkpoint', '13-to-21.consistency']],
  ] as const)('%s refuses %j with any bit changed or byte left out, as we do', (check, names) => {
    const files = names.map(bytesOf);
    expect(accepts(check, [files])).toEqual([true]);
    expect(OURS[check](files)).toBe(true);
    const spoilt = files.flatMap((file, at) => spoil(file).map((bytes) => files.with(at, bytes)));
    expect(spoilt.length).toBeGreaterThan(2_000);
    const theirs = accepts(check, spoilt);
    expect(theirs.length).toBe(spoilt.length);
    expect(theirs.filter(Boolean)).toEqual([]);
    expect(spoilt.filter((one) => OURS[check](one))).toEqual([]);
  });

  it('runs as docs/proofs.md says', () => {
    const [, block] = /^```sh\n(.*?)^```$/ms.exec(readFileSync(`${ROOT}docs/proofs.md`, 'utf8')) ?? [];
    expect(execFileSync('bash', ['-ec', block ?? 'false'], { cwd: ROOT, encoding: 'utf8' })).toBe('ok\n'.repeat(4));
  });

  it('accepts what our code writes about a log of 1,000 records', () => {
    const sizes = fc.sample(
      fc.integer({ min: 1, max: 1_000 }).chain((size) => fc.tuple(fc.nat(size - 1), fc.constant(size))),
      {
        seed: 1,
        numRuns: 100,
      },
    );
    const proofs = sizes.map(([index, size]) => [Buffer.from(proofOf(index, size))]);
    expect(accepts('check-proof', proofs)).toEqual(proofs.map(() => true));
    const steps = sizes.map(([before, size]) =>
      [noteOf(before + 1), stepOf(before + 1, size)].map((t) => Buffer.from(t)),
    );
    expect(accepts('check-consistency', steps)).toEqual(steps.map(() => true));
  });
});

/** Every bit of every byte changed, every byte left out, every byte twice. */
const spoil = (file: Buffer): Buffer[] =>
  [...file.keys()].flatMap((at) => {
    const [before, byte, after] = [file.subarray(0, at), file.subarray(at, at + 1), file.subarray(at + 1)];
    const flipped = Array.from({ length: 8 }, (_, bit) => Buffer.from([(byte[0] ?? 0) ^ (1 << bit)]));
    return [...flipped, Buffer.alloc(0), Buffer.concat([byte, byte])].map((put) => Buffer.concat([before, put, after]));
  });

const recordOf = (index: number): string => `record ${index} ✓`;
const rootOver = ({ from, to }: Range): string => {
  let frontier: Frontier = [];
  for (let at = from; at < to; at++) ({ frontier } = grow(frontier, at - from, leafHash(recordOf(at))));
  return rootOf(frontier);
};
const noteOf = (size: number): string =>
  signCheckpoint({ origin: verifier.name, size, root: rootOver({ from: 0, to: size }) }, vectorPrivateKey);
const proofOf = (index: number, size: number): string =>
  writeProof({
    extra: { record: recordOf(index) },
    index,
    path: inclusionRanges(index, size).map(rootOver),
    checkpoint: noteOf(size),
  });
const stepOf = (old: number, size: number): string =>
  writeConsistency({ old, path: consistencyRanges(old, size).map(rootOver), checkpoint: noteOf(size) });
