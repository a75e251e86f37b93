// Which tests of an earlier revision are gone: node scripts/compare-tests.mjs <revision>
// Compares full names (describe > test) of all tests, fast and deep, and how often each occurs. In which file a test stands does
// not matter. A name that differs in its numbers alone, as the count of a counted run does, is reported but not missed.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Of any revision, whatever its own configuration leaves out. */
const CONFIG = `export default { test: { include: ['src/**/*.test.ts', 'test/**/*.test.ts'], exclude: [] } };\n`;

const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });

/** How often each name occurs in a checkout. */
const namesIn = (folder, scratch) => {
  const [config, list] = [join(folder, '.compare-tests.config.mjs'), join(scratch, 'tests.json')];
  fs.writeFileSync(config, CONFIG);
  try {
    const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
    const args = [vitest, 'list', `--json=${list}`, '--config', config, '--root', folder];
    execFileSync(process.execPath, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  } finally {
    fs.rmSync(config);
  }
  const counts = new Map();
  for (const { name } of JSON.parse(fs.readFileSync(list, 'utf8'))) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};

/** A checkout of the revision with our node_modules and, as some tests read it while they are listed, its own build. */
const checkOut = (revision, folder) => {
  git('worktree', 'add', '--quiet', '--detach', folder, revision);
  fs.symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  execFileSync(process.execPath, [tsc, '-p', folder], { stdio: 'inherit' });
};

const namesOf = (revision) => {
  const scratch = fs.mkdtempSync(join(tmpdir(), 'colibri-compare-'));
  const folder = join(scratch, 'revision');
  try {
    checkOut(revision, folder);
    return { before: namesIn(folder, scratch), after: namesIn(root, scratch) };
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
const { before, after } = namesOf(revision);
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
