// The README's blocks are what a newcomer types: they run and parse.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const ROOT = new URL('../', import.meta.url).pathname;
const readme = readFileSync(`${ROOT}README.md`, 'utf8');
const blocks = (kind: string) =>
  [...readme.matchAll(new RegExp(`^\`\`\`${kind}\n(.*?)^\`\`\`$`, 'gms'))].map((block) => block[1] ?? '');

it('every JSON block parses', () => {
  const parsed = blocks('json').map((block) => JSON.parse(block) as unknown);
  expect(parsed.length).toBeGreaterThan(0);
});

it('the call by hand answers with a receipt of the shape that is shown', () => {
  const [script] = blocks('sh run');
  const lines = execFileSync('bash', ['-c', script ?? 'false'], { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' });
  const last = JSON.parse(lines.trim().split('\n').at(-1) ?? '') as object;
  const shown = JSON.parse(blocks('json').at(-1) ?? '') as object;
  expect(shapeOf(last)).toEqual(shapeOf(shown));
});

it('the npm scripts it names exist', () => {
  const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { scripts: Record<string, string> };
  const named = [...readme.matchAll(/^npm (?:run )?(\w+)/gm)].map((found) => found[1] ?? '');
  expect(named).toEqual(['demo', 'start', 'test', 'bench', 'chaos', 'link']);
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named.filter((name) => name !== 'link')));
});

it.each(['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/adr/README.md'])(
  'links of %s lead somewhere',
  (file) => {
    const folder = new URL(file, `file://${ROOT}`);
    const links = [...readFileSync(folder, 'utf8').matchAll(/\]\((?!https?:)([^)#]+)/g)].map((found) => found[1] ?? '');
    expect(links.filter((link) => !existsSync(new URL(link, folder)))).toEqual([]);
  },
);

const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (value === null || typeof value !== 'object') return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]));
};
