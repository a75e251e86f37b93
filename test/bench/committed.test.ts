// The committed figures: the page that is written from them, and when a run counts as behind them.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Row {
  readonly id: string;
  readonly better: '<=' | '>=';
  readonly quick?: number;
}
interface Loss {
  readonly id: string;
  readonly lost: number;
}
type Ratios = ReadonlyMap<string, number>;
interface Figures {
  readonly readCommitted: () => { readonly rows: readonly Row[] };
  readonly lostShare: (row: Row, ratio: number) => number;
  readonly lastingLosses: (
    rows: readonly Row[],
    quickRun: (only: readonly string[]) => Promise<Ratios>,
    tell: (losses: readonly Loss[], run: number) => void,
  ) => Promise<readonly Loss[]>;
}

const load = async <T>(path: string): Promise<T> =>
  (await import(/* @vite-ignore */ new URL(`../../bench/${path}`, import.meta.url).href)) as T;
const { readCommitted, lostShare, lastingLosses } = await load<Figures>('committed.mjs');
const { benchmarksPage } = await load<{ benchmarksPage: (committed: object) => string }>('page.mjs');
const { withPostgresFigures } = await load<{
  withPostgresFigures: (text: string, committed: object) => string;
}>('postgres/page.mjs');
const { allRows } = await load<{ allRows: (quick: boolean) => readonly Row[] }>('all-rows.mjs');
const { GOALS, GOALS_AGAINST } = await load<Record<string, Record<string, number>>>('goals.mjs');

const TIME: Row = { id: 'time', better: '<=', quick: 2 };
const RATE: Row = { id: 'rate', better: '>=', quick: 1 };

describe('docs/benchmarks.md', () => {
  it('is what the committed figures give; otherwise run `npm run docs`', () => {
    const page = readFileSync(new URL('../../docs/benchmarks.md', import.meta.url), 'utf8');
    expect(benchmarksPage(readCommitted())).toBe(page);
    const team = readFileSync(new URL('../../docs/postgres.md', import.meta.url), 'utf8');
    expect(withPostgresFigures(team, readCommitted())).toBe(team);
  });

  it('has every row of the bench, and every goal belongs to one', () => {
    const ids = allRows(false).map(({ id }) => id);
    expect(readCommitted().rows.map(({ id }) => id)).toEqual(ids);
    expect(ids).toEqual(expect.arrayContaining([...Object.keys(GOALS ?? {}), ...Object.keys(GOALS_AGAINST ?? {})]));
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('a row that is behind', () => {
  it('has lost a share of its speed, whichever direction is better', () => {
    expect([2, 4, 1].map((ratio) => lostShare(TIME, ratio))).toEqual([0, 0.5, -1]);
    expect([1, 0.5, 2].map((ratio) => lostShare(RATE, ratio))).toEqual([0, 0.5, -1]);
    expect(lostShare({ id: 'new', better: '<=' }, 9)).toBe(0);
  });

  /** Runs whose ratios are given, and what was asked and told. */
  const runsOf = async (...runs: Record<string, number>[]) => {
    const asked: (readonly string[])[] = [];
    const told: string[][] = [];
    const quickRun = async (only: readonly string[]): Promise<Ratios> => {
      asked.push(only);
      return new Map(Object.entries(runs[asked.length - 1] ?? {}));
    };
    const worst = await lastingLosses([TIME, RATE], quickRun, (losses) => void told.push(losses.map(({ id }) => id)));
    return { asked, told, worst: worst.map(({ id }) => id) };
  };

  it('is named from 40 % on, and measured again only above half', async () => {
    expect(await runsOf({ time: 3.9, rate: 0.7 })).toEqual({ asked: [[]], told: [['time']], worst: [] });
  });

  it('is no failure if one of three runs was good', async () => {
    const seen = await runsOf({ time: 5, rate: 0.4 }, { time: 5, rate: 0.9 }, { time: 2 });
    expect(seen).toEqual({
      asked: [[], ['time', 'rate'], ['time']],
      told: [['time', 'rate'], ['time'], []],
      worst: [],
    });
  });

  it('is a failure in three runs in a row, and there is no fourth', async () => {
    const seen = await runsOf({ time: 5 }, { time: 5 }, { time: 4.1 }, { time: 2 });
    expect(seen).toMatchObject({ asked: [[], ['time'], ['time']], worst: ['time'] });
  });
});
