// The bytes of a journal survive everything that can happen to a file: nothing throws, nothing is invented, and what is whole is found.
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  END_BYTES,
  endedHeaderText,
  frameText,
  headerText,
  type JournalMac,
  type JournalOwner,
  readJournal,
} from './journal-format.js';

const OWNER: JournalOwner = {
  log: '0123456789abcdef0123456789abcdef',
  instance: '01a1e25f-ea5e-71b0-8a4b-13db7b1c1358',
  machineBoot: '4c9f9bd0-63e4-4c4f-8be1-7a5d3c0f8b11',
};
const macWith =
  (key: string): JournalMac =>
  (text) =>
    createHmac('sha256', key).update(text).digest('hex');
const mac = macWith('right');
const ours = () => mac;

interface Frame {
  readonly lines: readonly string[];
  readonly generation?: number;
  readonly mac?: JournalMac;
}

const textOf = ({ lines, generation = 1, mac: made = mac }: Frame): string =>
  frameText(OWNER, { generation, size: 7 }, lines.map((line) => `${line}\n`).join(''), made);

/** A journal as its owner writes it: each frame overwrites the mark behind the one before; then zeros, or `rest`. */
const journalOf = (frames: readonly Frame[], rest = Buffer.alloc(300)): Buffer => {
  const pieces = frames.map((frame) => Buffer.from(textOf(frame)));
  const last = pieces.pop() ?? Buffer.alloc(0);
  const open = pieces.map((piece) => piece.subarray(0, -END_BYTES));
  return Buffer.concat([Buffer.from(headerText(OWNER)), ...open, last, rest]);
};

const linesIn = (bytes: Buffer): string[] | undefined => readJournal(bytes, ours)?.frames.flatMap(({ lines }) => lines);

/** What a line of a journal may hold: any text without a line feed. */
const line = fc
  .string({ unit: 'binary', maxLength: 200 })
  .map((text) => JSON.stringify(text.toWellFormed()))
  .map((text) => `{"text":${text}}\t0a\t${text}`);
const frames = fc.array(fc.array(line, { minLength: 1, maxLength: 4 }), { maxLength: 5 });

const THREE: Frame[] = [
  { lines: ['{"call":"a","text":"grüße \u2028 😀"}', '{"call":"b"}\t00\t{"x":"\\t\\""}'] },
  { lines: ['{"call":"c"}'] },
  { lines: ['{"call":"d"}', '{"call":"e"}'] },
];

describe('reading what was written', () => {
  it('gives the same lines, in frames, with their places', () => {
    fc.assert(
      fc.property(frames, fc.nat(2 ** 40), fc.nat(2 ** 40), (written, generation, size) => {
        const place = { generation: generation + 1, size };
        const texts = written.map((lines) => frameText(OWNER, place, lines.map((each) => `${each}\n`).join(''), mac));
        const open = texts.map((text) => text.slice(0, -END_BYTES)).join('');
        const bytes = Buffer.from(`${headerText(OWNER)}${open}\u0004`);
        const read = readJournal(bytes, ours);
        expect(read).toEqual({
          owner: OWNER,
          frames: written.map((lines) => ({ ...place, lines, isOurs: true })),
          isTorn: false,
        });
      }),
    );
  });

  it('gives a line of nearly a mebibyte', () => {
    const lines = [`{"text":"${'ü'.repeat(500_000)}"}`];
    expect(linesIn(journalOf([{ lines }]))).toEqual(lines);
  });

  it('does not read what an older generation left behind the newest frame', () => {
    const old = Buffer.from(THREE.map(textOf).join(''));
    expect(linesIn(journalOf([{ lines: ['new'], generation: 2 }], old))).toEqual(['new']);
  });

  it('skips frames that their owner has overwritten with zeros', () => {
    const bytes = journalOf(THREE);
    const begin = headerText(OWNER).length;
    const first = Buffer.from(textOf(THREE[0] as Frame)).length - END_BYTES;
    bytes.fill(0, begin, begin + first);
    expect(readJournal(bytes, ours)).toMatchObject({ isTorn: false, frames: [{ lines: ['{"call":"c"}'] }, {}] });
  });

  it('says which frames were not written with the key', () => {
    const forged = { lines: ['{"call":"x"}'], mac: macWith('wrong'), generation: 99 };
    const read = readJournal(journalOf([...THREE, forged]), ours);
    expect(read?.frames.map(({ isOurs }) => isOurs)).toEqual([true, true, true, false]);
    expect(readJournal(journalOf(THREE), () => undefined)?.frames.map(({ isOurs }) => isOurs)).toEqual(
      Array(3).fill(false),
    );
  });

  it('knows the header of an owner that has ended: as long as the first one, and of no boot', () => {
    const ended = Buffer.from(endedHeaderText(OWNER));
    expect(ended).toHaveLength(headerText(OWNER).length);
    const bytes = journalOf(THREE);
    ended.copy(bytes);
    const read = readJournal(bytes, ours);
    expect(read?.owner).toEqual({ ...OWNER, machineBoot: '*'.repeat(36) });
    expect(read?.frames).toHaveLength(3);
    expect(endedHeaderText({ ...OWNER, machineBoot: '-' })).not.toBe(headerText({ ...OWNER, machineBoot: '-' }));
  });

  it.each([
    ['nothing', ''],
    ['zeros', '\0'.repeat(500)],
    ['another file', '# Journal\n'],
    ['a newer format', headerText(OWNER).replace('journal 1', 'journal 2')],
    ['an endless line', `colibri-journal 1 ${'a'.repeat(5000)}`],
    ['a header without an end', headerText(OWNER).trimEnd()],
  ])('is no journal: %s', (_, text) => expect(readJournal(Buffer.from(text), ours)).toBeUndefined());
});

/** What is wrong with the reading of a journal in which the frames at `damaged` are damaged; empty if nothing is. */
const faultsOf = (bytes: Buffer, written: readonly Frame[], damaged: (place: number) => boolean): string[] => {
  const read = readJournal(bytes, ours);
  const found = read?.frames.flatMap(({ lines }) => lines) ?? [];
  const all = written.flatMap(({ lines }) => lines);
  const sure = written.filter((_, i) => !damaged(i)).flatMap(({ lines }) => lines);
  const isOwner = read?.owner.log === OWNER.log && read.owner.instance === OWNER.instance;
  return [
    ...found.filter((each) => !all.includes(each)).map((each) => `invented ${each}`),
    ...(isOwner ? sure.filter((each) => !found.includes(each)).map((each) => `lost ${each}`) : []),
    ...(read?.isTorn === false && found.length < all.length ? ['not torn'] : []),
  ];
};

const ends = (written: readonly Frame[]): number[] => {
  let at = headerText(OWNER).length;
  return written.map((frame) => (at += Buffer.from(textOf(frame)).length - END_BYTES));
};

describe('damage', () => {
  const whole = journalOf(THREE);
  const bounds = ends(THREE);
  const frameAt = (place: number): number => bounds.findIndex((end) => place < end);

  it('a changed byte costs at most the frame that it is in', () => {
    for (let at = 0; at < whole.length; at++)
      for (const flip of [0x01, 0x20, 0x80, (whole[at] ?? 0) ^ 0x0a, whole[at] ?? 0]) {
        if (flip === 0) continue;
        const bytes = Buffer.from(whole);
        bytes[at] = (bytes[at] ?? 0) ^ flip;
        expect(faultsOf(bytes, THREE, (i) => i === frameAt(at)).map((fault) => `${at}: ${fault}`)).toEqual([]);
      }
  });

  it('a file that was cut off keeps the frames before the cut', () => {
    for (let length = 0; length < whole.length; length++)
      expect(faultsOf(whole.subarray(0, length), THREE, (i) => length < (bounds[i] ?? 0))).toEqual([]);
  });

  it('a frame that was written in part over older ones brings no other lines back than older ones', () => {
    const older = journalOf(THREE);
    const begin = headerText(OWNER).length;
    const fresh = Buffer.from(textOf({ lines: ['{"call":"new"}', '{"call":"newer"}'], generation: 2 }));
    for (let length = 0; length < fresh.length; length++) {
      const bytes = Buffer.from(older);
      fresh.copy(bytes, begin, 0, length);
      const known = THREE.flatMap(({ lines }) => lines);
      for (const each of linesIn(bytes) ?? []) expect([...known, '{"call":"new"}', '{"call":"newer"}']).toContain(each);
      if (length < fresh.length - END_BYTES) expect(linesIn(bytes)).not.toContain('{"call":"new"}');
    }
  });

  it('the owner died while it overwrote a settled frame: the open ones behind it are found', () => {
    const begin = headerText(OWNER).length;
    const end = bounds[0] ?? 0;
    for (let length = 0; length <= end - begin; length++) {
      const bytes = Buffer.from(whole);
      bytes.fill(0, begin, begin + length);
      expect(linesIn(bytes)).toEqual(expect.arrayContaining(['{"call":"c"}', '{"call":"d"}', '{"call":"e"}']));
    }
    // After a power loss, pages are on disk in any order.
    const bytes = Buffer.from(whole);
    bytes.fill(0, begin + 60, end);
    expect(linesIn(bytes)).toEqual(['{"call":"c"}', '{"call":"d"}', '{"call":"e"}']);
  });

  it('any bytes after a header are read without an error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), (noise) => {
        const bytes = Buffer.concat([Buffer.from(headerText(OWNER)), noise]);
        expect(readJournal(bytes, ours)?.frames).toEqual([]);
      }),
    );
  });
});
