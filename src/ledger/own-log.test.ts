import { createHmac, generateKeyPairSync, hkdfSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { ownLogWithKey } from './own-log.js';

const ID = '0123456789abcdef'.repeat(2);

it('computes the MAC that docs/audit-format.md describes, as node:crypto does', () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const seed = Buffer.from(privateKey.export({ format: 'jwk' }).d ?? '', 'base64url');
  const key = Buffer.from(hkdfSync('sha256', seed, '', 'colibri head v1', 32));
  const own = ownLogWithKey(ID, privateKey);
  for (const [size, hashes] of [
    [0, 0],
    [1, 1],
    [1023, 10],
    [2 ** 40, 1],
  ] as const) {
    const frontier = 'c0ffee00'.repeat(8).repeat(hashes);
    const right = createHmac('sha256', key).update(`${ID}\n${size}\n${frontier}`).digest('hex');
    expect(own.mac({ size, frontier })).toBe(right);
    expect(own.wroteLast(right)).toBe(true);
    expect(own.isOurs({ size, frontier }, right)).toBe(true);
    expect(own.isOurs({ size: size + 1, frontier }, right)).toBe(false);
  }
});

it('recognizes the MACs of a head that it did not write last, and no others', () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const [own, same] = [ownLogWithKey(ID, privateKey), ownLogWithKey(ID, privateKey)];
  const head = { size: 7, frontier: 'a'.repeat(192) };
  const mac = same.mac(head);
  expect(own.wroteLast(mac)).toBe(false);
  expect(own.isOurs(head, mac)).toBe(true);
  for (const wrong of ['', 'zz', mac.slice(1), mac.toUpperCase(), `${mac}0`])
    expect(own.isOurs(head, wrong)).toBe(false);
  expect(ownLogWithKey(ID, generateKeyPairSync('ed25519').privateKey).isOurs(head, mac)).toBe(false);
});
