// One file proves who allowed a call, what the model was told, the call and its outcome: offline, by our portable code and by Go's packages.
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { canonicalJson } from '../../src/proof/canonical-json.js';
import { verifyProof } from '../../src/proof/index.js';
import { readProof, writeProof } from '../../src/proof/proof-file.js';
import { buildChecker, missingGo, verdicts } from '../go/checker.js';
import { nodeCrypto } from '../proofs/node-crypto.js';
import { colibri, json } from '../support/command-line.js';
import type { Message } from '../support/serve.js';
import { approve } from './answering.js';
import { errorOf, recordsOf, toolNamed, trustClient, untilListed, worldWith } from './places.js';

type Extra = Message;

/** A proof file with another extra, as somebody would write it who wants it to say more. */
const changed = (text: string, change: (extra: Extra) => void): string => {
  const file = readProof(text);
  if (file === undefined) throw new Error('no proof');
  const extra = JSON.parse(canonicalJson(file.extra)) as Extra;
  change(extra);
  return writeProof({ ...file, extra: extra as never });
};

const CHANGES: Readonly<Record<string, (extra: Extra) => void>> = {
  'another definition': (extra) => {
    extra.call.definition = extra.call.definition.replace('Does', 'Did');
  },
  'an approval by somebody else': (extra) => {
    extra.call.records[3].record = extra.call.records[3].record.replace('"by":"root"', '"by":"boss"');
  },
  'no use of the approval': (extra) => extra.call.records.pop(),
  'no intent': (extra) => extra.call.records.shift(),
  'the records in another order': (extra) => extra.call.records.reverse(),
  'another place': (extra) => {
    extra.call.records[0].index += 1;
  },
};

test('approval, intent and outcome of a call are proved in one file', { timeout: 90_000 }, async () => {
  const world = worldWith([toolNamed('wipe')], { tools: { ask: ['wipe'] } });
  const { place } = world;
  const client = await trustClient(place, 'v2 modern');
  await untilListed(client, 'far__wipe');
  const asked = await client.call('far__wipe', { path: '/x' });
  expect((await approve(place, errorOf(asked)?.details.approval_id)).code).toBe(0);
  await client.call('far__wipe', { path: '/x' });
  await client.close();
  const { call } = recordsOf(place, 'approval').find(({ state }) => state === 'used') ?? {};
  const out = join(place.dir, 'call.tlog-proof');
  const made = json(await colibri(place, ['prove', call, '--out', out, '--json']));
  const text = readFileSync(out, 'utf8');
  const checked = json(await colibri(place, ['verify', out, '--key', made.vkey, '--json']));
  expect(checked).toMatchObject({ exit: 0, valid: true });
  const { record, call: told } = checked.proved;
  expect([record.kind, record.call]).toEqual(['call.exit', call]);
  expect(told.records.map(({ kind, state }: Message) => [kind, state])).toEqual([
    ['call.enter', undefined],
    ['approval', 'asked'],
    ['approval', 'granted'],
    ['approval', 'used'],
  ]);
  expect(told.definition).toMatchObject({ name: 'far__wipe', description: 'Does wipe.' });

  const verdict = async (one: string) => (await verifyProof(one, made.vkey, nodeCrypto)).holds;
  expect(await verdict(text)).toBe(true);
  const bad = Object.entries(CHANGES).map(([name, change]) => [name, changed(text, change)] as const);
  for (const [name, one] of bad) expect([name, await verdict(one)]).toEqual([name, false]);
  if (missingGo() !== undefined) return;
  const binary = buildChecker(mkdtempSync(join(tmpdir(), 'colibri-go-')));
  const cases = [text, ...bad.map(([, one]) => one)].map((one) => [Buffer.from(one)]);
  const [good, ...others] = verdicts({ binary, vkey: made.vkey }, 'check-proof', cases);
  expect([good, others]).toEqual(['ok', others.filter((one) => one !== 'ok')]);
  expect(others.length).toBe(bad.length);
});
