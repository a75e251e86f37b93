// The official conformance suite against the built process: whatever passes without Colibri passes through it, or stands
// with its reason in docs/conformance.md. How that is judged, with results made up.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MAIN, MODULES } from '../support/serve.js';

const at = (file: string): string => new URL(file, import.meta.url).href;
const { judge, judgeClient, verdictsOf } = await import(at('./compare.mjs'));
const { documentOf, listedIn, reasonFor } = await import(at('./document.mjs'));

const RUN_MS = 10 * 60_000;
const NO_SUITE = 69;
const isCi = !['', 'false', undefined].includes(process.env.CI);

interface Side {
  readonly rows: readonly { readonly need: string; readonly legs: Readonly<Record<string, object>> }[];
}

/** Runs one side; skips the test where the suite cannot be had, except in CI. */
const runSide = async (side: string, skip: (why: string) => void): Promise<Side> => {
  const folder = mkdtempSync(join(tmpdir(), 'colibri-conformance-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const json = join(folder, 'results.json');
  const built = ['--modules', MODULES, '--main', MAIN];
  const args = [fileURLToPath(at('./run.mjs')), '--side', side, ...built, '--json', json];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => void child.kill());
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code] = await once(child, 'close');
  if (code === NO_SUITE && !isCi) {
    process.stderr.write(`skipped, not proven here: ${said}\n`);
    skip('the suite cannot be installed');
  }
  expect(code, said).toBe(0);
  const results = JSON.parse(readFileSync(json, 'utf8')) as Record<string, Side>;
  return results[side] as Side;
};

it(
  'what passes directly passes through Colibri, or has its reason',
  async (test) => {
    const { rows } = await runSide('server', test.skip);
    expect(rows.length).toBeGreaterThan(0);
    for (const { legs } of rows) expect(Object.keys(legs)).toEqual(['direct', 'through', 'through-old']);
  },
  RUN_MS,
);

it(
  'as a client of HTTP servers Colibri passes, or has its reason',
  async (test) => {
    const { rows } = await runSide('client', test.skip);
    expect(rows.filter(({ need }) => need === 'required').length).toBeGreaterThan(9);
    for (const { legs } of rows) expect(Object.keys(legs)).toEqual(['through', 'through-old']);
  },
  RUN_MS,
);

const check = (id: string, status: string, errorMessage?: string) => ({ id, status, errorMessage });
const row = (need: string, direct: object, through: object) => ({
  revision: '2026-07-28',
  scenario: 'a-scenario',
  need,
  legs: { direct, through },
});
const pass = verdictsOf([check('a', 'SUCCESS'), check('b', 'SUCCESS')]);

describe('a difference', () => {
  it('is a check that passes directly and fails, warns, is skipped or never comes through Colibri', () => {
    for (const status of ['FAILURE', 'WARNING', 'SKIPPED']) {
      const through = verdictsOf([check('a', 'SUCCESS'), check('b', status, 'why')]);
      expect(judge([row('extension', pass, through)])).toMatchObject([{ leg: 'through', checks: ['b'] }]);
    }
    expect(judge([row('pending', pass, {})])).toMatchObject([{ checks: ['a', 'b'] }]);
    expect(judge([row('required', pass, pass)])).toEqual([]);
  });

  it('is decided by the worst that a check said', () => {
    const through = verdictsOf([check('a', 'FAILURE', 'first'), check('a', 'SUCCESS'), check('b', 'SUCCESS')]);
    expect(judge([row('required', pass, through)])).toMatchObject([{ checks: ['a'], message: 'first' }]);
    expect(verdictsOf([check('a', 'INFO')])).toEqual({});
  });

  it('is also what fails directly though it is required, and what never ran', () => {
    const broken = verdictsOf([check('a', 'FAILURE')]);
    expect(judge([row('required', broken, broken)])).toMatchObject([{ leg: 'direct', checks: ['a'] }]);
    expect(judge([row('required', {}, {})])).toMatchObject([{ leg: 'direct', checks: ['nothing-passed'] }]);
    expect(judge([row('extension', broken, broken)])).toEqual([]);
  });

  it('is every failure of what only Colibri serves', () => {
    expect(judge([row('own', {}, pass)])).toEqual([]);
    expect(judge([row('own', {}, {})])).toMatchObject([{ leg: 'through', checks: ['nothing-passed'] }]);
  });
});

describe('of a client', () => {
  const client = (need: string, through: object) => ({ ...row(need, {}, through), legs: { through } });

  it('everything that was run must pass', () => {
    for (const need of ['required', 'added-after-release']) {
      expect(judgeClient([client(need, pass)])).toEqual([]);
      expect(judgeClient([client(need, {})])).toMatchObject([{ leg: 'through', checks: ['nothing-passed'] }]);
      const warned = verdictsOf([check('a', 'SUCCESS'), check('b', 'WARNING', 'late')]);
      expect(judgeClient([client(need, warned)])).toMatchObject([{ checks: ['b'], message: 'late' }]);
    }
  });

  it('what was not run is not judged', () => {
    expect(judgeClient([client('OAuth', {})])).toEqual([]);
  });
});

describe('the document', () => {
  const empty = ['results', 'differences']
    .map((part) => `<!-- generated: ${part} -->\n<!-- end: ${part} -->`)
    .join('\n');
  const difference = (checks: readonly string[], leg = 'through') => ({
    revision: '2026-07-28',
    leg,
    scenario: 'a-scenario',
    checks,
  });
  const summary = { head: ['revision'], rows: [['2026-07-28']] };
  const write = (text: string, differences: readonly object[]): string => documentOf(text, { summary, differences });
  const both = [difference(['a', 'b']), difference(['a', 'b'], 'through-old')];
  const reasoned = write(empty, both).replace('| a b |  |', '| a b | because |');

  it('gives one row to legs that differ alike, and reads them apart again', () => {
    expect(write(empty, both)).toContain('| 2026-07-28 | a-scenario | through through-old | a b |  |');
    expect(listedIn(reasoned)).toEqual(both.map((one) => ({ ...one, reason: 'because' })));
  });

  it('takes no row without a reason for an explanation, nor one for fewer checks', () => {
    const [first = difference([])] = both;
    expect(reasonFor(first, listedIn(write(empty, both)))).toBeUndefined();
    expect(reasonFor(first, listedIn(reasoned))).toBe('because');
    expect(reasonFor(difference(['a']), listedIn(reasoned))).toBe('because');
    expect(reasonFor(difference(['a', 'c']), listedIn(reasoned))).toBeUndefined();
    expect(reasonFor({ ...first, scenario: 'another' }, listedIn(reasoned))).toBeUndefined();
  });

  it('is left as it is by a run that finds the same, and loses what is gone', () => {
    expect(write(reasoned, both)).toBe(reasoned);
    expect(listedIn(write(reasoned, []))).toEqual([]);
    expect(write(reasoned, [])).toContain('None.');
    expect(listedIn(write(reasoned, [difference(['a', 'c'])]))).toMatchObject([{ reason: '' }]);
  });

  it('without its marks is refused', () => {
    expect(() => listedIn('nothing')).toThrow('generated: differences');
  });
});
