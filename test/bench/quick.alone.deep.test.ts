// A quick run of the bench against the committed figures. One run on a busy machine says little: a row fails only if it is behind by
// more than half three times in a row.
import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

interface Result {
  readonly id: string;
  readonly summary?: { readonly ratio: { readonly median: number } };
  readonly unmeasured?: string;
}
interface Loss {
  readonly id: string;
  readonly lost: number;
}
interface Figures {
  readonly readCommitted: () => { readonly rows: readonly Result[] };
  readonly lastingLosses: (
    rows: readonly Result[],
    quickRun: (only: readonly string[]) => Promise<ReadonlyMap<string, number>>,
    tell: (losses: readonly Loss[], run: number) => void,
  ) => Promise<readonly Loss[]>;
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const RUN_MS = 30 * 60_000;
const { readCommitted, lastingLosses } = (await import(
  /* @vite-ignore */ new URL('../../bench/committed.mjs', import.meta.url).href
)) as Figures;

const say = (text: string): void => void process.stdout.write(`bench: ${text}\n`);

/** Ends with the test: the bench takes its own processes with it. */
const bench = async (args: readonly string[]): Promise<readonly Result[]> => {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const { stdout } = await promisify(execFile)(process.execPath, ['bench/run.mjs', ...args], {
    cwd: ROOT,
    signal: stop.signal,
    maxBuffer: 2 ** 24,
  });
  const file = /^all numbers: (.+)$/m.exec(stdout)?.[1] ?? '';
  const { results } = JSON.parse(readFileSync(file, 'utf8')) as { results: readonly Result[] };
  rmSync(file);
  return results;
};

test('no row is behind its committed figure by more than half, three times in a row', { timeout: RUN_MS }, async () => {
  const quickRun = async (only: readonly string[]) => {
    const results = await bench(['--quick', ...only.flatMap((id) => ['--only', id])]);
    for (const { id, unmeasured } of results) if (unmeasured !== undefined) say(`${id}: ${unmeasured}`);
    const measured = results.flatMap(({ id, summary }) => (summary ? [[id, summary.ratio.median] as const] : []));
    expect(measured.length).toBeGreaterThan(0);
    return new Map(measured);
  };
  const tell = (losses: readonly Loss[], run: number) => {
    for (const { id, lost } of losses) say(`run ${run}: ${id} is ${Math.round(lost * 100)} % behind`);
  };
  expect(await lastingLosses(readCommitted().rows, quickRun, tell)).toEqual([]);
});
