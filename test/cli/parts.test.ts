// The small parts of the command line that need no process.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { holdsAny } from '../../src/cli/leftovers.js';
import { plain } from '../../src/cli/screen/print.js';
import { progressOn } from '../../src/cli/screen/progress.js';
import { parseTarget } from '../../src/cli/target.js';
import { readReceipts } from '../../src/cli/verify/receipts-file.js';
import { parseVkey } from '../../src/cli/verify/vkey.js';
import { verifierOf } from '../../src/ledger/tree.js';
import { originOf } from '../../src/proof/checkpoint.js';
import { vkeyOf } from '../../src/proof/verifier.js';
import { sha256 } from '../support/ledger-check.js';
import { temporaryFolder } from '../support/stores.js';

const screen = (isTTY: boolean) => {
  const written: string[] = [];
  return { written, stream: { isTTY, write: (text: string) => written.push(text) } };
};

test('progress: not off a terminal, not for short work, then every tenth of a second', () => {
  const { written, stream } = screen(true);
  let ms = 0;
  const progress = progressOn(stream, 'verifying', () => ms);
  progress.update(1, 100);
  ms = 399;
  progress.update(10, 100);
  expect(written).toEqual([]);
  ms = 400;
  progress.update(25, 100);
  ms = 450;
  progress.update(30, 100);
  progress.end();
  expect(written).toEqual(['\r\u001b[Kverifying 25 %  25 of 100', '\r\u001b[K']);

  const pipe = screen(false);
  const silent = progressOn(pipe.stream, 'verifying', () => ms);
  ms = 9_999;
  silent.update(1, 0);
  silent.end();
  expect(pipe.written).toEqual([]);
});

test('vkeys: exactly one form, and ours only with the key they are named after', () => {
  const key = Buffer.alloc(32, 7);
  const own = vkeyOf(verifierOf(originOf(sha256(key).slice(0, 32)), key));
  expect(parseVkey(own)).toMatchObject({ publicKey: new Uint8Array(key) });
  expect(parseVkey(vkeyOf(verifierOf('example.org/log', key)))).toBeDefined();
  for (const bad of [`${own} `, own.slice(0, -4), own.replace('+', '-'), vkeyOf(verifierOf(originOf('00'), key)), '']) {
    expect(parseVkey(bad), bad).toBeUndefined();
  }
});

test('receipts: an array, lines, answers, errors', () => {
  const receipt = { log: 'l', seq: 3, leaf: 'f', call: 'c' };
  const meta = { 'dev.colibri/receipt': { ...receipt, salt: 's' } };
  const forms = [
    JSON.stringify([receipt]),
    `\n${JSON.stringify(receipt)}\n\n`,
    JSON.stringify({ jsonrpc: '2.0', id: 1, result: { _meta: meta } }),
    JSON.stringify([{ _meta: meta }]),
    JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: 1, data: meta } }),
    JSON.stringify({ data: meta }),
  ];
  for (const form of forms) expect(readReceipts(form), form).toMatchObject([receipt]);
  for (const bad of ['{', '[1]', '[null]', '[{}]', `[${JSON.stringify({ ...receipt, seq: -1 })}]`]) {
    expect(() => readReceipts(bad), bad).toThrow(/Entry \d of the file is not a receipt/);
  }
  expect(readReceipts('')).toEqual([]);
});

test('names of records', () => {
  expect(parseTarget('17')).toEqual({ kind: 'place', log: undefined, seq: 17 });
  expect(parseTarget('ABCD/0')).toEqual({ kind: 'place', log: 'abcd', seq: 0 });
  expect(parseTarget('3B241101-e2bb-4255-8caf-4136c566a962')).toMatchObject({ kind: 'id' });
  for (const bad of ['', '-1', '01', 'abc/1', 'abcd/', '1e3', '%', 'T-0001'])
    expect(() => parseTarget(bad), bad).toThrow();
});

test('what a store says cannot steer a terminal', () => {
  expect(plain('a\u001b[2Jb\nc\u202ed')).toBe('a\\u001b[2Jb\\u000ac\\u202ed');
});

test('traces are found across the pieces in which a file is read', () => {
  const path = join(temporaryFolder(), 'file');
  const megabyte = 1024 * 1024;
  for (const at of [0, megabyte - 3, megabyte, 2 * megabyte - 5, 3 * megabyte - 6]) {
    const bytes = Buffer.alloc(3 * megabyte, 'x');
    bytes.write('needle', at);
    fs.writeFileSync(path, bytes);
    expect(holdsAny(path, ['nothing', 'needle']), String(at)).toBe(true);
    expect(holdsAny(path, ['nothing', 'needles']), String(at)).toBe(false);
  }
  expect(holdsAny(`${path}-gone`, ['x'])).toBe(false);
});
