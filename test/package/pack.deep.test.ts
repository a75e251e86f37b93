// The package as others get it: packed, unpacked into an empty folder, imported from there.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
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

/** Gives the empty folder some of our packages, as an install would. */
const link = (...names: readonly string[]): void => {
  for (const name of names) {
    fs.symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
};

const CLIENT = { name: 'packed', version: '1' };

/** Runs the program of the package. */
const runsMain = (input: string, ...args: readonly string[]) => {
  const env = { PATH: process.env.PATH ?? '', HOME: folder, COLIBRI_DB_PATH: join(folder, 'store.db') };
  return spawnSync(process.execPath, [join(unpacked, 'dist', 'cli', 'main.js'), ...args], {
    cwd: folder,
    env,
    input,
    encoding: 'utf8',
    timeout: 30_000,
  });
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
    const [own, proof] = [join(folder, 'program.mjs'), join(unpacked, 'dist', 'proof', 'index.js')];
    const files = ran.loaded.filter((url) => !['node:crypto', 'node:fs'].includes(url));
    expect(files.sort()).toEqual([`file://${proof}`, `file://${own}`].sort());
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
    const importsIn = (code: string) => JSON.stringify(parseAst(code)).match(/"Import(Declaration|Expression)"/g);
    const files = fs.readdirSync(join(unpacked, 'dist', 'proof')).filter((name) => name.endsWith('.js'));
    expect(files).toEqual(['index.js']);
    expect(importsIn(fs.readFileSync(join(unpacked, 'dist', 'proof', 'index.js'), 'utf8'))).toBeNull();
    expect(importsIn("import 'a'; void import('b');")).toHaveLength(2);
  });
});

describe('colibri', () => {
  test('starts nothing when it is imported', () => {
    const ran = runs(`
      import * as colibri from 'colibri';
      process.on('exit', () => fs.writeFileSync('exported.json', JSON.stringify(Object.keys(colibri).sort())));
      import fs from 'node:fs';
    `);
    expect(ran).toMatchObject({ status: 0, stdout: '', stderr: '' });
    expect(ran.loaded.filter((url) => url.includes(ROOT) || url.includes('better-sqlite3'))).toEqual([]);
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

  test('serves, records and verifies with the native driver as its only package', () => {
    link('better-sqlite3', 'bindings', 'file-uri-to-path');
    const lines = [
      { id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: CLIENT } },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: { name: 'task_create', arguments: { title: 'packed' } } },
    ];
    const input = lines.map((line) => `${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`).join('');
    const served = runsMain(input, 'serve');
    expect(served.stdout).toContain('"dev.colibri/receipt"');
    expect(served.status).toBe(0);
    const verified = runsMain('', 'verify', '--json');
    expect(verified).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(verified.stdout)).toMatchObject({ valid: true });
  });

  test('every file of the bundle finds what it imports', () => {
    const ran = runs(`
      import { readdirSync } from 'node:fs';
      const files = readdirSync('node_modules/colibri/dist/chunks').filter((name) => name.endsWith('.js'));
      for (const name of files) await import('./node_modules/colibri/dist/chunks/' + name);
      process.stdout.write(String(files.length));
    `);
    expect(ran).toMatchObject({ status: 0, stderr: '' });
    expect(Number(ran.stdout)).toBeGreaterThan(50);
  });

  test('has types', () => {
    link('@modelcontextprotocol', '@types', 'zod', 'undici-types');
    const file = join(folder, 'program.mts');
    const compiles = (source: string) => {
      fs.writeFileSync(file, source);
      const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
      const flags = '--noEmit --strict --target es2023 --module nodenext --types node --skipLibCheck'.split(' ');
      return spawnSync(process.execPath, [tsc, ...flags, file], { cwd: folder, encoding: 'utf8' }).stdout;
    };
    const imports = "import { createServer } from 'colibri'; import { verifyProof } from 'colibri/proof';\n";
    const use =
      'export const mode: string = createServer().mode; export const check: typeof verifyProof = verifyProof;';
    expect(compiles(imports + use)).toBe('');
    expect(compiles(imports + use.replace('mode: string', 'mode: number'))).toContain('TS2322');
  });

  test('names the licence of every package that is in the bundle', () => {
    const maps = fs
      .readdirSync(join(unpacked, 'dist', 'chunks'))
      .filter((name) => name.endsWith('.map'))
      .flatMap(
        (name) => JSON.parse(fs.readFileSync(join(unpacked, 'dist', 'chunks', name), 'utf8')).sources as string[],
      );
    const bundled = new Set(maps.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []));
    const notices = fs.readFileSync(join(unpacked, 'dist', 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    expect([...bundled]).toEqual(expect.arrayContaining(['zod', 'commander', '@modelcontextprotocol/server']));
    expect([...bundled].filter((name) => !notices.includes(`\n${name} (`))).toEqual([]);
    // The SDK's files contain this one.
    expect(notices).toMatch(/\najv \(MIT\)\n\nThe MIT License/);
  });

  test('holds the bundle alone, not the single modules', () => {
    expect(fs.readdirSync(unpacked).sort()).toEqual(
      ['LICENSE', 'README.md', 'dist', 'docs', 'package.json', 'skills'].sort(),
    );
    expect(fs.existsSync(join(unpacked, 'dist', 'startup.js'))).toBe(false);
  });
});
