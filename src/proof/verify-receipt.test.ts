import { describe, expect, it } from 'vitest';
import { nodeCrypto as crypto } from '../../test/proofs/node-crypto.js';
import { leafHash, saltedDigest } from '../ledger/hashes.js';
import { canonicalJson } from './canonical-json.js';
import { RECEIPT_KEY, type Receipt, verifyReceipt } from './index.js';

const salt = '000102030405060708090a0b0c0d0e0f';
const log = '9f'.repeat(16);
const ENVELOPE = { ok: true, data: { title: 'Ü 😀' } };
const EXIT = {
  v: 1,
  log,
  seq: 7,
  at: 'then',
  kind: 'call.exit',
  sequence_no: 6,
  call: 'c-1',
  tool: 't',
  outcome: 'ok',
};

interface Kept {
  readonly receipt: Receipt;
  readonly record: string;
}

/** The record with the digest of `text`, and its receipt. */
const keptOf = (text: string, more: object = {}): Kept => {
  const digest = saltedDigest(Buffer.from(salt, 'hex'), text);
  const record = canonicalJson({ ...EXIT, result_digest: digest, ...more });
  return { record, receipt: { log, seq: 7, leaf: leafHash(record), call: 'c-1', salt } };
};

const ownText = canonicalJson(ENVELOPE);
const OWN = { content: [{ type: 'text', text: ownText }], structuredContent: ENVELOPE };
const { receipt, record } = keptOf(ownText);
const answer = { ...OWN, _meta: { [RECEIPT_KEY]: receipt } };
const OTHER = 'the answer does not match the digest in the record';

describe('an own answer', () => {
  it.each([
    ['as it came', answer],
    ['kept without its receipt', OWN],
    ['without structured content', { content: OWN.content, _meta: answer._meta }],
    [
      'with what the new protocol adds',
      { ...answer, resultType: 'complete', _meta: { ...answer._meta, 'io.modelcontextprotocol/serverInfo': {} } },
    ],
  ])('holds %s', async (_, one) => {
    expect(await verifyReceipt(receipt, one, record, crypto)).toMatchObject({ holds: true, record: { seq: 7 } });
  });

  it.each([
    ['another text', { ...answer, content: [{ type: 'text', text: ownText.replace('Ü', 'U') }] }],
    ['other structured content', { ...answer, structuredContent: { ok: true, data: { title: 'other' } } }],
    ['a second block', { ...answer, content: [...OWN.content, { type: 'text', text: 'and this' }] }],
    ['a member in the block', { ...answer, content: [{ type: 'text', text: ownText, annotations: {} }] }],
    ['isError', { ...answer, isError: true }],
    ['a member more', { ...answer, more: 1 }],
    ['more in _meta', { ...answer, _meta: { ...answer._meta, more: 1 } }],
    ['no content', { ...answer, content: [] }],
    ['the envelope alone', { ...ENVELOPE, _meta: answer._meta }],
    ['half of a surrogate pair', { ...answer, structuredContent: '\ud800' }],
  ])('does not hold with %s', async (_, one) => {
    expect(await verifyReceipt(receipt, one, record, crypto)).toEqual({ holds: false, why: OTHER });
  });
});

describe('a refusal inside data', () => {
  const refusal = { ok: true, data: { ok: false, error: { code: 'ERR_NOT_FOUND', message: 'no' } } };
  const kept = keptOf(canonicalJson(refusal));
  const plain = { content: [{ type: 'text', text: canonicalJson(refusal) }], structuredContent: refusal };

  it.each([
    ['with the flag', { ...plain, isError: true }, true],
    ['without it, as earlier versions answered', plain, true],
    ['with another flag', { ...plain, isError: 1 }, false],
  ])('%s', async (_, one, holds) => {
    expect(await verifyReceipt(kept.receipt, one, kept.record, crypto)).toMatchObject({ holds });
  });

  it('is not what other data are', async () => {
    for (const data of [{ ok: false }, { ok: false, error: 'x' }, { error: {} }]) {
      const text = canonicalJson({ ok: true, data });
      const own = keptOf(text);
      const flagged = { content: [{ type: 'text', text }], isError: true };
      expect(await verifyReceipt(own.receipt, flagged, own.record, crypto)).toMatchObject({ holds: false });
    }
  });
});

describe('an answer of another server', () => {
  const result = { content: [], structuredContent: { b: 1, a: [2] }, _meta: { mine: 1 } };
  const route = { name: null, candidates: [], attempts: [] };
  const whole = keptOf(canonicalJson(result), { route });
  const carrying = { ...result, _meta: { ...result._meta, [RECEIPT_KEY]: whole.receipt } };

  it('holds, and is the whole result', async () => {
    expect(await verifyReceipt(whole.receipt, carrying, whole.record, crypto)).toMatchObject({ holds: true });
    const without = { ...carrying, _meta: { [RECEIPT_KEY]: whole.receipt } };
    expect(await verifyReceipt(whole.receipt, without, whole.record, crypto)).toMatchObject({ holds: false });
  });

  it('is not held by a text that says the same', async () => {
    const kept = keptOf(canonicalJson({ ok: true, data: 1 }), { route });
    const forged = { content: [{ type: 'text', text: canonicalJson({ ok: true, data: 1 }) }] };
    expect(await verifyReceipt(kept.receipt, forged, kept.record, crypto)).toMatchObject({ holds: false });
  });

  it('without a canonical form is taken as it is written, in that form alone', async () => {
    const odd = { z: '\ud800', a: 1 };
    const json = keptOf(JSON.stringify(odd), { route, form: 'json' });
    expect(await verifyReceipt(json.receipt, odd, json.record, crypto)).toMatchObject({ holds: true });
    const unsaid = keptOf(JSON.stringify(odd), { route });
    expect(await verifyReceipt(unsaid.receipt, odd, unsaid.record, crypto)).toMatchObject({ holds: false });
  });

  it('that an older client got inside an object holds as it was', async () => {
    for (const before of [{ structuredContent: [1] }, { content: [], structuredContent: [1] }]) {
      const kept = keptOf(canonicalJson(before), { route });
      const after = { content: [{ type: 'text', text: '[1]' }], structuredContent: { result: [1] } };
      expect(await verifyReceipt(kept.receipt, after, kept.record, crypto)).toMatchObject({ holds: true });
    }
  });
});

const changed = (change: object): Kept => keptOf(ownText, change);

describe('a record', () => {
  it.each([
    ['of another log', changed({ log: '00'.repeat(16) }), 'another place'],
    ['of another seq', changed({ seq: 8 }), 'another place'],
    ['of another call', changed({ call: 'c-2' }), 'of another call'],
    ['that is no outcome', changed({ kind: 'call.enter' }), 'not the outcome'],
    ['without a digest', changed({ result_digest: undefined }), 'has no digest'],
    ['with another digest', changed({ result_digest: 'ab'.repeat(32) }), OTHER],
    ['that is another one', { receipt, record: changed({ outcome: 'failed' }).record }, 'the leaf of the receipt'],
    ['with a space in it', { receipt, record: record.replace(':', ': ') }, 'in canonical form'],
    ['with a member twice', { receipt, record: record.replace('{', '{"call":"c-0",') }, 'in canonical form'],
    ['that is not JSON', { receipt, record: 'hello' }, 'in canonical form'],
    ['of 10 MB', { receipt, record: 'x'.repeat(10_000_000) }, 'in canonical form'],
    ['nested without end', { receipt, record: '['.repeat(1_000_000) }, 'in canonical form'],
    ['with half of a surrogate pair', { receipt, record: record.replace('then', '\\ud800') }, 'in canonical form'],
  ])('%s is refused', async (_, kept: Kept, why) => {
    const verdict = await verifyReceipt(kept.receipt, OWN, kept.record, crypto);
    expect(verdict).toEqual({ holds: false, why: expect.stringContaining(why) });
  });
});

const thrower: unknown = new Proxy(
  {},
  {
    get: () => {
      throw new Error('do not look');
    },
  },
);
const cycle: Record<string, unknown> = { content: [] };
cycle.self = cycle;
const WRONG: readonly unknown[] = [undefined, null, 1, 'x', [], {}, Symbol('s'), 10n, () => {}, thrower];

describe('whatever is handed in, there is a verdict', () => {
  it.each(WRONG.map((value, at) => [at, value] as const))('%i', async (_, value) => {
    const bad = value as never;
    expect(await verifyReceipt(bad, answer, record, crypto)).toMatchObject({ holds: false });
    expect(await verifyReceipt(receipt, bad, record, crypto)).toMatchObject({ holds: false });
    expect(await verifyReceipt(receipt, answer, bad, crypto)).toMatchObject({ holds: false });
    expect(await verifyReceipt(receipt, { ...OWN, structuredContent: bad ?? 0 }, record, crypto)).toMatchObject({
      holds: false,
    });
  });

  it.each([
    ['a leaf in capitals', { ...receipt, leaf: receipt.leaf.toUpperCase() }],
    ['fields swapped', { ...receipt, leaf: receipt.salt, salt: receipt.leaf }],
    ['a negative place', { ...receipt, seq: -1 }],
    ['a place that is a text', { ...receipt, seq: '7' }],
    ['a salt in a list', { ...receipt, salt: [receipt.salt] }],
    ['no call', { ...receipt, call: undefined }],
  ])('a receipt with %s', async (_, bad) => {
    const why = expect.stringContaining('the receipt is not');
    expect(await verifyReceipt(bad as never, OWN, record, crypto)).toEqual({ holds: false, why });
  });

  it('an answer that carries another receipt, a cycle, 10 MB', async () => {
    const other = { ...OWN, _meta: { [RECEIPT_KEY]: { ...receipt, seq: 8 } } };
    expect(await verifyReceipt(receipt, other, record, crypto)).toEqual({
      holds: false,
      why: 'the answer carries another receipt',
    });
    expect(await verifyReceipt(receipt, cycle, record, crypto)).toMatchObject({ holds: false });
    const long = { content: [{ type: 'text', text: 'x'.repeat(10_000_000) }] };
    expect(await verifyReceipt(receipt, long, record, crypto)).toMatchObject({ holds: false });
  });

  it('but a sha256 that throws rejects', async () => {
    const failing = {
      sha256: () => {
        throw new Error('no crypto here');
      },
    };
    await expect(verifyReceipt(receipt, answer, record, failing)).rejects.toThrow('no crypto here');
  });
});

describe('an answer that was digested as bytes', () => {
  const BYTES = '{"content":[], "n":1.0}';
  const kept = keptOf(BYTES, { form: 'bytes', route: { name: null, candidates: [], attempts: [] } });

  it('holds for the bytes and for their text', async () => {
    for (const one of [BYTES, new TextEncoder().encode(BYTES)]) {
      expect(await verifyReceipt(kept.receipt, one, kept.record, crypto)).toMatchObject({ holds: true });
    }
  });

  it('does not hold for other bytes, and cannot be checked without bytes', async () => {
    for (const one of [`${BYTES} `, '', BYTES.replace('1.0', '1')]) {
      expect(await verifyReceipt(kept.receipt, one, kept.record, crypto)).toEqual({ holds: false, why: OTHER });
    }
    expect(await verifyReceipt(kept.receipt, JSON.parse(BYTES), kept.record, crypto)).toMatchObject({
      holds: false,
      why: expect.stringMatching(/digests bytes/),
    });
  });

  it('of another form holds for the text of the answer too', async () => {
    expect(await verifyReceipt(receipt, JSON.stringify(answer), record, crypto)).toMatchObject({ holds: true });
    expect(await verifyReceipt(receipt, 'no JSON', record, crypto)).toMatchObject({ holds: false });
  });
});
