// colibri export: enough for a stranger, exact in JSON lines, harmless in CSV, whole or not there.
import { createPublicKey, verify } from 'node:crypto';
import { expect } from 'vitest';
import { deepTest, test } from '../support/by-gate.js';
import { colibri, rows, usedStore, useMore } from '../support/command-line.js';
import { appendRecords } from '../support/command-output.js';
import { inspectLedger } from '../support/ledger-check.js';
import { leafOf, naiveTree, sha256 } from '../support/rfc6962.js';
import { session } from '../support/serve.js';
import { exported, ofRow } from './export.shared.js';
import { callMany, momentNow } from './store-upkeep.js';

/** A signed note as C2SP has it: text, blank line, signature line with four bytes of key id before the signature. */
const isSigned = (note: string, publicKey: string): boolean => {
  const [text = '', signature = ''] = note.split('\n\n');
  const bytes = Buffer.from(signature.trim().split(' ')[2] ?? '', 'base64').subarray(4);
  const spki = Buffer.from(`302a300506032b6570032100${publicKey}`, 'hex');
  const key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  return verify(null, Buffer.from(`${text}\n`), key, bytes);
};

test('records: a stranger recomputes every leaf, root, signature and digest', async () => {
  const { place, receipts } = await usedStore();
  await colibri(place, ['checkpoint', '--rotate', '--yes']);
  await session(place, (peer) => callMany(peer, 300, 'CALL'));
  const call = receipts[1]?.call ?? '';
  await colibri(place, ['erase', call, '--reason', 'x', '--yes']);
  const lines = await exported(place);
  const logs = ofRow(lines, 'log');
  expect(logs).toHaveLength(2);
  for (const { log, public_key, size } of logs) {
    const own = ofRow(lines, 'record').filter((line) => line.log === log);
    expect(own.map(({ seq }) => seq)).toEqual(Array.from({ length: size }, (_, seq) => seq));
    const leaves = own.map(({ body }) => leafOf(body));
    expect(own.map(({ leaf }) => leaf)).toEqual(leaves);
    const tree = naiveTree(leaves);
    const checkpoints = ofRow(lines, 'checkpoint').filter((line) => line.log === log);
    expect(checkpoints.map(({ no }) => no)).toEqual(checkpoints.map((_, i) => i + 1));
    for (const { note, size: signed } of checkpoints) {
      const root = Buffer.from(tree.root(0, signed), 'hex').toString('base64');
      expect(note).toContain(`colibri.dev/log/${log}\n${signed}\n${root}\n`);
      expect(isSigned(note, public_key)).toBe(true);
    }
    expect(checkpoints.at(-1)?.size).toBe(size);
    expect(sha256(Buffer.from(public_key, 'hex')).slice(0, 32)).toBe(log);
  }
  const kept = ofRow(lines, 'record').filter(({ payload }) => payload === 'stored');
  expect(kept.length).toBeGreaterThan(300);
  for (const { body, payload_salt, payload_json } of kept) {
    expect(JSON.parse(body).args_digest).toBe(sha256(Buffer.from(payload_salt, 'hex'), payload_json));
  }
  const erased = ofRow(lines, 'record').filter(({ payload }) => payload === 'erased');
  expect(erased.map(({ body }) => JSON.parse(body).call)).toEqual([call]);
  expect(erased[0]).toMatchObject({ payload_salt: null, payload_json: null });
});

deepTest('calls: intent and outcome on one line, and by period', async () => {
  const { place } = await usedStore();
  const between = await momentNow();
  await useMore(place, 2);
  const calls = await exported(place, '--what', 'calls');
  expect(calls.map(({ tool, outcome, payload }) => [tool, outcome, payload])).toEqual([
    ['task_create', 'ok', null],
    ['task_update', 'ok', 'stored'],
    ['thought_record', 'ok', 'stored'],
    ['server_ping', 'ok', 'stored'],
    ['server_ping', 'ok', 'stored'],
  ]);
  expect(calls.at(-1)).toMatchObject({ client: 'raw', payload_json: '{"n":1}', exit_seq: calls.at(-1)?.seq + 1 });
  const tools = async (...args: string[]) =>
    (await exported(place, '--what', 'calls', ...args)).map(({ tool }) => tool);
  expect(await tools('--since', between)).toEqual(['server_ping', 'server_ping']);
  expect(await tools('--until', between)).toEqual(['task_create', 'task_update', 'thought_record']);
  expect(await tools('--until', '1h')).toEqual([]);
  expect(ofRow(await exported(place, '--since', between), 'record').length).toBeLessThan(
    inspectLedger(place.db).records.length,
  );
  expect(await exported(place, '--what', 'tasks', '--since', between)).toEqual([]);
});

test('calls: one whose server answered that it failed is told apart', async () => {
  const { place } = await usedStore();
  const at = '2026-11-16T10:00:00.000Z';
  const call = (n: number): string => `0000000${n}-0000-4000-8000-000000000000`;
  const enter = (n: number) => ({
    at,
    record: { kind: 'call.enter', call: call(n), tool: 'one__act', effect: 'proxy', client: null },
  });
  const hows = [['is_error'], ['is_error', 'result'], ['result', 'is_error'], []];
  const size = rows<{ size: number }>(place, 'SELECT size FROM logs')[0]?.size ?? 0;
  const exits = hows.map((each, n) => {
    const attempts = each.map((how) => ({ server: 'one', tool: 'act', how, sent: true, duration_ms: 1 }));
    const route = { name: null, candidates: [], attempts };
    return {
      at,
      record: { kind: 'call.exit', call: call(n), tool: 'one__act', sequence_no: size + n, outcome: 'ok', route },
    };
  });
  await appendRecords(place, [...hows.map((_, n) => enter(n)), ...exits]);
  const wanted = ['is_error', 'ok', 'is_error', 'ok'];
  const found = (await exported(place, '--what', 'calls')).filter(({ tool }) => tool === 'one__act');
  expect(found.map(({ outcome }) => outcome)).toEqual(wanted);
  const csv = await colibri(place, ['export', '--what', 'calls', '--format', 'csv']);
  const lines = csv.stdout.split('\r\n').filter((line) => line.includes('one__act'));
  expect(lines.map((line) => (line.includes(',is_error,') ? 'is_error' : 'ok'))).toEqual(wanted);
});
