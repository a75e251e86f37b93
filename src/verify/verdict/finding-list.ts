// Collects findings: keeps the first findings and counts the rest, so that a thoroughly broken store does not need more memory
// than an intact one.
import { ColibriError } from '../../errors.js';
import { fromSqlite } from '../../store/sqlite/errors.js';
import { VERIFY_LIMITS } from '../limits.js';
import type { Finding, FindingKind, Where } from './finding.js';

export interface Found {
  readonly first: Finding[];
  count: number;
}

export const nothingFound = (): Found => ({ first: [], count: 0 });

export const addFinding = (found: Found, kind: FindingKind, where: Where, message: string): void => {
  found.count += 1;
  if (found.first.length < VERIFY_LIMITS.verifyFindings) found.first.push({ kind, where, message });
};

export const addFound = (found: Found, more: Found): void => {
  found.count += more.count;
  found.first.push(...more.first.slice(0, VERIFY_LIMITS.verifyFindings - found.first.length));
};

export const foundOf = (findings: readonly Finding[]): Found => ({
  first: findings.slice(0, VERIFY_LIMITS.verifyFindings),
  count: findings.length,
});

/** Whether an error, such as a busy file or a full disk, says nothing about the contents of the store. */
const saysNothing = (thrown: unknown): boolean => {
  const error = fromSqlite(thrown);
  return error instanceof ColibriError && error.code !== 'STORE_CORRUPT';
};

const textOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** Runs `check`; an error that is caused by the contents of the store becomes a finding. */
export const guarded = (found: Found, kind: FindingKind, where: Where, check: () => void): void => {
  try {
    check();
  } catch (thrown) {
    if (saysNothing(thrown)) throw fromSqlite(thrown);
    addFinding(found, kind, where, `This part of the store cannot be read: ${textOf(thrown)}.`);
  }
};
