// The package as others get it: packed, unpacked into an empty folder, imported from there.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { bytesOf, VECTOR_KEY } from '../vectors/read.js';
import { packed, ROOT } from './packed.js';

const LIST_MODULES = join(ROOT, 'test', 'children', 'list-modules.mjs');
const { vkey } = VECTOR_KEY;

let folder = '';
let unpacked = '';

beforeAll(() => {
  const made = packed();
  ({ folder, unpacked } = made);
  return made.remove;
}, 120_000);

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
