import { describe, expect, it } from 'vitest';
import { correctedPlan, readPlan } from './plan.js';

describe('a plan', () => {
  it('names its own tasks forwards and backwards, with or without # in ref', () => {
    const plan = [{ ref: 'a', depends_on: ['#b', 'T-7', '#b'] }, { ref: '#b' }, { depends_on: ['#a', '#b'] }];
    expect(readPlan(plan)).toEqual({
      dependencies: [
        { ids: ['T-7'], places: [1] },
        { ids: [], places: [] },
        { ids: [], places: [0, 1] },
      ],
    });
  });

  it('with a ref that no task has becomes one with the ref that was meant, or without it', () => {
    const plan = [
      { ref: 'build' },
      { ref: 'test', depends_on: ['#biuld', '#zzzzzzzz'] },
      { depends_on: ['#zzzzzzzz'] },
    ];
    const read = readPlan(plan);
    expect(read).toEqual({
      problem: { kind: 'unknown refs', refs: ['#biuld', '#zzzzzzzz'], known: ['build', 'test'] },
    });
    if (!('problem' in read)) throw new Error('no problem');
    expect(correctedPlan(plan, read.problem)).toEqual([{ ref: 'build' }, { ref: 'test', depends_on: ['#build'] }, {}]);
  });

  it('whose tasks wait for each other is opened at one dependency', () => {
    const plan = [
      { ref: 'a', depends_on: ['#b', 'T-1'] },
      { ref: 'b', depends_on: ['#c'] },
      { ref: 'c', depends_on: ['#a'] },
      { depends_on: ['#a'] },
    ];
    const read = readPlan(plan);
    expect(read).toEqual({ problem: { kind: 'cycle', path: ['#a', '#b', '#c', '#a'] } });
    if (!('problem' in read)) throw new Error('no problem');
    const better = correctedPlan(plan, read.problem);
    expect(better).toEqual([plan[0], plan[1], { ref: 'c' }, plan[3]]);
    expect(readPlan(better)).not.toHaveProperty('problem');
    expect(readPlan([{ ref: 'self', depends_on: ['#self'] }])).toMatchObject({ problem: { path: ['#self', '#self'] } });
  });
});
