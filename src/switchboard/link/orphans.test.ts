// Which noted process groups are ended, tested with a fake process table: no process is started or ended.
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { groupNotesDir } from '../config/place.js';
import { type NotedGroup, whereNumbersCount } from './group-notes.js';
import { endOrphans } from './orphans.js';
import type { ProcessTable } from './process-table.js';

interface World {
  /** Start of each living process. */
  readonly starts: Record<number, string>;
  readonly groups: Record<number, number[]>;
  readonly marks: Record<number, string>;
}

const OWNER = { pid: 100, start: 'then' };

const tableOf = ({ starts, groups, marks }: World): ProcessTable => ({
  startOf: async (pid) => starts[pid],
  groups: async () => new Map(Object.entries(groups).map(([pgid, members]) => [Number(pgid), members])),
  hasVariable: async (pid, _name, value) => marks[pid] === value,
});

/** Runs a sweep with one note; what is signalled ends at once unless it is stubborn. */
const sweep = async (groups: readonly unknown[], seen: Partial<World>, choice: { stubborn?: number[] } = {}) => {
  const world = { starts: {}, groups: {}, marks: {}, ...seen };
  const stateDir = fs.mkdtempSync(join(tmpdir(), 'colibri-orphans-'));
  const dir = groupNotesDir(stateDir);
  fs.mkdirSync(dir);
  fs.writeFileSync(join(dir, 'a.json'), JSON.stringify({ machine: whereNumbersCount(), owner: OWNER, groups }));
  const signals: string[] = [];
  const kill = vi.spyOn(process, 'kill').mockImplementation((pid, signal) => {
    signals.push(`${signal} ${pid}`);
    if (signal === 'SIGKILL' || !choice.stubborn?.includes(-pid)) delete world.groups[-pid];
    return true;
  });
  onTestFinished(() => {
    kill.mockRestore();
    fs.rmSync(stateDir, { recursive: true });
  });
  const lines: string[] = [];
  await endOrphans({ stateDir, table: tableOf(world), log: (level, text) => lines.push(`${level} ${text}`) });
  return { signals, lines, left: fs.readdirSync(dir) };
};

const group = (pgid: number, start: string | null = 's', mark: string | null = 'm'): NotedGroup => ({
  pgid,
  start,
  mark,
});

describe('a group of a dead process', () => {
  it('is ended when its leader is the one that was started', async () => {
    const { signals, left, lines } = await sweep([group(7)], { starts: { 7: 's' }, groups: { 7: [7, 8] } });
    expect(signals).toEqual(['SIGTERM -7']);
    expect(left).toEqual([]);
    expect(lines).toEqual(['info ended servers that a dead process had left: process groups 7']);
  });

  it('is killed when it does not leave', async () => {
    const seen = { starts: { 7: 's', 9: 's' }, groups: { 7: [7], 9: [9] } };
    const { signals } = await sweep([group(7), group(9)], seen, { stubborn: [9] });
    expect(signals).toEqual(['SIGTERM -7', 'SIGTERM -9', 'SIGKILL -9']);
  });

  it('is ended when its leader has gone and another carries the mark', async () => {
    const seen = { groups: { 7: [8, 9] }, marks: { 9: 'm' } };
    expect((await sweep([group(7)], seen)).signals).toEqual(['SIGTERM -7']);
    expect((await sweep([group(7, null)], { ...seen, groups: { 7: [8, 9] } })).signals).toEqual(['SIGTERM -7']);
  });

  it('stays when its number has another leader now', async () => {
    const { signals, left, lines } = await sweep([group(7)], { starts: { 7: 'later' }, groups: { 7: [7] } });
    expect({ signals, left, lines }).toEqual({ signals: [], left: [], lines: [] });
  });

  it.each([
    ['the leader has gone and nobody carries the mark', [group(7)], { groups: { 7: [8] }, marks: { 8: 'other' } }],
    ['there is no mark', [group(7, 's', null)], { groups: { 7: [8] }, marks: { 8: 'm' } }],
    ['its start is not known', [group(7, null, null)], { starts: { 7: 's' }, groups: { 7: [7] } }],
  ])('stays and is told of when %s', async (_why, groups, seen) => {
    const { signals, lines } = await sweep(groups, seen);
    expect(signals).toEqual([]);
    expect(lines).toEqual([expect.stringMatching(/^warn process group 7 .* is not certain/)]);
  });

  it('is none when its number means something else to kill', async () => {
    const wrong = [0, 1, -1, -7, 1.5, '7', null].map((pgid) => ({ pgid, start: 's', mark: 'm' }));
    const starts = { 0: 's', 1: 's', 7: 's' };
    const { signals, left } = await sweep([...wrong, null, 7], { starts, groups: { 0: [0], 1: [1], 7: [7] } });
    expect([signals, left]).toEqual([[], []]);
  });
});

it('a living process keeps its groups and its note', async () => {
  const { signals, left } = await sweep([group(7)], { starts: { 7: 's', 100: 'then' }, groups: { 7: [7] } });
  expect([signals, left]).toEqual([[], ['a.json']]);
});
