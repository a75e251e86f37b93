import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/stores.js';
import { FileRefused, readUntrusted } from './untrusted-file.js';

const MAX = 1024;

const setUp = () => {
  const root = fs.realpathSync(temporaryFolder());
  const within = join(root, 'project');
  fs.mkdirSync(within);
  fs.writeFileSync(join(root, 'outside'), 'outside');
  return { root, within, file: join(within, 'file') };
};

const read = (file: string, within?: string) => readUntrusted(file, { maxBytes: MAX, within }).toString();

describe('a file of a stranger', () => {
  it('is read whole up to its bound, and not one byte beyond', () => {
    const { within, file } = setUp();
    for (const size of [0, 1, MAX]) {
      fs.writeFileSync(file, 'x'.repeat(size));
      expect(read(file, within)).toHaveLength(size);
    }
    fs.writeFileSync(file, 'x'.repeat(MAX + 1));
    expect(() => read(file, within)).toThrow(/larger than 1 KiB/);
  });

  it('that says it is empty and goes on is read up to its bound', () => {
    expect(() => read('/proc/self/maps')).toThrow(/larger than 1 KiB/);
  });

  it('may be reached by links inside the folder, also through a folder that is one', () => {
    const { within, file } = setUp();
    fs.mkdirSync(join(within, 'a'));
    fs.writeFileSync(join(within, 'a', 'real'), 'inside');
    fs.symlinkSync('a', join(within, 'b'));
    fs.symlinkSync(join('b', '..', 'b', 'real'), file);
    expect(read(file, within)).toBe('inside');
  });

  it.each<[string, (place: ReturnType<typeof setUp>) => void]>([
    ['a link', ({ file, root }) => fs.symlinkSync(join(root, 'outside'), file)],
    ['a relative link', ({ file }) => fs.symlinkSync('../outside', file)],
    [
      'a link to a folder beside it with the same beginning',
      ({ file, within }) => {
        fs.mkdirSync(`${within}-2`);
        fs.writeFileSync(join(`${within}-2`, 'x'), '');
        fs.symlinkSync(join(`${within}-2`, 'x'), file);
      },
    ],
    ['a link to a device', ({ file }) => fs.symlinkSync('/dev/zero', file)],
  ])('%s out of the folder is not followed, unless there is no folder to stay in', (_, make) => {
    const place = setUp();
    make(place);
    expect(() => read(place.file, place.within)).toThrow(/leads out of the project/);
  });

  it('of the user may be a link anywhere, but to a file', () => {
    const { root, file } = setUp();
    fs.symlinkSync(join(root, 'outside'), file);
    expect(read(file)).toBe('outside');
    fs.rmSync(file);
    fs.symlinkSync('/dev/zero', file);
    expect(() => read(file)).toThrow(/it is a device, not a file/);
  });

  it.each<[string, (path: string) => void, RegExp]>([
    ['a pipe', (path) => void execFileSync('mkfifo', [path]), /pipe/],
    ['a folder', (path) => fs.mkdirSync(path), /folder/],
    ['a link to itself', (path) => fs.symlinkSync(path, path), /lead nowhere/],
  ])('that is %s is refused at once', (_, make, words) => {
    const { within, file } = setUp();
    make(file);
    expect(() => read(file, within)).toThrow(FileRefused);
    expect(() => read(file, within)).toThrow(words);
  });

  it('that is not there is the system’s to say', () => {
    const { within, file } = setUp();
    expect(() => read(file, within)).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  });
});
