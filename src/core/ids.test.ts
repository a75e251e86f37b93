import { expect, it } from 'vitest';
import { uuidV7 } from './ids.js';

it('builds a version 7 UUID that sorts by time', () => {
  const zeros = new Uint8Array(10);
  // RFC 9562 appendix A.6 uses this time.
  expect(uuidV7(0x017f22e279b0, zeros)).toBe('017f22e2-79b0-7000-8000-000000000000');
  expect(uuidV7(1, new Uint8Array(10).fill(255))).toBe('00000000-0001-7fff-bfff-ffffffffffff');
  expect(uuidV7(2, zeros) > uuidV7(1, new Uint8Array(10).fill(255))).toBe(true);
});
