// `verify --receipts` checks what a client kept: the receipt and the answer. An altered answer, salt or call id with a genuine leaf is found.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { readReceipts } from '../../src/cli/verify/receipts-file.js';
import { saltedDigest } from '../../src/ledger/hashes.js';
import type { Receipt } from '../../src/proof/records.js';
import { verifyStore } from '../../src/verify/verify.js';
import { colibri, headsDir } from '../support/command-line.js';
import { receiptOf } from '../support/ledger-check.js';
import { freshPlace, type Message, type Place, session } from '../support/serve.js';
import { now, openLedger, temporaryFolder } from '../support/stores.js';
import { fakeServer, untilHealthy, writeBoard } from '../support/switchboard-file.js';

interface Answers {
  readonly own: Message;
  readonly refused: Message;
  readonly proxied: Message;
  readonly failed: Message;
}

const served = async (): Promise<{ place: Place; answers: Answers }> => {
  const place = freshPlace();
  writeBoard(place, { plain: fakeServer('plain') });
  const { value } = await session(place, async (peer) => {
    await untilHealthy(peer, 'plain');
    return {
      own: await peer.call('task_create', { title: 'kept' }),
      refused: await peer.call('task_get', { task_id: 'T-9999' }),
      proxied: await peer.call('plain__echo', { i: 1 }),
      failed: await peer.call('plain__fail', {}),
    };
  });
  return { place, answers: value };
};

const verify = (place: Place, entries: readonly unknown[]) => {
  const receipts = readReceipts(entries.map((entry) => JSON.stringify(entry)).join('\n'));
  return verifyStore({ path: place.db, scope: { kind: 'store' }, headsDir: headsDir(place), workers: 0, receipts });
};

/** An answer with a change in its receipt, wherever that is. */
const otherReceipt = (answer: Message, change: object): Message =>
  JSON.parse(JSON.stringify(answer), (key, value) => (key === 'dev.colibri/receipt' ? { ...value, ...change } : value));

test('answers that clients kept are compared with the digests in their records', { timeout: 60_000 }, async () => {
  const { place, answers } = await served();
  const { own, refused, proxied, failed } = answers;
  const all = [own, refused, proxied, failed];
  const right: readonly (readonly unknown[])[] = [
    all,
    [own.result, refused.result, proxied.result, failed.error],
    all.map(receiptOf),
    [{ receipt: receiptOf(own), bytes: JSON.stringify(own.result) }],
  ];
  const without = ['1 of them without', '1 of them without', '4 of them without', 'with their answers'];
  for (const [i, entries] of right.entries()) {
    const verdict = await verify(place, entries);
    expect(verdict).toMatchObject({ exit: 0, findings: [] });
    expect(verdict.checked.join(' ')).toContain(without[i]);
  }
  const file = join(place.dir, 'kept.jsonl');
  fs.writeFileSync(file, all.map((entry) => JSON.stringify(entry)).join('\n'));
  const ran = await colibri(place, ['verify', '--receipts', file]);
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('4 receipts, 1 of them without the answer') });
  const salt = '0'.repeat(32);
  const wrong: readonly (readonly [string, unknown, RegExp])[] = [
    ['a text', change(own, 'INIT', 'DONE'), /does not match the digest/],
    [
      'structured content alone',
      { ...own, result: { ...own.result, structuredContent: { ok: true, data: 1 } } },
      /digest/,
    ],
    ['one more member', { ...own, result: { ...own.result, note: 'trust me' } }, /digest/],
    ['a success made an error', { ...own, result: { ...own.result, isError: true } }, /digest/],
    ['another server’s answer', change(proxied, '\\"i\\":1', '\\"i\\":2'), /does not match the digest/],
    ['the salt', otherReceipt(own, { salt }), /does not match the digest/],
    ['the call', otherReceipt(own, { call: receiptOf(proxied)?.call }), /names another call/],
    ['the call of a bare receipt', { ...receiptOf(own), call: 'other' }, /names another call/],
    [
      'a result where an error was given',
      { result: { content: [], _meta: { 'dev.colibri/receipt': receiptOf(failed) } } },
      /no digest/,
    ],
    [
      'an error where a result was given',
      { error: { code: 1, data: { 'dev.colibri/receipt': receiptOf(own) } } },
      /is an error/,
    ],
    ['kept bytes', { receipt: receiptOf(own), bytes: change(own.result, 'INIT', 'DONE', true) }, /digest/],
  ];
  for (const [what, entry, message] of wrong) {
    const verdict = await verify(place, [proxied, entry]);
    expect([what, verdict.exit]).toEqual([what, 20]);
    expect([what, verdict.findings.length, verdict.findings[0]?.message]).toEqual([
      what,
      1,
      expect.stringMatching(message),
    ]);
  }
});

/** A value with one text of its JSON replaced. */
function change(value: unknown, from: string, to: string, asText = false): unknown {
  const text = JSON.stringify(value);
  expect(text).toContain(from);
  const changed = text.replaceAll(from, to);
  return asText ? changed : JSON.parse(changed);
}

describe('a result that was digested as bytes', () => {
  const BYTES = '{"content":[{"type":"text","text":"caf\u00e9"}], "n":1.0}';
  const SALT = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex');

  const recorded = async (): Promise<{ path: string; receipt: Receipt }> => {
    const dir = temporaryFolder();
    const { store, ledger } = await openLedger(dir);
    const call = { at: now(), call: crypto.randomUUID(), tool: 'far__read' };
    const no = await ledger.enter({ ...call, effect: 'proxy', client: null, args: {} });
    const { seq, leaf } = await ledger.exit(no, {
      kind: 'call.exit',
      ...{ ...call, outcome: 'ok', form: 'bytes', result_digest: saltedDigest(SALT, BYTES) },
    });
    await store.close();
    return {
      path: join(dir, 'colibri.db'),
      receipt: { log: ledger.log.id, seq, leaf, call: call.call, salt: SALT.toString('hex') },
    };
  };

  it('is compared with the kept bytes, as text or as base64; parsed, it is not', async () => {
    const { path, receipt } = await recorded();
    const check = async (...entries: unknown[]) => {
      const receipts = readReceipts(JSON.stringify(entries));
      const { findings, checked } = await verifyStore({ path, scope: { kind: 'store' }, workers: 0, receipts });
      return { findings, said: checked.join(' ') };
    };
    const base64 = Buffer.from(BYTES).toString('base64');
    expect(await check({ receipt, bytes: BYTES }, { receipt, base64 })).toMatchObject({
      findings: [],
      said: expect.stringContaining('2 receipts with their answers'),
    });
    const parsed = { ...JSON.parse(BYTES), _meta: { 'dev.colibri/receipt': receipt } };
    expect(await check(parsed)).toMatchObject({ findings: [], said: expect.stringContaining('1 of them without') });
    for (const bytes of [BYTES.replace('1.0', '1'), `${BYTES} `, '']) {
      expect((await check({ receipt, bytes })).findings).toMatchObject([{ kind: 'receipt' }]);
    }
    expect((await check({ receipt: { ...receipt, salt: '0'.repeat(32) }, base64 })).findings).toHaveLength(1);
  });
});

it('a file that is not one of receipts is refused, with the place', () => {
  const receipt = { log: 'l', seq: 1, leaf: 'x', call: 'c' };
  expect(readReceipts(JSON.stringify(receipt))).toEqual([receipt]);
  for (const bad of [
    '{"log":"x"}',
    '[{"receipt":{"log":"x"},"bytes":"y"}]',
    '[1]',
    '[null]',
    'text',
    `${JSON.stringify(receipt)}\n{}`,
  ])
    expect(() => readReceipts(bad), bad).toThrow(/is not a receipt/);
});
