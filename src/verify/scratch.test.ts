import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ENTRY_BYTES, openScratch, type ScratchFile } from './scratch.js';

const keyOf = (n: number): Buffer => {
  const key = Buffer.alloc(16);
  key.writeUInt32BE(n, 1);
  return key;
};

const valueFor = (n: number): Buffer => {
  const value = Buffer.alloc(16);
  value.writeUInt32BE(n, 12);
  return value;
};

describe('the scratch file', () => {
  let dir: string;
  let scratch: ScratchFile;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'scratch-'));
    scratch = openScratch(dir);
  });
  afterEach(() => {
    scratch.close();
    rmSync(dir, { recursive: true });
  });

  /** The values of each key, both as numbers. */
  const read = (): Map<number, number[]> => {
    const found = new Map<number, number[]>();
    for (const { key, values } of scratch.groups()) {
      const n = key.readUInt32BE(1);
      expect(found.has(n), `key ${n} comes once`).toBe(false);
      found.set(
        n,
        values.map((value) => value.readUInt32BE(12)).toSorted((a, b) => a - b),
      );
    }
    return found;
  };

  it('is empty at first, and gives back what few entries it got without a file', () => {
    expect([...scratch.groups()]).toEqual([]);
    scratch.add(keyOf(7), valueFor(1));
    scratch.add(keyOf(8), valueFor(2));
    scratch.add(keyOf(7), valueFor(3));
    expect(read()).toEqual(
      new Map([
        [7, [1, 3]],
        [8, [2]],
      ]),
    );
  });

  it('groups a million entries that were added out of order, and leaves no file behind', () => {
    const [keys, each] = [50_000, 20];
    const entries = Buffer.alloc(keys * ENTRY_BYTES);
    for (let round = 0; round < each; round++) {
      for (let n = 0; n < keys; n++) {
        keyOf((n * 7919) % keys).copy(entries, n * ENTRY_BYTES);
        valueFor(round).copy(entries, n * ENTRY_BYTES + 16);
      }
      scratch.addAll(entries);
    }
    expect(readdirSync(dir)).toEqual([]);
    let [groups, values, wrong] = [0, 0, 0];
    for (const group of scratch.groups()) {
      groups += 1;
      values += group.values.length;
      const sum = group.values.reduce((total, value) => total + value.readUInt32BE(12), 0);
      if (sum !== (each * (each - 1)) / 2) wrong += 1;
    }
    expect({ groups, values, wrong }).toEqual({ groups: keys, values: keys * each, wrong: 0 });
  });

  it('can be read twice, and added to in between', () => {
    for (let n = 0; n < 1_000; n++) scratch.add(keyOf(1), valueFor(n));
    expect(read().get(1)).toHaveLength(1_000);
    scratch.add(keyOf(1), valueFor(1_000));
    expect(read().get(1)).toEqual(Array.from({ length: 1_001 }, (_, n) => n));
  });

  it('refuses keys, values and entries of another length', () => {
    expect(() => scratch.add(Buffer.alloc(15), Buffer.alloc(16))).toThrow(RangeError);
    expect(() => scratch.add(Buffer.alloc(16), Buffer.alloc(17))).toThrow(RangeError);
    expect(() => scratch.addAll(Buffer.alloc(33))).toThrow(RangeError);
  });

  it('says so if the folder for its file is not there', () => {
    const lost = openScratch(join(dir, 'nowhere'));
    lost.add(keyOf(1), valueFor(1));
    expect([...lost.groups()]).toHaveLength(1);
    expect(() => {
      for (let n = 0; n < 1_000; n++) lost.add(keyOf(1), valueFor(n));
    }).toThrow(/ENOENT/);
    lost.close();
  });
});
