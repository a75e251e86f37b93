// Keeps small entries of a key and a value in a temporary file and returns them grouped by key, so that a verification can
// compare records that lie far apart while its memory does not grow with the store.
//
// An entry goes to one of a fixed number of buckets, by its key, so all entries of a key are in one bucket and a bucket is small
// enough to be read whole. Each bucket has one block in memory; a full block is appended to the file, and only the number of the
// block is remembered. The file is created when the first block is full, so a small store needs no file.
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VERIFY_LIMITS } from './limits.js';

const KEY_BYTES = 16;
const VALUE_BYTES = 16;
export const ENTRY_BYTES = KEY_BYTES + VALUE_BYTES;

const BLOCK_BYTES = VERIFY_LIMITS.scratchBlockEntries * ENTRY_BYTES;

export interface ScratchGroup {
  readonly key: Buffer;
  /** The values of the key, in no particular order. */
  readonly values: readonly Buffer[];
}

export interface ScratchFile {
  /** Adds a key of 16 bytes with a value of 16 bytes. */
  add(key: Uint8Array, value: Uint8Array): void;
  /** Adds entries of 32 bytes each, one after the other. */
  addAll(entries: Uint8Array): void;
  /** All entries in batches; a batch has all entries of each of its keys. */
  batches(): Iterable<Buffer>;
  groups(): Iterable<ScratchGroup>;
  close(): void;
}

interface Bucket {
  readonly block: Buffer;
  used: number;
  /** The numbers of this bucket's full blocks in the file. */
  readonly written: number[];
}

/** The bucket of a key, by the hash FNV-1a: keys may differ in one byte only and must still be spread over all buckets. */
const bucketOf = (entries: Uint8Array, at: number): number => {
  let sum = 0x811c9dc5;
  for (let i = at; i < at + KEY_BYTES; i++) sum = Math.imul(sum ^ (entries[i] ?? 0), 0x01000193);
  return ((sum ^ (sum >>> 15)) >>> 0) % VERIFY_LIMITS.scratchBuckets;
};

/** Groups the entries of a batch by key. A text with one character for each byte is the cheapest key of a map. */
export function* groupsIn(batch: Buffer): Generator<ScratchGroup> {
  const groups = new Map<string, Buffer[]>();
  for (let at = 0; at < batch.length; at += ENTRY_BYTES) {
    const key = batch.toString('latin1', at, at + KEY_BYTES);
    const value = batch.subarray(at + KEY_BYTES, at + ENTRY_BYTES);
    const values = groups.get(key);
    if (values === undefined) groups.set(key, [value]);
    else values.push(value);
  }
  for (const [key, values] of groups) yield { key: Buffer.from(key, 'latin1'), values };
}

class FileScratch implements ScratchFile {
  readonly #dir: string;
  readonly #buckets: (Bucket | undefined)[] = Array.from({ length: VERIFY_LIMITS.scratchBuckets }, () => undefined);
  #file: number | undefined;
  #blocks = 0;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** The file is unlinked as soon as it is open, so it is gone when the process ends, however that ends. */
  #open(): number {
    if (this.#file !== undefined) return this.#file;
    const path = join(this.#dir, `colibri-verify-${randomUUID()}`);
    this.#file = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
    return this.#file;
  }

  #flush(bucket: Bucket): void {
    writeSync(this.#open(), bucket.block, 0, BLOCK_BYTES, this.#blocks * BLOCK_BYTES);
    bucket.written.push(this.#blocks);
    this.#blocks += 1;
    bucket.used = 0;
  }

  #bucket(at: number): Bucket {
    const bucket = this.#buckets[at] ?? { block: Buffer.alloc(BLOCK_BYTES), used: 0, written: [] };
    this.#buckets[at] = bucket;
    return bucket;
  }

  add(key: Uint8Array, value: Uint8Array): void {
    if (key.length !== KEY_BYTES || value.length !== VALUE_BYTES) throw new RangeError('an entry has 16 and 16 bytes');
    this.addAll(Buffer.concat([key, value]));
  }

  addAll(entries: Uint8Array): void {
    if (entries.length % ENTRY_BYTES !== 0) throw new RangeError('entries have 32 bytes each');
    for (let at = 0; at < entries.length; at += ENTRY_BYTES) {
      const bucket = this.#bucket(bucketOf(entries, at));
      // Copying byte by byte is cheaper than `set`, for which an object would have to be made for each entry.
      for (let i = 0; i < ENTRY_BYTES; i++) bucket.block[bucket.used + i] = entries[at + i] ?? 0;
      bucket.used += ENTRY_BYTES;
      if (bucket.used === BLOCK_BYTES) this.#flush(bucket);
    }
  }

  #read({ written, block, used }: Bucket): Buffer {
    const bytes = Buffer.alloc(written.length * BLOCK_BYTES + used);
    written.forEach((no, i) => {
      const read = readSync(this.#open(), bytes, i * BLOCK_BYTES, BLOCK_BYTES, no * BLOCK_BYTES);
      if (read !== BLOCK_BYTES) throw new Error('the temporary file of the verification was cut short');
    });
    block.copy(bytes, written.length * BLOCK_BYTES, 0, used);
    return bytes;
  }

  *batches(): Generator<Buffer> {
    let parts: Buffer[] = [];
    let size = 0;
    for (const bucket of this.#buckets) {
      if (bucket === undefined) continue;
      parts.push(this.#read(bucket));
      size += parts.at(-1)?.length ?? 0;
      if (size < VERIFY_LIMITS.scratchBatchBytes) continue;
      yield Buffer.concat(parts);
      [parts, size] = [[], 0];
    }
    if (size > 0) yield Buffer.concat(parts);
  }

  *groups(): Generator<ScratchGroup> {
    for (const batch of this.batches()) yield* groupsIn(batch);
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

export const openScratch = (dir: string = tmpdir()): ScratchFile => new FileScratch(dir);
