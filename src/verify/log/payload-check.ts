// The arguments beside a `call.enter`: there where the record says so, and digested as it says. Pure.
import { hash } from 'node:crypto';
import type { Body } from './record.js';

/** seq, salt, json. */
export type PayloadRow = readonly unknown[];

export const wantsPayload = (body: Body): boolean => body.args === 'stored' || body.args === 'digest';

const SALT = /^[0-9a-f]{32}$/;
const SALT_BYTES = 16;

/** SHA-256(salt ‖ json). What has the digest is what was recorded, so nothing else is asked of the text. */
const textFault = (body: Body, salt: string, json: string): string | undefined => {
  const length = Buffer.byteLength(json);
  if (length !== body.args_bytes) return 'The arguments have another length than recorded.';
  const bytes = Buffer.allocUnsafe(SALT_BYTES + length);
  bytes.write(salt, 0, 'hex');
  bytes.write(json, SALT_BYTES);
  return hash('sha256', bytes) === body.args_digest ? undefined : 'The arguments are not those that were digested.';
};

/** The fields of the record among themselves. */
export const argsFault = (body: Body): string | undefined => {
  const has = typeof body.args_digest === 'string' && typeof body.args_bytes === 'number';
  const hasNot = body.args_digest === undefined && body.args_bytes === undefined;
  if (wantsPayload(body)) return has ? undefined : 'The record keeps arguments and has no digest of them.';
  return hasNot ? undefined : 'The record digests arguments and says that it keeps none.';
};

const saltFault = (body: Body, salt: string, json: unknown): string | undefined => {
  if (json !== null) return 'There are arguments where only their digest is kept.';
  const isRecorded = hash('sha256', Buffer.from(salt, 'hex')) === body.args_salt;
  return isRecorded ? undefined : 'The salt is not the one that was recorded.';
};

export const payloadFault = (body: Body, [, salt, json]: PayloadRow): string | undefined => {
  if (typeof salt !== 'string' || !SALT.test(salt)) return 'The salt is not 16 bytes in hex.';
  if (body.args === 'digest') return saltFault(body, salt, json);
  return typeof json === 'string' ? textFault(body, salt, json) : 'The arguments are no text.';
};
