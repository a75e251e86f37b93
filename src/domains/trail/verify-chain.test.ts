// Tests which part of a verdict audit_verify_chain returns, and for which scope it asks.
import { expect, test } from 'vitest';
import type { ColibriServerContext, HandlerExtra } from '../../call/context.js';
import { DomainError } from '../../middleware/envelope.js';
import { auditVerifyChain, type ChainScope, type ChainVerdict, type VerifyChain } from './verify-chain.js';

const extra = { signal: new AbortController().signal } as HandlerExtra;

/** The tool over a verification, from the arguments as they come. */
const verifyChain = (verify: VerifyChain) => {
  const { config, handler } = auditVerifyChain({} as ColibriServerContext, {
    verify,
    resolveSkill: async () => undefined,
  });
  return async (args: object) =>
    (await handler(config.inputSchema.parse(args), extra)) as ChainVerdict & { readonly exit?: number };
};

const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i}`);
const finding = (_: unknown, seq: number) => ({ kind: 'record', where: { seq }, message: 'm' });

const verdict = (scope: ChainScope, rest: Partial<ChainVerdict> = {}): ChainVerdict => ({
  valid: true,
  complete: true,
  scope,
  record_count: 1,
  broken_count: 0,
  first_broken_at: null,
  findings: [],
  missing: [],
  remarks: [],
  checked: ['all'],
  not_checked: ['more'],
  custody: { key: 'k', heads: 'h' },
  ...rest,
});

test.each([
  [{}, { kind: 'store' }],
  [{ session_id: 'any thing' }, { kind: 'session', id: 'any thing' }],
  [{ task_id: 't-7' }, { kind: 'task', id: 'T-0007' }],
])('%j asks about %j', async (args, scope) => {
  const result = await verifyChain(async (asked) => verdict(asked))(args);
  expect(result).toEqual({
    valid: true,
    complete: true,
    scope,
    record_count: 1,
    broken_count: 0,
    first_broken_at: null,
    missing: [],
    checked: ['all'],
    not_checked: ['more'],
    custody: { key: 'k', heads: 'h' },
  });
});

test('long lists are cut, the way back and the exit code are not shown', async () => {
  const long = {
    findings: Array.from({ length: 100 }, finding),
    missing: lines(50).map((message) => ({ kind: 'restore', message })),
  };
  const full = { ...verdict({ kind: 'store' }, { ...long, remarks: lines(50), checked_to_seq: 7 }), exit: 20 };
  const result = await verifyChain(async () => full)({});
  expect(result).toMatchObject({ checked_to_seq: 7 });
  expect([result.findings?.length, result.missing.length, result.remarks?.length]).toEqual([5, 20, 20]);
  expect(result).not.toHaveProperty('exit');
});

test('what nobody has is refused by its own code', async () => {
  const unknown = verifyChain(async () => undefined);
  const refused = async (args: object) => unknown(args).catch((thrown: unknown) => thrown);
  const [session, task] = [await refused({ session_id: 's' }), await refused({ task_id: '7' })];
  expect(session).toBeInstanceOf(DomainError);
  expect([session, task]).toMatchObject([{ code: 'SESSION_NOT_FOUND' }, { code: 'TASK_NOT_FOUND' }]);
});

test('whatever the store says, the answer stays within its bytes', async () => {
  const evil = '\u001b'.repeat(60_000);
  const where = { log: evil, table: evil, id: evil, message: evil };
  const many = <T>(item: T): T[] => Array.from({ length: 200 }, () => item);
  const full = verdict(
    { kind: 'session', id: '\u001b'.repeat(128) },
    {
      first_broken_at: where,
      findings: many({ kind: 'record', where, message: evil }),
      missing: many({ kind: 'restore', message: evil }),
      remarks: many(evil),
      checked: many(evil),
      not_checked: many(evil),
      custody: { key: evil, heads: evil },
    },
  );
  const result = await verifyChain(async () => full)({});
  expect(Buffer.byteLength(JSON.stringify(result)) + 64).toBeLessThanOrEqual(24 * 1024);
  expect(result.missing.length).toBeGreaterThan(0);
  expect(result.first_broken_at).toMatchObject({ message: `${'\u001b'.repeat(300)}…` });
});
