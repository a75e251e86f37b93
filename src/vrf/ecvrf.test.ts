import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifyVrf, vrfKeyOf } from './ecvrf.js';

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
const hex = (data: Uint8Array | undefined): string | undefined => data && Buffer.from(data).toString('hex');

/** RFC 9381, appendix B.3, examples 16 to 18. Drafts have the same keys, inputs and outputs, and other proofs. */
const EXAMPLES = [
  {
    secret: '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    key: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    input: '',
    proof:
      '8657106690b5526245a92b003bb079ccd1a92130477671f6fc01ad16f26f723f26f8a57ccaed74ee1b190bed1f479d9727d2d0f9b005a6e456a35d4fb0daab1268a1b0db10836d9826a528ca76567805',
    output:
      '90cf1df3b703cce59e2a35b925d411164068269d7b2d29f3301c03dd757876ff66b71dda49d2de59d03450451af026798e8f81cd2e333de5cdf4f3e140fdd8ae',
    draft:
      '8657106690b5526245a92b003bb079ccd1a92130477671f6fc01ad16f26f723f5e8bd1839b414219e8626d393787a192241fc442e6569e96c462f62b8079b9ed83ff2ee21c90c7c398802fdeebea4001',
  },
  {
    secret: '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    key: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    input: '72',
    proof:
      'f3141cd382dc42909d19ec5110469e4feae18300e94f304590abdced48aed5933bf0864a62558b3ed7f2fea45c92a465301b3bbf5e3e54ddf2d935be3b67926da3ef39226bbc355bdc9850112c8f4b02',
    output:
      'eb4440665d3891d668e7e0fcaf587f1b4bd7fbfe99d0eb2211ccec90496310eb5e33821bc613efb94db5e5b54c70a848a0bef4553a41befc57663b56373a5031',
  },
  {
    secret: 'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
    key: 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    input: 'af82',
    proof:
      '9bc0f79119cc5604bf02d23b4caede71393cedfbb191434dd016d30177ccbf8096bb474e53895c362d8628ee9f9ea3c0e52c7a5c691b6c18c9979866568add7a2d41b00b05081ed0f58ee5e31b3a970e',
    output:
      '645427e5d00c62a23fb703732fa5d892940935942101e456ecca7bb217c61c452118fec1219202a0edcf038bb6373241578be7217ba85a2687f7a0310b2df19f',
  },
] as const;

describe('the examples of RFC 9381, appendix B.3', () => {
  it.each(EXAMPLES)('input "$input"', ({ secret, key, input, proof, output }) => {
    const made = vrfKeyOf(bytes(secret));
    expect(hex(made.publicKey)).toBe(key);
    const { proof: ours, output: ourOutput } = made.prove(bytes(input));
    expect([hex(ours), hex(ourOutput)]).toEqual([proof, output]);
    expect(hex(verifyVrf(bytes(key), bytes(input), bytes(proof)))).toBe(output);
  });

  it('a proof as drafts before the RFC made it is refused', () => {
    const [{ key, input, draft }] = EXAMPLES;
    expect(verifyVrf(bytes(key), bytes(input), bytes(draft))).toBeUndefined();
  });
});

describe('what is not proved', () => {
  const [, , { key, input, proof }] = EXAMPLES;
  const refused = (change: { key?: string; input?: string; proof?: string }): void => {
    const one = { key, input, proof, ...change };
    expect(verifyVrf(bytes(one.key), bytes(one.input), bytes(one.proof))).toBeUndefined();
  };

  it('another key, another input, a proof too short or too long', () => {
    refused({ key: EXAMPLES[0].key });
    refused({ input: 'af83' });
    refused({ proof: proof.slice(2) });
    refused({ proof: `${proof}00` });
    refused({ key: key.slice(2) });
  });

  it('a bit of the proof that is another one, wherever it is', () => {
    for (let bit = 0; bit < 640; bit += 7) {
      const changed = bytes(proof);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(verifyVrf(bytes(key), bytes(input), changed)).toBeUndefined();
    }
  });

  it('the same response with the order of the group added, so that each proof has one spelling', () => {
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    const response = bytes(proof).subarray(48);
    const more = [...response].reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n) + order;
    const spelled = Array.from({ length: 32 }, (_, i) => Number((more >> BigInt(8 * i)) & 255n));
    refused({ proof: proof.slice(0, 96) + Buffer.from(spelled).toString('hex') });
  });

  it('keys of small order, with which one proof would hold for every input', () => {
    for (const small of ['01', '00', 'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f'])
      refused({ key: small.padEnd(64, '0') });
  });
});

it('random seeds and inputs: proved, one output, and another one for every other input', () => {
  const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(seeds, fc.uint8Array(), fc.uint8Array(), (seed, input, other) => {
      const key = vrfKeyOf(seed);
      const { output, proof } = key.prove(input);
      expect(hex(verifyVrf(key.publicKey, input, proof))).toBe(hex(output));
      expect(key.prove(input)).toEqual({ output, proof });
      if (hex(input) !== hex(other)) expect(hex(key.prove(other).output)).not.toBe(hex(output));
    }),
    { numRuns: 20 },
  );
});
