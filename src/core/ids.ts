// Identifiers that sort by time. Pure: clock and randomness are parameters.

/** UUID version 7 (RFC 9562 §5.7) from a wall clock in milliseconds and 10 random bytes. */
export const uuidV7 = (nowMs: number, random: Uint8Array): string => {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes.set(random.subarray(0, 10), 6);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};
