// The journal on a real disk: what stands in the file after each step is what a later process would find.
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../test/support/stores.js';
import { LEDGER_LIMITS } from '../limits.js';
import { IntentJournal, type JournalOptions } from './journal.js';
import { type JournalOwner, readJournal } from './journal-format.js';

const OWNER: JournalOwner = {
  log: '0'.repeat(32),
  instance: '01a1e25f-ea5e-71b0-8a4b-13db7b1c1358',
  machineBoot: 'this-boot',
};
const mac = (sum: string): string => sum.split('').reverse().join('');

const fresh = (options: Partial<JournalOptions> = {}) => {
  const path = join(temporaryFolder(), 'journal', OWNER.instance);
  fs.mkdirSync(dirname(path));
  const journal = new IntentJournal({ path, owner: OWNER, mac, isSynced: false, ...options });
  onTestFinished(() => journal.end());
  const read = () => readJournal(fs.readFileSync(path), () => mac);
  const lines = () => read()?.frames.flatMap((frame) => frame.lines);
  return { path, journal, read, lines };
};

const write = (journal: IntentJournal, lines: string, count = 1) => {
  const frame = journal.write(lines, count, 5);
  if (frame === undefined) throw new Error('no room');
  return frame;
};

/** A line so long that two of them do not fit. */
const LONG = `${'x'.repeat(LEDGER_LIMITS.journalBytes * 0.6)}\n`;

describe('the file', () => {
  it('has its full size from the beginning and is readable by its owner alone', () => {
    const { path, lines } = fresh();
    const { size, mode } = fs.statSync(path);
    expect(size).toBe(LEDGER_LIMITS.journalBytes);
    expect(mode & 0o777).toBe(0o600);
    expect(lines()).toEqual([]);
  });

  it('is not made where something else is: no link is followed, no file replaced', () => {
    const dir = temporaryFolder();
    const path = join(dir, OWNER.instance);
    fs.symlinkSync(join(dir, 'elsewhere'), path);
    const make = () => new IntentJournal({ path, owner: OWNER, mac, isSynced: false });
    expect(make).toThrow(/cannot be written/);
    expect(fs.readdirSync(dir)).toEqual([OWNER.instance]);
  });

  it('a file that could not be filled is removed again', () => {
    const dir = temporaryFolder();
    const path = join(dir, OWNER.instance);
    // The header cannot be made: as good as a disk that became full.
    const owner = {
      ...OWNER,
      get machineBoot(): string {
        throw new Error('ENOSPC');
      },
    };
    const before = fs.readdirSync('/proc/self/fd').length;
    expect(() => new IntentJournal({ path, owner, mac, isSynced: false })).toThrow(/ENOSPC/);
    expect(fs.readdirSync(dir)).toEqual([]);
    expect(fs.readdirSync('/proc/self/fd')).toHaveLength(before);
  });

  it('holds the intents of one write in one frame, with generation and size', () => {
    const { journal, read } = fresh();
    journal.write('one\ntwo\n', 2, 17);
    journal.write('drei ü\n', 1, 18);
    expect(read()?.frames).toEqual([
      { generation: 1, size: 17, lines: ['one', 'two'], isOurs: true },
      { generation: 1, size: 18, lines: ['drei ü'], isOurs: true },
    ]);
  });
});

describe('room', () => {
  it('a write that does not fit writes nothing, and fits once all before it are in the ledger', () => {
    const { journal, lines, read } = fresh();
    const first = write(journal, LONG);
    const second = write(journal, 'short\n');
    expect(journal.write(LONG, 1, 6)).toBeUndefined();
    journal.release(first);
    expect(journal.write(LONG, 1, 6)).toBeUndefined();
    expect(lines()).toEqual([LONG.trimEnd(), 'short']);
    journal.release(second);
    write(journal, LONG);
    expect(read()?.frames).toMatchObject([{ generation: 2 }]);
    expect(lines()).toEqual([LONG.trimEnd()]);
  });

  it('what never fits is not written, and others still fit', () => {
    const { journal, lines } = fresh();
    expect(journal.write(`${'ü'.repeat(LEDGER_LIMITS.journalBytes / 2)}\n`, 1, 1)).toBeUndefined();
    write(journal, 'short\n');
    expect(lines()).toEqual(['short']);
  });

  it('the last byte is used, and none behind it', () => {
    const { journal, path, lines } = fresh();
    const before = write(journal, 'x\n');
    const room = LEDGER_LIMITS.journalBytes - before.at - before.bytes;
    // A frame takes, besides its lines, its numbers, checksum and MAC.
    const head = `1 5 ${room} ${'0'.repeat(64)} ${'0'.repeat(64)}\n`.length;
    const fitting = room - head - 1;
    expect(journal.write(`${'y'.repeat(fitting)}\n`, 1, 5)).toBeUndefined();
    write(journal, `${'y'.repeat(fitting - 1)}\n`);
    expect(fs.statSync(path).size).toBe(LEDGER_LIMITS.journalBytes);
    expect(lines()).toEqual(['x', 'y'.repeat(fitting - 1)]);
  });

  it('a frame of several intents is free when the last of them is in the ledger', () => {
    const { journal, read } = fresh();
    const frame = write(journal, 'a\nb\n', 2);
    journal.release(frame);
    write(journal, 'c\n');
    expect(read()?.frames.map(({ generation }) => generation)).toEqual([1, 1]);
  });

  it('after each restart only the newest generation is read, whatever its length', () => {
    const { journal, lines } = fresh();
    for (let n = 0; n < 60; n++) {
      const text = `${n} ${'z'.repeat((n * 37) % 101)}`;
      const frame = write(journal, `${text}\n`);
      const next = n % 3 === 0 ? write(journal, `${text} again\n`) : undefined;
      expect(lines()).toEqual(next === undefined ? [text] : [text, `${text} again`]);
      journal.release(frame);
      if (next !== undefined) journal.release(next);
    }
  });
});

describe('wiping', () => {
  it('leaves no byte of an intent that is in the ledger, and every open one', () => {
    const { journal, lines, path } = fresh();
    const [a, b, c] = ['secret a', 'open b', 'secret c'].map((text) => write(journal, `${text}\n`));
    if (a === undefined || b === undefined || c === undefined) throw new Error('no frames');
    journal.release(a);
    journal.release(c);
    journal.wipe();
    expect(lines()).toEqual(['open b']);
    expect(fs.readFileSync(path, 'latin1')).not.toContain('secret');
    write(journal, 'later\n');
    expect(lines()).toEqual(['open b', 'later']);
    journal.release(b);
    journal.wipe();
    expect(lines()).toEqual(['later']);
  });

  it('leaves no byte of what older generations left behind', () => {
    const { journal, lines, path } = fresh();
    const frames = [1, 2, 3].map((n) => write(journal, `secret ${n}\n`));
    for (const frame of frames) journal.release(frame);
    const open = write(journal, 'open\n');
    journal.wipe();
    expect(lines()).toEqual(['open']);
    expect(fs.readFileSync(path, 'latin1')).not.toContain('secret');
    journal.release(open);
    journal.wipe();
    expect(fs.readFileSync(path).filter((byte) => byte !== 0).length).toBeLessThan(150); // the header
  });

  it('makes a file again that somebody removed, with what is open; and its folder', () => {
    const { journal, lines, path } = fresh();
    write(journal, 'open\n');
    fs.rmSync(dirname(path), { recursive: true });
    journal.wipe();
    expect(lines()).toEqual(['open']);
    expect(fs.statSync(path).size).toBe(LEDGER_LIMITS.journalBytes);
    write(journal, 'next\n');
    expect(lines()).toEqual(['open', 'next']);
  });

  it('wipes the removed file even if it cannot be made again', () => {
    const { journal, path } = fresh();
    const frame = write(journal, 'secret\n');
    journal.release(frame);
    const kept = fs.openSync(path, 'r');
    fs.rmSync(path);
    fs.writeFileSync(path, 'mine');
    expect(() => journal.wipe()).toThrow(/cannot be written/);
    expect(fs.readFileSync(path, 'utf8')).toBe('mine');
    expect(fs.readFileSync(kept, 'latin1')).not.toContain('secret');
    fs.closeSync(kept);
    fs.rmSync(path);
  });
});

describe('the end', () => {
  it('removes the file if every intent is in the ledger', () => {
    const { journal, path } = fresh();
    journal.release(write(journal, 'a\n'));
    journal.end();
    expect(fs.existsSync(path)).toBe(false);
    journal.end();
  });

  it('keeps the file with the open intents alone, and says in it that its process has ended', () => {
    const { journal, path, lines, read } = fresh();
    const frame = write(journal, 'secret\n');
    write(journal, 'open\n');
    journal.release(frame);
    journal.end();
    expect(lines()).toEqual(['open']);
    expect(read()?.owner).toEqual({ ...OWNER, machineBoot: '*'.repeat(OWNER.machineBoot.length) });
    expect(fs.readFileSync(path, 'latin1')).not.toContain('secret');
  });

  it('writes into no other file afterwards', () => {
    const { journal } = fresh();
    journal.end();
    const other = join(temporaryFolder(), 'other');
    const descriptor = fs.openSync(other, 'w'); // gets the number of the closed file
    expect(() => journal.write('late\n', 1, 1)).toThrow(/cannot be written/);
    fs.closeSync(descriptor);
    expect(fs.readFileSync(other, 'utf8')).toBe('');
  });
});

describe('syncing', () => {
  it('resolves, also for many at once and for those that come meanwhile', async () => {
    const { journal } = fresh({ isSynced: true });
    const ends: number[] = [];
    const sync = (n: number) => journal.synced().then(() => ends.push(n));
    write(journal, 'a\n');
    const first = [sync(1), sync(2)];
    await Promise.resolve();
    write(journal, 'b\n');
    await Promise.all([...first, sync(3)]);
    expect(ends.toSorted()).toEqual([1, 2, 3]);
    expect(ends.at(-1)).toBe(3); // not promised by a sync that began before its write
  });

  it('a failed sync is told to those that wait for it; later ones are tried again', async () => {
    const { journal } = fresh({ isSynced: true });
    journal.end(); // its descriptor is closed: syncing fails
    const ends = await Promise.allSettled([journal.synced(), journal.synced()]);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(journal.synced()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });
});

it('has no room for a line that is longer than the file, and keeps its place for the next', () => {
  const { journal, lines } = fresh();
  expect(journal.write(`${'x'.repeat(2 * LEDGER_LIMITS.journalBytes)}\n`, 1, 0)).toBeUndefined();
  expect(journal.write('{"call":"a"}\n', 1, 0)).toBeDefined();
  expect(lines()).toEqual(['{"call":"a"}']);
});
