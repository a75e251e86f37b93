// Says which tests of an earlier revision are gone: node scripts/compare-tests.mjs <revision>
// Compares the full names (describe > test) of all tests, fast and deep, and how often each occurs. In which file a test stands does
// not matter. A name that differs in its numbers alone, as the count of a counted run does, is printed but does not count as gone.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVitest } from 'vitest/node';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Its own configuration does not matter: every test file counts, and tests that this machine would skip. */
const SETTINGS = {
  config: false,
  watch: false,
  include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
  isolate: true, // test/support/deep-part.ts counts for its own file
  maxWorkers: 2,
  reporters: [],
};

const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });

/** How often each name occurs in a checkout. */
const namesIn = async (folder) => {
  const vitest = await createVitest('test', { ...SETTINGS, root: folder });
  const { testModules, unhandledErrors } = await vitest.collect();
  await vitest.close();
  const errors = [...unhandledErrors, ...testModules.flatMap((file) => file.errors())];
  if (errors.length > 0) throw new Error(`The tests in ${folder} could not be listed: ${errors[0].message}`);
  const counts = new Map();
  for (const file of testModules) {
    for (const { fullName } of file.children.allTests()) counts.set(fullName, (counts.get(fullName) ?? 0) + 1);
  }
  return counts;
};

/** A checkout of the revision with our node_modules and a build of its own, which some tests read while they are listed. */
const checkOut = (revision, folder) => {
  git('worktree', 'add', '--quiet', '--detach', folder, revision);
  fs.symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  execFileSync(process.execPath, [tsc, '-p', folder], { stdio: 'inherit' });
};

const namesAt = async (revision) => {
  const scratch = fs.mkdtempSync(join(tmpdir(), 'colibri-compare-'));
  const folder = join(scratch, 'revision');
  try {
    checkOut(revision, folder);
    return await namesIn(folder);
  } finally {
    git('worktree', 'remove', '--force', folder);
    fs.rmSync(scratch, { recursive: true, force: true });
  }
};

/** Names of `one` that `other` has not, or less often, once for each time. */
const missing = (one, other) =>
  [...one].flatMap(([name, times]) => Array(Math.max(0, times - (other.get(name) ?? 0))).fill(name));

const sum = (counts) => [...counts.values()].reduce((total, times) => total + times, 0);
const withoutNumbers = (name) => name.replace(/\d+/g, '#');

const [revision] = process.argv.slice(2);
if (revision === undefined) {
  console.error('Say which revision to compare with: node scripts/compare-tests.mjs <revision>');
  process.exit(2);
}
const before = await namesAt(revision);
const after = await namesIn(root);
const added = missing(after, before);
const gone = missing(before, after).filter((name) => {
  const at = added.findIndex((other) => withoutNumbers(other) === withoutNumbers(name));
  if (at === -1) return true;
  console.log(`another number: ${name} → ${added.splice(at, 1)[0]}`);
  return false;
});
for (const name of added) console.log(`new: ${name}`);
for (const name of gone) console.log(`gone: ${name}`);
console.log(`${sum(before)} tests at ${revision}, ${sum(after)} now: ${gone.length} gone, ${added.length} new`);
process.exit(gone.length === 0 ? 0 : 1);
