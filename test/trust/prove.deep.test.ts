// One file proves who allowed a call, what the model was told, the call and its outcome: offline, by our portable code and by Go's packages.
import { execFileSync } from 'node:child_process';
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
import { eventually } from '../support/process-list.js';
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
  'nobody was asked': (extra) => extra.call.records.splice(1, 1),
  'the answer twice': (extra) => extra.call.records.splice(2, 0, extra.call.records[2]),
  'nobody was asked, nobody answered': (extra) => extra.call.records.splice(1, 2),
  'only the question': (extra) => extra.call.records.splice(2),
  'no approval at all': (extra) => extra.call.records.splice(1),
  'a definition that nobody was shown': (extra) => {
    extra.call.definition = `${extra.call.definition} `;
  },
  'another outcome': (extra) => {
    extra.record = extra.record.replace('"outcome":"ok"', '"outcome":"failed"');
  },
};

/** What can be put together of the genuine parts of two calls' proofs under one checkpoint. */
const MIXTURES: Readonly<Record<string, (extra: Extra, other: Extra) => void>> = {
  'the intent of another call': (extra, other) => {
    extra.call.records[0] = other.call.records[0];
  },
  'the approval of another call': (extra, other) => {
    extra.call.records.splice(1, 3, ...other.call.records.slice(1));
  },
  'the approval of another call besides': (extra, other) => extra.call.records.push(...other.call.records.slice(1)),
  'the question of another call': (extra, other) => {
    extra.call.records[1] = other.call.records[1];
  },
  'the answer to another call': (extra, other) => {
    extra.call.records[2] = other.call.records[2];
  },
  'the use by another call': (extra, other) => {
    extra.call.records[3] = other.call.records[3];
  },
  'what belongs to another call': (extra, other) => {
    extra.call = other.call;
  },
};

test('approval, intent and outcome of a call are proved in one file', { timeout: 90_000 }, async () => {
  const world = worldWith([toolNamed('wipe')], { tools: { ask: ['wipe'] } });
  const { place } = world;
  const client = await trustClient(place, 'v2 modern');
  await untilListed(client, 'far__wipe');
  for (const path of ['/x', '/y']) {
    const asked = await client.call('far__wipe', { path });
    expect((await approve(place, errorOf(asked)?.details.approval_id)).code).toBe(0);
    await client.call('far__wipe', { path });
  }
  await client.close();
  const [call, otherCall] = recordsOf(place, 'approval').flatMap((one) => (one.state === 'used' ? [one.call] : []));
  const [out, otherOut] = [join(place.dir, 'call.tlog-proof'), join(place.dir, 'other.tlog-proof')];
  await colibri(place, ['prove', otherCall, '--out', otherOut]);
  const otherExtra = readProof(readFileSync(otherOut, 'utf8'))?.extra as Extra;
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
  const said = (await colibri(place, ['verify', out, '--key', made.vkey])).stdout;
  expect(said).toMatch(/allowed by \S+, via command: wipe of far, at 20/);
  const shown = (await colibri(place, ['log', call])).stdout;
  expect(shown).toMatch(/approval +[0-9a-f]{10}: allowed and used \(command, \S+\)/);
  const [id] = recordsOf(place, 'approval').map((one) => one.approval_id);
  expect(await approve(place, id)).toMatchObject({ code: 1, text: expect.stringContaining('you are asked anew') });

  const verdict = async (one: string) => (await verifyProof(one, made.vkey, nodeCrypto)).holds;
  expect(await verdict(text)).toBe(true);
  const bad = [
    ...Object.entries(CHANGES).map(([name, change]) => [name, changed(text, change)] as const),
    ...Object.entries(MIXTURES).map(
      ([name, mix]) => [name, changed(text, (extra) => mix(extra, structuredClone(otherExtra)))] as const,
    ),
  ];
  for (const [name, one] of bad) expect([name, await verdict(one)]).toEqual([name, false]);
  if (missingGo() !== undefined) return;
  const binary = buildChecker(mkdtempSync(join(tmpdir(), 'colibri-go-')));
  const cases = [text, ...bad.map(([, one]) => one)].map((one) => [Buffer.from(one)]);
  const [good, ...others] = verdicts({ binary, vkey: made.vkey }, 'check-proof', cases);
  expect(good).toBe('ok');
  expect(bad.flatMap(([name], at) => (others[at] === 'ok' ? [name] : []))).toEqual([]);
  expect(others.length).toBe(bad.length);
});

test('of a call whose process died after its approval was used, the approval is proved too', {
  timeout: 90_000,
}, async () => {
  const world = worldWith([toolNamed('wipe')], { tools: { ask: ['wipe'] } });
  const { place } = world;
  const client = await trustClient(place, 'v2 legacy');
  await untilListed(client, 'far__wipe');
  const args = { path: '/x', ms: 20_000 };
  expect((await approve(place, errorOf(await client.call('far__wipe', args))?.details.approval_id)).code).toBe(0);
  client.call('far__wipe', args).catch(() => {});
  await eventually('it is called', () => world.calls().length === 1);
  process.kill(Number(execFileSync('pgrep', ['-P', String(client.pid)], { encoding: 'utf8' }).trim()), 'SIGKILL');
  await client.close().catch(() => {});
  const next = await trustClient(place, 'v1');
  await untilListed(next, 'far__wipe');
  await next.close();
  const { call } = recordsOf(place, 'approval').find(({ state }) => state === 'used') ?? {};
  const out = join(place.dir, 'call.tlog-proof');
  const made = json(await colibri(place, ['prove', call, '--out', out, '--json']));
  const text = readFileSync(out, 'utf8');
  const extra = readProof(text)?.extra as Extra;
  expect(JSON.parse(extra.record)).toMatchObject({ kind: 'call.exit', call, outcome: 'interrupted' });
  expect(extra.call.records.map((one: Message) => JSON.parse(one.record).state)).toEqual([
    undefined,
    'asked',
    'granted',
    'used',
  ]);
  expect((await verifyProof(text, made.vkey, nodeCrypto)).holds).toBe(true);
  if (missingGo() !== undefined) return;
  const binary = buildChecker(mkdtempSync(join(tmpdir(), 'colibri-go-')));
  expect(verdicts({ binary, vkey: made.vkey }, 'check-proof', [[Buffer.from(text)]])).toEqual(['ok']);
});
