// Findings as they are gathered: the first ones whole, the rest counted, so that a store that is all wrong is no heavier
// to verify than one that is all right.
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

/** A busy file, a full disk, a failing one: no word about what the store says. Damage is. */
const saysNothing = (thrown: unknown): boolean => {
  const error = fromSqlite(thrown);
  return error instanceof ColibriError && error.code !== 'STORE_CORRUPT';
};

const textOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** Runs `check`; what it throws because of what it read is a finding. */
export const guarded = (found: Found, kind: FindingKind, where: Where, check: () => void): void => {
  try {
    check();
  } catch (thrown) {
    if (saysNothing(thrown)) throw fromSqlite(thrown);
    addFinding(found, kind, where, `It cannot be read: ${textOf(thrown)}.`);
  }
};
