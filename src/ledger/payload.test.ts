import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../proof/canonical-json.js';
import { leafHash, saltedDigest } from './hashes.js';
import { payloadOf } from './payload.js';

/** One call in bytes: the worked example of docs/audit-format.md. */
describe('the worked example', () => {
  const args = { title: 'Implement boot sequence', priority: 'high' };
  const json = canonicalJson(args);
  const digest = saltedDigest(Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex'), json);

  it('digests the arguments', () => {
    expect(json).toBe('{"priority":"high","title":"Implement boot sequence"}');
    expect(digest).toBe('beed0991eeca974183c8a7d264a8c47a5fcc57d5ad1744149b41bb59a2f0af0e');
  });

  it('hashes the record', () => {
    const body = canonicalJson({
      v: 1,
      log: '9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f',
      seq: 1,
      kind: 'call.enter',
      at: '2026-11-15T18:30:00.123Z',
      instance: '0192f0c1-0000-7000-8000-000000000001',
      sequence_no: 1,
      call: '3b241101-e2bb-4255-8caf-4136c566a962',
      tool: 'task_create',
      effect: 'write',
      client: { name: 'claude-code', version: '2.1.285', protocol: '2026-07-28' },
      args: 'stored',
      args_digest: digest,
      args_bytes: Buffer.byteLength(json),
    });
    expect(leafHash(body)).toBe('be8597d2f89b68a83a9275007761ae89f6a90547a905d50a985f7f2541e6dad7');
  });
});

describe('payloadOf', () => {
  it.each([undefined, {}])('calls %j empty', (args) => {
    expect(payloadOf(args, 'stored')).toEqual({ said: { args: 'empty' } });
  });

  it.each([null, 'foo', [], 0, { a: 'é' }])('stores %j so that the digest can be recomputed', (args) => {
    const { said, row } = payloadOf(args, 'stored');
    const json = row?.json ?? '';
    expect(json).toBe(canonicalJson(args));
    expect(said).toEqual({
      args: 'stored',
      args_bytes: Buffer.byteLength(json),
      args_digest: hash('sha256', Buffer.concat([Buffer.from(row?.salt ?? '', 'hex'), Buffer.from(json)])),
    });
  });

  it('never uses a salt twice', () => {
    const salts = Array.from({ length: 100 }, () => payloadOf({ a: 1 }, 'stored').row?.salt);
    expect(new Set(salts).size).toBe(100);
  });

  it('keeps only the digest, or nothing, where the setting says so', () => {
    expect(payloadOf({ a: 1 }, 'digest')).toMatchObject({ said: { args: 'digest' }, row: { json: null } });
    expect(payloadOf({ a: 1 }, 'none')).toEqual({ said: { args: 'none' } });
  });

  it('says none of what has no JSON form', () => {
    expect(payloadOf({ a: '\ud800' }, 'stored')).toEqual({ said: { args: 'none' } });
  });

  it('redacts before it digests', () => {
    expect(payloadOf({ password: 'hunter2' }, 'stored').row?.json).toBe('{"password":"[redacted]"}');
  });
});
