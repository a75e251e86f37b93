// Salts: 16 random bytes each. Taken from a pool, because asking the system for each costs more than hashing a record.
import { randomBytes } from 'node:crypto';

const SALT_BYTES = 16;
const POOL_BYTES = SALT_BYTES * 256;

/** A source that hands out every byte of a pool once. */
export const saltSource = (random: (bytes: number) => Buffer): (() => Buffer) => {
  let pool: Buffer = Buffer.alloc(0);
  return () => {
    if (pool.length === 0) pool = random(POOL_BYTES);
    const salt = pool.subarray(0, SALT_BYTES);
    pool = pool.subarray(SALT_BYTES);
    return salt;
  };
};

export const newSalt = saltSource(randomBytes);
