// The package as others get it: packed, unpacked into an empty folder, imported from there.
import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type * as Proof from '../../src/proof/index.js';
import { nodeCrypto } from '../proofs/node-crypto.js';
import type { TextCase } from '../vectors/cases.js';
import type { ConsistencyCase } from '../vectors/consistency.js';
import { bytesOf, casesOf, VECTOR_KEY } from '../vectors/read.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const LIST_MODULES = join(ROOT, 'test', 'children', 'list-modules.mjs');
const { vkey } = VECTOR_KEY;

let folder = '';
let unpacked = '';

beforeAll(() => {
  folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'colibri-pack-')));
  unpacked = join(folder, 'node_modules', 'colibri');
  fs.mkdirSync(unpacked, { recursive: true });
  const npm = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
  const name = execFileSync('npm', npm, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  execFileSync('tar', ['-xzf', join(folder, name.trim()), '-C', unpacked, '--strip-components=1']);
}, 120_000);
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

/** Runs a module in the empty folder; LOADED gets the address of every module that it loads. */
const runs = (source: string, ...given: readonly string[]) => {
  const [file, loaded] = [join(folder, 'program.mjs'), join(folder, 'loaded')];
  fs.writeFileSync(file, source);
  fs.writeFileSync(loaded, '');
  const args = ['--import', LIST_MODULES, file, ...given];
  const env = { PATH: process.env.PATH ?? '', HOME: folder, LOADED: loaded };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    env,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 30_000,
  });
  return { status, stdout, stderr, loaded: fs.readFileSync(loaded, 'utf8').trim().split('\n') };
};

/** The programs that docs/proofs.md shows, from the packed file. */
const shown = (): readonly [string, string] => {
  const text = fs.readFileSync(join(unpacked, 'docs', 'proofs.md'), 'utf8');
  const [node = '', browser = ''] = [...text.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code ?? '');
  return [node, browser];
};

describe('colibri/proof', () => {
  test('checks a proof as docs/proofs.md shows it, and loads nothing but itself', () => {
    const good = String(bytesOf('thought.tlog-proof'));
    fs.writeFileSync(join(folder, 'good'), good);
    fs.writeFileSync(join(folder, 'bad'), good.replace(/^index \d+$/m, 'index 1'));
    const [program] = shown();
    const ran = runs(program, 'good', vkey);
    expect(ran).toMatchObject({ status: 0, stderr: '', stdout: expect.stringMatching(/^\{.*"kind":"seal".*\}\n$/) });
    expect(runs(program, 'bad', vkey).stdout).toBe('does not hold: the record is not in the tree of the checkpoint\n');
    const own = ['node:crypto', 'node:fs', `file://${join(folder, 'program.mjs')}`];
    const foreign = ran.loaded.filter((url) => !own.includes(url) && !url.startsWith(`file://${unpacked}/dist/proof/`));
    expect(foreign).toEqual([]);
    expect(ran.loaded.filter((url) => url.includes('/dist/proof/')).length).toBeGreaterThan(10);
  });

  test('checks it with WebCrypto as docs/proofs.md shows it', () => {
    const [, program] = shown();
    // The library is not among our dependencies.
    const library = "import { sha256 } from '@noble/hashes/sha2.js';";
    expect(program).toContain(library);
    fs.writeFileSync(
      join(folder, 'check.mjs'),
      program.replace(
        library,
        "import { hash } from 'node:crypto'; const sha256 = (bytes) => new Uint8Array(hash('sha256', bytes, 'buffer'));",
      ),
    );
    const ran = runs(
      `
      import { readFileSync } from 'node:fs';
      import { check } from './check.mjs';
      const [good, bad, vkey] = process.argv.slice(2);
      for (const file of [good, bad]) {
        const { holds, why } = await check(readFileSync(file, 'utf8'), vkey);
        process.stdout.write(JSON.stringify({ holds, why }) + '\\n');
      }
    `,
      'good',
      'bad',
      vkey,
    );
    expect(ran.stdout.split('\n')).toEqual(['{"holds":true}', expect.stringContaining('not in the tree'), '']);
  });

  test('imports no module of Node and none outside of its folder', () => {
    const files = fs.readdirSync(join(unpacked, 'dist', 'proof')).filter((name) => name.endsWith('.js'));
    const imports = files.flatMap((name) =>
      [
        ...fs
          .readFileSync(join(unpacked, 'dist', 'proof', name), 'utf8')
          .matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g),
      ].map(([, to]) => to ?? ''),
    );
    expect(imports.length).toBeGreaterThan(20);
    expect(imports.filter((to) => !/^\.\/[a-z0-9-]+\.js$/.test(to))).toEqual([]);
  });

  test('has types', () => {
    const { exports } = JSON.parse(fs.readFileSync(join(unpacked, 'package.json'), 'utf8'));
    for (const { types, default: code } of [exports['.'], exports['./proof']]) {
      expect(fs.existsSync(join(unpacked, types))).toBe(true);
      expect(fs.existsSync(join(unpacked, code))).toBe(true);
    }
  });
});

describe('colibri/proof in one file, with the globals of ECMAScript alone', () => {
  let proof: typeof Proof;

  beforeAll(async () => {
    const { rolldown } = await import('rolldown');
    const bundle = await rolldown({ input: join(unpacked, 'dist', 'proof', 'index.js'), platform: 'neutral' });
    const { output } = await bundle.generate({ format: 'iife', name: 'proof' });
    const context = vm.createContext({});
    vm.runInContext(`${output[0].code}\nglobalThis.proof = proof;`, context);
    expect(vm.runInContext('[typeof Buffer, typeof TextEncoder, typeof process, typeof URL]', context).join()).toBe(
      'undefined,undefined,undefined,undefined',
    );
    proof = vm.runInContext('proof', context);
  });

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

describe('colibri', () => {
  test('starts nothing when it is imported', () => {
    // What it depends on is not in the tarball; everything else is.
    for (const name of fs.readdirSync(join(ROOT, 'node_modules'))) {
      const link = join(folder, 'node_modules', name);
      if (!name.startsWith('.') && !fs.existsSync(link)) fs.symlinkSync(join(ROOT, 'node_modules', name), link);
    }
    const ran = runs(`
      import * as colibri from 'colibri';
      process.on('exit', () => fs.writeFileSync('exported.json', JSON.stringify(Object.keys(colibri).sort())));
      import fs from 'node:fs';
    `);
    expect(ran).toMatchObject({ status: 0, stdout: '', stderr: '' });
    expect(ran.loaded.some((url) => url.includes('better-sqlite3'))).toBe(false);
    expect(JSON.parse(fs.readFileSync(join(folder, 'exported.json'), 'utf8'))).toEqual([
      'bootstrap',
      'createNoOpAuditSink',
      'createServer',
      'main',
      'registerColibriTool',
      'start',
      'stop',
    ]);
    // Nothing was made: no store, no keys, no settings.
    expect(fs.readdirSync(folder).filter((name) => /^\.|store|colibri\.db/.test(name))).toEqual([]);
  });
});
