// Numbers and digests of rounds, against values that were computed elsewhere.
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { drawInput, drawnFrom } from './lots.js';
import { roundIdOf, statementRoot, usualNeed } from './rules.js';

const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

it('need more than two thirds if nothing else is asked for', () => {
  expect([0, 1, 2, 3, 4, 5, 6, 7, 64].map(usualNeed)).toEqual([1, 1, 2, 3, 3, 4, 5, 5, 43]);
});

it('the root covers the statement, its task and its call, and leaves out what is not there', () => {
  expect(statementRoot({ statement: 'x' })).toBe(sha('{"statement":"x"}'));
  expect(statementRoot({ statement: 'x', task_id: 'T-0001' })).toBe(sha('{"statement":"x","task_id":"T-0001"}'));
  const action = { server: 's', tool: 't', exact: 'e', definition: 'd' };
  const text = '{"action":{"definition":"d","exact":"e","server":"s","tool":"t"},"statement":"x"}';
  expect(statementRoot({ statement: 'x', action })).toBe(sha(text));
});

it('a round has 63 bits', () => {
  const [store, root] = ['a'.repeat(32), 'b'.repeat(64)];
  const seen = Array.from({ length: 200 }, (_, n) => roundIdOf(store, root, String(n).padStart(32, '0')));
  for (const [n, id] of seen.entries()) {
    const digest = sha(`{"nonce":"${String(n).padStart(32, '0')}","root":"${root}","store":"${store}"}`);
    expect(BigInt(id)).toBe(BigInt(`0x${digest.slice(0, 16)}`) % 2n ** 63n);
    expect(BigInt(id)).toBeLessThan(2n ** 63n);
  }
  expect(new Set(seen).size).toBe(200);
});

it('a draw does not depend on the order of the pool, and every name can be drawn', () => {
  const from = ['ada', 'bob', 'cyd', 'dan', 'eve'];
  const drawn = new Set<string>();
  for (let n = 0; n < 100; n += 1) {
    const seed = createHash('sha512').update(String(n)).digest('hex');
    const one = drawnFrom({ from, count: 2 }, seed);
    expect(drawnFrom({ from: [...from].reverse(), count: 2 }, seed)).toEqual(one);
    expect(drawnFrom({ from, count: 3 }, seed).slice(0, 2)).toEqual(one);
    for (const name of one) drawn.add(name);
  }
  expect([...drawn].sort()).toEqual(from);
  expect(drawInput('5', 'r', 'c')).toBe('{"checkpoint":"c","root":"r","round_id":"5"}');
});
