// colibri verify <proof file> --key: a stranger has no store, and needs no database driver.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { loadedSources } from '../support/loaded-sources.js';
import { freshPlace, MAIN } from '../support/serve.js';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const VKEY = fs.readFileSync(at('../vectors/log.vkey'), 'utf8').trim();

/** Ends the process where a native module is about to be loaded. */
const NO_DLOPEN = `data:text/javascript,${encodeURIComponent(
  "process.dlopen = (_, file) => { process.stderr.write('native: ' + file + '\\n'); process.exit(99); };",
)}`;

const verify = (...args: readonly string[]) => {
  const place = freshPlace();
  const loaded = join(place.dir, 'loaded');
  fs.writeFileSync(loaded, '');
  const preload = ['--import', at('../children/list-modules.mjs'), '--import', NO_DLOPEN];
  const ran = spawnSync(process.execPath, [...preload, MAIN, 'verify', ...args], {
    cwd: place.dir,
    env: { ...place.env, LOADED: loaded },
    encoding: 'utf8',
    timeout: 30_000,
  });
  return { code: ran.status, stdout: ran.stdout, stderr: ran.stderr, files: loadedSources(loaded) };
};

const PROOF = at('../vectors/thought.tlog-proof');

test.each([
  ['a proof that holds', [PROOF, '--key', VKEY], 0, /^OK /],
  ['as JSON', [PROOF, '--key', VKEY, '--json'], 0, /"valid": true/],
  ['by its option, with the key in a file', ['--proof', PROOF, '--key', at('../vectors/log.vkey')], 0, /^OK /],
  ['something else', [at('../vectors/21.checkpoint'), '--key', VKEY], 30, /^UNREADABLE/],
  ['a key that is none', [PROOF, '--key', `${VKEY.slice(0, -4)}AAAA`], 30, /^UNREADABLE/],
  ['no file at all', ['--key', VKEY], 1, /^$/],
])('%s', (_, args, code, told) => {
  const ran = verify(...args);
  expect(ran).toMatchObject({ code, stdout: expect.stringMatching(told) });
  expect(ran.stderr).not.toContain('native');
  const beyond = ran.files.filter((url) =>
    /better-sqlite3|\/src\/(store|verify\/verify|switchboard)\b|\.node$/.test(url),
  );
  expect(beyond).toEqual([]);
  expect(ran.files.length).toBeGreaterThan(10);
});

test('a forged proof does not hold', () => {
  const place = freshPlace();
  const file = join(place.dir, 'forged');
  fs.writeFileSync(file, fs.readFileSync(PROOF, 'utf8').replace(/^index \d+$/m, 'index 1'));
  expect(verify(file, '--key', VKEY)).toMatchObject({ code: 20, stderr: '' });
});

test('what would load a native module is noticed', () => {
  const load = "process.dlopen({ exports: {} }, '/nowhere.node')";
  expect(spawnSync(process.execPath, ['--import', NO_DLOPEN, '-e', load]).status).toBe(99);
});

test('the store is looked at where no key is given, and only then', () => {
  const ran = verify('--json');
  expect(ran.files.some((url) => url.includes('better-sqlite3'))).toBe(true);
});
