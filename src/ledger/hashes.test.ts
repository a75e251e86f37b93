import { createHash, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { hashes, newSalt, saltSource } from './hashes.js';

it('hands out 16 bytes, never the same', () => {
  const salts = Array.from({ length: 1_000 }, () => newSalt());
  expect(salts.every((salt) => salt.length === 16)).toBe(true);
  expect(new Set(salts.map((salt) => salt.toString('hex'))).size).toBe(1_000);
});

it('uses every byte of a pool once and then asks for more', () => {
  let asked = 0;
  const next = saltSource((bytes) => Buffer.alloc(bytes, ++asked));
  const firsts = Array.from({ length: 257 }, () => next()[0]);
  expect(asked).toBe(2);
  expect(firsts.filter((byte) => byte === 1)).toHaveLength(256);
});

it('what was handed out does not change later', () => {
  const salt = newSalt();
  const before = salt.toString('hex');
  for (let i = 0; i < 1_000; i++) newSalt();
  expect(salt.toString('hex')).toBe(before);
});

it.each(['', 'a', 'é'.repeat(3_000), '😀'.repeat(3_000), 'x'.repeat(40_000)])(
  'salted digests and nodes are plain SHA-256',
  (text) => {
    const salt = randomBytes(16);
    const plain = (...parts: (string | Buffer)[]): string => {
      const hash = createHash('sha256');
      for (const part of parts) hash.update(part);
      return hash.digest('hex');
    };
    expect(hashes.salted(salt, text)).toBe(plain(salt, text));
    const [left, right] = [plain(text), plain(salt)];
    expect(hashes.node(left, right)).toBe(plain(Buffer.from(`01${left}${right}`, 'hex')));
  },
);
