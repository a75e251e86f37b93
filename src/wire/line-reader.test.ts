import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter } from './line-reader.js';
import { MemberScan } from './member-scan.js';

/** Cuts `bytes` at the given places. */
const cut = (bytes: Buffer, places: readonly number[]): Buffer[] => {
  const at = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, i) => bytes.subarray(at[i], end));
};

const split = (chunks: readonly Buffer[], lineBytes: number) => {
  const lines = new LineSplitter(lineBytes);
  const out: (string | { id: unknown })[] = [];
  for (const chunk of chunks) {
    lines.push(chunk);
    for (let line = lines.next(); line !== undefined; line = lines.next())
      out.push('tooLong' in line ? { id: line.tooLong.id } : line.bytes.toString());
  }
  return out;
};

const places = fc.array(fc.nat(10_000), { maxLength: 30 });

describe('LineSplitter', () => {
  it('gives the same lines however the bytes are cut', () => {
    const line = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replaceAll('\n', ' '));
    fc.assert(
      fc.property(fc.array(line), places, (lines, cuts) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
        expect(split(cut(bytes, cuts), 1_000)).toEqual(lines);
      }),
    );
  });

  it('draws the line at lineBytes exactly, however it is cut', () => {
    fc.assert(
      fc.property(fc.integer({ min: 8, max: 60 }), fc.nat(3), places, (limit, over, cuts) => {
        const line = `{"id":7}`.padEnd(limit - 1 + over);
        const expected = line.length > limit ? { id: 7 } : line;
        expect(split(cut(Buffer.from(`${line}\nnext\n`), cuts), limit)).toEqual([expected, 'next']);
      }),
    );
  });

  it('lets its owner stop in the middle of a chunk', () => {
    const lines = new LineSplitter(100);
    lines.push(Buffer.from('a\nb\nc'));
    expect(lines.next()).toEqual({ bytes: Buffer.from('a') });
    lines.push(Buffer.from('d\n'));
    expect(lines.waiting).toBe(true);
    expect(lines.next()).toEqual({ bytes: Buffer.from('b') });
    expect(lines.next()).toEqual({ bytes: Buffer.from('cd') });
    expect(lines.next()).toBeUndefined();
    expect(lines.waiting).toBe(false);
  });

  it('copies a line that comes byte by byte in linear time', () => {
    const lines = new LineSplitter(1_000_000);
    for (let i = 0; i < 1_000_000; i++) {
      lines.push(Buffer.from('x'));
      lines.next();
    }
    lines.push(Buffer.from('\n'));
    const line = lines.next();
    expect(line && 'bytes' in line && line.bytes.length).toBe(1_000_000);
  });
});

describe('MemberScan', () => {
  const scan = (chunks: readonly Buffer[]) => {
    const members = new MemberScan();
    for (const chunk of chunks) members.push(chunk);
    return members;
  };
  const idOf = (json: string) => scan([Buffer.from(json)]).id;

  it('agrees with JSON.parse about every object, however it is cut', () => {
    const name = fc.oneof(fc.constantFrom('id', 'method', 'result', 'error', 'params', '"id"', 'i\\d'), fc.string());
    const value = fc.oneof(fc.constantFrom<unknown>(7, 'x', '"id":9,', '\\', '{"id":1}', null, 1.5), fc.jsonValue());
    fc.assert(
      fc.property(fc.dictionary(name, value), fc.constantFrom(0, 2), places, (object, indent, cuts) => {
        const members = scan(cut(Buffer.from(JSON.stringify(object, null, indent)), cuts));
        const { id } = object;
        expect(members.id).toBe(typeof id === 'string' || Number.isSafeInteger(id) ? (id === 0 ? 0 : id) : undefined);
        for (const member of ['id', 'method', 'result', 'error'])
          expect(members.has(member)).toBe(Object.hasOwn(object, member));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['escaped name', '{"\\u0069d":1}', 1],
    ['the last of two', '{"id":1,"id":2}', 2],
    ['cut off after it', '{"id":1,"params":{', 1],
    ['cut off within it', '{"params":{},"id":1', undefined],
    ['in a batch', '[{"id":1}]', undefined],
    ['1,024 bytes', `{"id":"${'x'.repeat(1022)}"}`, 'x'.repeat(1022)],
    ['1,025 bytes', `{"id":"${'x'.repeat(1023)}"}`, undefined],
    ['no JSON at all', '}}}]]]:::,,,"', undefined],
  ])('finds the id: %s', (_what, json, id) => {
    expect(idOf(json)).toBe(id);
  });
});
