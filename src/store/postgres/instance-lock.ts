// The advisory lock of the server that shows that an instance (a Colibri process) lives, and the question who holds it.
import { createHash } from 'node:crypto';
import type { SqlValue } from '../store.js';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether the text is an id that Colibri gives to an instance. */
export const isInstanceId = (text: string): boolean => UUID.test(text);

/** The two halves of the number of an instance's lock. Locks with one number of 64 bits and locks with two of 32 bits never meet. */
const halvesOf = (instance: string): { high: number; low: number } => {
  const digest = createHash('sha256').update(`colibri instance ${instance}`).digest();
  return { high: digest.readUInt32BE(0), low: digest.readUInt32BE(4) };
};

export const lockNumber = (instance: string): string => {
  const { high, low } = halvesOf(instance);
  return BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt(low)).toString();
};

const HELD = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND classid = ? AND objid = ?
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** The statement and its parameters that return a row if the instance's lock is held. */
export const heldQuery = (instance: string): readonly [sql: string, ...params: SqlValue[]] => {
  const { high, low } = halvesOf(instance);
  return [HELD, high, low];
};
