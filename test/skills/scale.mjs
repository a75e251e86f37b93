// How the catalogue grows: time per skill with 1,000 skills ÷ with 100, and what a list waits for. Ratios of one run on
// one machine; not a test, because times are no facts. Usage: node test/skills/scale.mjs [modules]
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const MODULES = resolve(process.argv[2] ?? new URL('../../build', import.meta.url).pathname);
const load = (path) => import(pathToFileURL(join(MODULES, path)).href);
const { SkillCatalogue } = await load('domains/skills/catalogue.js');
const { listSkills } = await load('domains/skills/list.js');

const ROUNDS = 9;
const SIZES = [100, 1_000];

const make = (root, count) => {
  const dir = join(root, String(count));
  for (let at = 0; at < count; at += 1) {
    const folder = join(dir, `skill-${at}`);
    fs.mkdirSync(join(folder, 'references'), { recursive: true });
    const head = `---\nname: skill-${at}\ndescription: What number ${at} is for, and when to use it.\nmetadata:\n  version: "1.0"\n---\n`;
    fs.writeFileSync(join(folder, 'SKILL.md'), head + 'Do it.\n'.repeat(300));
    fs.writeFileSync(join(folder, 'references', 'GUIDE.md'), 'More.\n'.repeat(300));
  }
  return dir;
};

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

const timed = async (act) => {
  const began = performance.now();
  const value = await act();
  return [performance.now() - began, value];
};

/** The longest time the event loop was not its own master meanwhile. */
const longestFreeze = async (act) => {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last - 1);
    last = now;
  }, 1);
  await act();
  clearInterval(timer);
  return longest;
};

const round = async (dir, count) => {
  const places = [{ dir, within: dir, expected: true }];
  const catalogue = new SkillCatalogue({ places, nowMs: () => performance.now(), wallMs: Date.now });
  const list = listSkills(async () => catalogue);
  const [first, page] = await timed(() => list({ limit: 50 }));
  const [digests] = await timed(() => catalogue.digested());
  const [again] = await timed(() => catalogue.refresh());
  const { skills, problems } = await catalogue.current();
  if (skills.length !== count || problems.length > 0) throw new Error('not every skill was found');
  const withoutDigest = page.skills.filter(({ digest }) => digest === null).length;
  catalogue.close();
  return { first: first / count, again: again / count, digests: digests / count, withoutDigest };
};

const root = fs.mkdtempSync(join(tmpdir(), 'colibri-scale-'));
try {
  const dirs = new Map(SIZES.map((count) => [count, make(root, count)]));
  const results = new Map(SIZES.map((count) => [count, []]));
  await new Promise((wake) => setTimeout(wake, 200)); // files that have just been written are looked at twice
  await round(dirs.get(SIZES[0]), SIZES[0]); // loads the parser
  for (let at = 0; at < ROUNDS; at += 1) {
    for (const count of SIZES) results.get(count).push(await round(dirs.get(count), count));
  }
  const idle = await longestFreeze(() => new Promise((wake) => setTimeout(wake, 500)));
  // The least of several: what is left is ours, not the machine's.
  const freezes = [];
  for (let at = 0; at < ROUNDS; at += 1) freezes.push(await longestFreeze(() => round(dirs.get(1_000), 1_000)));
  const freeze = Math.min(...freezes);
  const of = (count, what) => median(results.get(count).map((result) => result[what]));
  const line = (text) => process.stdout.write(`${text}\n`);
  for (const what of ['first', 'again', 'digests']) {
    const ratio = of(1_000, what) / of(100, what);
    line(
      `${what.padEnd(8)} ms per skill: ${of(100, what).toFixed(3)} of 100, ${of(1_000, what).toFixed(3)} of 1,000, ratio ${ratio.toFixed(2)}`,
    );
  }
  line(`first page of 1,000: ${of(1_000, 'withoutDigest')} rows without a digest, so it waited for none`);
  line(`longest freeze of the event loop with 1,000: ${freeze.toFixed(0)} ms (idle: ${idle.toFixed(0)} ms)`);
  process.exitCode = of(1_000, 'first') <= 2 * of(100, 'first') && of(1_000, 'withoutDigest') > 0 ? 0 : 1;
} finally {
  fs.rmSync(root, { recursive: true, force: true });
}
