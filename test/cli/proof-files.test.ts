// Proof files that are not what they seem.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect } from 'vitest';
import { deepTest, test } from '../support/by-gate.js';
import { colibri, json, type Used, usedStore } from '../support/command-line.js';
import { freshPlace, type Place } from '../support/serve.js';

let used: Used;
let proof: string;
let vkey: string;
const ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  used = await usedStore(freshPlace((clean) => ends.push(clean)));
  ({ proof, vkey } = json(await colibri(used.place, ['prove', used.thought, '--json'])));
  return async () => {
    for (const end of ends) await end();
  };
});

const check = (place: Place, text: string, ...args: string[]) => {
  const file = join(place.dir, 'p');
  fs.writeFileSync(file, text);
  return colibri(place, ['verify', file, ...args]);
};

const edited = (edit: (extra: string) => string): string =>
  proof.replace(/^extra (.*)$/m, (_, encoded: string) => {
    return `extra ${Buffer.from(edit(Buffer.from(encoded, 'base64').toString())).toString('base64')}`;
  });

test('forged: another content, another record, another path, another size, another signature', async () => {
  const forgeries: Readonly<Record<string, [string, RegExp]>> = {
    content: [
      edited((extra) => extra.replace('Sesame', 'Tomato')),
      /the content does not match the digest in the thought/,
    ],
    thought: [edited((extra) => extra.replace('decision', 'analysis')), /the thought is not in the sealed session/],
    record: [edited((extra) => extra.replace('seal', 'deal')), /the record is not in the tree/],
    index: [proof.replace(/^index \d+$/m, 'index 2'), /the record is not in the tree/],
    size: [proof.replace(/^(colibri\.dev.*\n)\d+$/m, '$19'), /not signed by this key/],
    signature: [
      proof.replace(/(— \S+ \S{20})(.)/, (_, a, b) => `${a}${b === 'A' ? 'B' : 'A'}`),
      /not signed by this key/,
    ],
  };
  for (const [name, [text, told]] of Object.entries(forgeries)) {
    expect(text, name).not.toBe(proof);
    const ran = await check(used.place, text, '--key', vkey);
    expect(ran, name).toMatchObject({ code: 20, stderr: '', stdout: expect.stringMatching(told) });
    expect(ran.stdout, name).toMatch(/^BROKEN[\s\S]*^Custody: /m);
  }
});

deepTest('truncated, empty, something else: cannot be read', async () => {
  for (const text of [
    proof.slice(0, 300),
    proof.slice(0, proof.indexOf('\n\n')),
    '',
    'hello',
    proof.replaceAll('\n', '\r\n'),
  ]) {
    const ran = await check(used.place, text, '--key', vkey);
    expect(ran).toMatchObject({ code: 30, stdout: expect.stringMatching(/^UNREADABLE[\s\S]*not a complete c2sp/) });
    expect(ran.stdout).toMatch(/^Custody: /m);
    expect(ran.stdout.trim().split('\n')[1]).toContain('not a complete c2sp'); // the reason comes first
  }
  // A checkpoint that was cut is read, and is signed by nobody.
  expect((await check(used.place, proof.slice(0, -20), '--key', vkey)).code).toBe(20);
});

deepTest('the key of another log, a key that is none, a key under a wrong name', async () => {
  const other = await usedStore();
  const { vkey: foreign } = json(await colibri(other.place, ['checkpoint', '--json']));
  expect(await check(used.place, proof, '--key', foreign)).toMatchObject({
    code: 20,
    stdout: expect.stringContaining('wrong origin'),
  });
  const [name] = vkey.split('+');
  const [, ...rest] = foreign.split('+');
  expect(await check(used.place, proof, '--key', [name, ...rest].join('+'))).toMatchObject({
    code: 30,
    stdout: expect.stringContaining('do not belong together'),
  });
  fs.writeFileSync(join(used.place.dir, 'k'), 'nonsense');
  expect(await check(used.place, proof, '--key', join(used.place.dir, 'k'))).toMatchObject({ code: 30 });
  expect(await check(used.place, proof, '--key', '/nowhere/key')).toMatchObject({
    code: 30,
    stdout: expect.stringMatching(/\/nowhere\/key" is neither a key/),
  });
});

deepTest('without a key: the store at hand may have it, else it says which is needed', async () => {
  expect(await check(used.place, proof)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Checked with the key that the local store has for the log'),
  });
  const stranger = freshPlace();
  const ran = await check(stranger, proof);
  expect(ran).toMatchObject({
    code: 30,
    stdout: expect.stringContaining(`The key of colibri.dev/log/${used.log} is needed`),
  });
  expect(json(await check(stranger, proof, '--json'))).toMatchObject({
    exit: 30,
    origin: `colibri.dev/log/${used.log}`,
  });
  expect(fs.existsSync(stranger.db)).toBe(false);
});

test('cosignatures only where they are allowed', async () => {
  const cosigned = `${proof}— witness.example.org/w1 ${Buffer.alloc(68, 7).toString('base64')}\n`;
  expect(await check(used.place, cosigned, '--key', vkey)).toMatchObject({ code: 20 });
  expect(await check(used.place, cosigned, '--key', vkey, '--allow-cosignatures')).toMatchObject({ code: 0 });
});

test('a file that is not there; a key without a proof', async () => {
  expect(await colibri(used.place, ['verify', '/nowhere/proof'])).toMatchObject({
    code: 30,
    stdout: expect.stringMatching(/^UNREADABLE[\s\S]*cannot be read/),
  });
  expect(await colibri(used.place, ['verify', '--key', vkey])).toMatchObject({ code: 1 });
});
