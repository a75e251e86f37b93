// What of a verdict an agent gets, and what it is asked about.
import { expect, test } from 'vitest';
import type { HandlerExtra } from '../../context.js';
import { DomainError } from '../../middleware/envelope.js';
import { type ChainScope, type ChainVerdict, verifyChain, verifyInput } from './verify-chain.js';

const extra = { signal: new AbortController().signal } as HandlerExtra;
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
  const result = await verifyChain(async (asked) => verdict(asked))(verifyInput.parse(args), extra);
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
  const long = { findings: Array.from({ length: 100 }, finding), missing: lines(50).map((message) => ({ message })) };
  const full = { ...verdict({ kind: 'store' }, { ...long, remarks: lines(50), checked_to_seq: 7 }), exit: 20 };
  const result = await verifyChain(async () => full)({}, extra);
  expect(result).toMatchObject({ checked_to_seq: 7 });
  expect([result.findings?.length, result.missing.length, result.remarks?.length]).toEqual([5, 20, 20]);
  expect(result).not.toHaveProperty('exit');
});

test('what nobody has is refused by its own code', async () => {
  const unknown = verifyChain(async () => undefined);
  const refused = async (args: object) => unknown(verifyInput.parse(args), extra).catch((thrown: unknown) => thrown);
  const [session, task] = [await refused({ session_id: 's' }), await refused({ task_id: '7' })];
  expect(session).toBeInstanceOf(DomainError);
  expect([session, task]).toMatchObject([{ code: 'SESSION_NOT_FOUND' }, { code: 'TASK_NOT_FOUND' }]);
});
