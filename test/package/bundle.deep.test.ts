// The packed colibri/proof in one file, as a browser gets it, run with the globals of ECMAScript alone.
import { join } from 'node:path';
import vm from 'node:vm';
import { beforeAll, describe, expect, test } from 'vitest';
import type * as Proof from '../../src/proof/index.js';
import { nodeCrypto } from '../proofs/node-crypto.js';
import type { TextCase } from '../vectors/cases.js';
import type { ConsistencyCase } from '../vectors/consistency.js';
import { casesOf, VECTOR_KEY } from '../vectors/read.js';
import { packed } from './packed.js';

const { vkey } = VECTOR_KEY;

describe('colibri/proof in one file, with the globals of ECMAScript alone', () => {
  let proof: typeof Proof;

  beforeAll(async () => {
    const { unpacked, remove } = packed();
    const { rolldown } = await import('rolldown');
    const bundle = await rolldown({ input: join(unpacked, 'dist', 'proof', 'index.js'), platform: 'neutral' });
    const { output } = await bundle.generate({ format: 'iife', name: 'proof' });
    const context = vm.createContext({});
    vm.runInContext(`${output[0].code}\nglobalThis.proof = proof;`, context);
    expect(vm.runInContext('[typeof Buffer, typeof TextEncoder, typeof process, typeof URL]', context).join()).toBe(
      'undefined,undefined,undefined,undefined',
    );
    proof = vm.runInContext('proof', context);
    return remove;
  }, 120_000);

  const optionsOf = ({ cosignatures }: TextCase) => ({ allowCosignatures: cosignatures === true });
  const said = (verdict: Proof.ProofVerdict | Proof.CheckpointVerdict | Proof.ConsistencyVerdict) => ({
    accept: verdict.holds,
    why: verdict.holds ? undefined : verdict.why,
  });

  test('every vector gets its verdict', async () => {
    for (const one of casesOf<TextCase>('checkpoints.jsonl')) {
      const verdict = await proof.verifyCheckpoint(one.text, vkey, nodeCrypto, optionsOf(one));
      expect({ name: one.name, ...said(verdict) }).toEqual({ name: one.name, accept: one.accept, why: one.why });
    }
    for (const one of casesOf<TextCase>('proof-files.jsonl')) {
      const verdict = await proof.verifyProof(one.text, vkey, nodeCrypto, optionsOf(one));
      expect({ name: one.name, ...said(verdict) }).toEqual({ name: one.name, accept: one.accept, why: one.why });
    }
    for (const one of casesOf<ConsistencyCase>('consistency-files.jsonl')) {
      const verdict = await proof.verifyConsistency(one.older, one.text, vkey, nodeCrypto, optionsOf(one));
      expect({ name: one.name, ...said(verdict) }).toEqual({ name: one.name, accept: one.accept, why: one.why });
    }
  });

  test('so does a receipt', async () => {
    const salt = '00'.repeat(16);
    const text = '{"data":"ü 😀","ok":true}';
    const hex = (...parts: readonly (string | Buffer)[]): string =>
      Buffer.from(nodeCrypto.sha256(new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part)))))).toString(
        'hex',
      );
    const digest = hex(Buffer.from(salt, 'hex'), text);
    const record = `{"call":"c","kind":"call.exit","log":"l","result_digest":"${digest}","seq":3}`;
    const receipt = { log: 'l', seq: 3, call: 'c', salt, leaf: hex('\u0000', record) };
    const answer = { content: [{ type: 'text', text }], _meta: { [proof.RECEIPT_KEY]: receipt } };
    expect(await proof.verifyReceipt(receipt, answer, record, nodeCrypto)).toMatchObject({ holds: true });
    const other = { ...answer, content: [{ type: 'text', text: text.replace('ü', 'u') }] };
    expect(await proof.verifyReceipt(receipt, other, record, nodeCrypto)).toMatchObject({ holds: false });
  });
});
