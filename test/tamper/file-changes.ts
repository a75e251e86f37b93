// Changes below SQL: bytes of the closed file, and an older copy in its place.
import { closeSync, copyFileSync, openSync, readSync, statSync, truncateSync, writeSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Random } from '../support/random.js';

export interface Scene {
  /** The copy to be changed. */
  readonly path: string;
  readonly older: readonly string[];
  /** The size of the newest signed head of each log. */
  readonly signed: ReadonlyMap<string, number>;
}

export type FileChange = (scene: Scene, random: Random) => string | undefined;

const patch = (path: string, offset: number, change: (bytes: Buffer) => Buffer, length: number): void => {
  const file = openSync(path, 'r+');
  try {
    const bytes = Buffer.alloc(length);
    const read = readSync(file, bytes, 0, length, offset);
    writeSync(file, change(bytes.subarray(0, read)), 0, read, offset);
  } finally {
    closeSync(file);
  }
};

const PAGE = 4096;

const flipBit: FileChange = ({ path }, random) => {
  const offset = random.int(statSync(path).size);
  const bit = 1 << random.int(8);
  patch(path, offset, (bytes) => bytes.map((byte) => byte ^ bit) as Buffer, 1);
  return `bit ${bit} of byte ${offset} flipped`;
};

const overwrite: FileChange = ({ path }, random) => {
  const length = 1 + random.int(64);
  const offset = random.int(statSync(path).size);
  const byte = random.pick([undefined, 0, 255]);
  patch(path, offset, ({ length: all }) => (byte === undefined ? random.bytes(all) : Buffer.alloc(all, byte)), length);
  return `${length} bytes at ${offset} overwritten with ${byte ?? 'anything'}`;
};

const clearPage: FileChange = ({ path }, random) => {
  const page = random.int(statSync(path).size / PAGE);
  patch(path, page * PAGE, ({ length }) => Buffer.alloc(length), PAGE);
  return `page ${page + 1} cleared`;
};

const cutFile: FileChange = ({ path }, random) => {
  const size = random.int(statSync(path).size);
  truncateSync(path, size);
  return `file cut to ${size} bytes`;
};

export const changeBytes: FileChange = (scene, random) =>
  random.pick([flipBit, flipBit, overwrite, overwrite, overwrite, clearPage, cutFile])(scene, random);

const isBehind = (path: string, signed: Scene['signed']): boolean => {
  const db = new Database(path, { readonly: true });
  const logs = db.prepare<[], { log_id: string; size: number }>('SELECT log_id, size FROM logs').all();
  db.close();
  return logs.some(({ log_id, size }) => size < (signed.get(log_id) ?? 0));
};

/** An older copy in its place, if something was signed since. */
export const olderCopy: FileChange = ({ path, older, signed }, random) => {
  const behind = older.filter((copy) => isBehind(copy, signed));
  if (behind.length === 0) return undefined;
  const copy = random.pick(behind);
  copyFileSync(copy, path);
  return `the whole file as it was in ${copy}`;
};
