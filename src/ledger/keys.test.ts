import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/stores.js';
import { keyRing } from './keys.js';

describe('the keys of a folder', () => {
  it('are read again only if their file was changed', () => {
    const dir = temporaryFolder();
    const keys = keyRing({ dir });
    const { logId } = keys.create();
    const file = join(dir, logId);
    const key = keys.find(logId);
    expect(key?.asymmetricKeyType).toBe('ed25519');
    expect(keys.find(logId)).toBe(key);
    renameSync(file, `${file}.aside`);
    expect(keys.find(logId)).toBeUndefined();
    writeFileSync(file, 'not a key');
    expect(() => keys.find(logId)).toThrow(/cannot be read/);
    rmSync(file);
    renameSync(`${file}.aside`, file);
    expect(keys.find(logId)?.equals(key as NonNullable<typeof key>)).toBe(true);
  });

  it('are those of the log that is asked for', () => {
    const dir = temporaryFolder();
    const keys = keyRing({ dir });
    const [one, other] = [keys.create(), keys.create()];
    const found = keys.find(one.logId);
    expect(keys.find(other.logId)?.equals(found as NonNullable<typeof found>)).toBe(false);
    const named = keyRing({ dir, file: join(dir, one.logId) });
    expect(named.find(one.logId)).toBeDefined();
    expect(named.find(other.logId)).toBeUndefined();
  });
});
