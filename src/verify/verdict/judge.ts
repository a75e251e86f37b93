// Turns the findings and the missing evidence into a verdict with its exit code.
import { NO_CUSTODY } from './custody.js';
import type { Finding, Missing } from './finding.js';
import { type Found, nothingFound } from './finding-list.js';
import type { Custody, UnsignedTail, Verdict, VerdictScope, VerifyExit } from './verdict.js';

/** Sentences about what no verification can check; they are part of every verdict. */
const NEVER_CHECKED = [
  'Whether records after the newest signed head were cut off: those of the last second under load, of the last minute otherwise.',
  'Whoever holds both the key and the heads can rewrite everything.',
  'What agents do outside of MCP (their own shell, their own file edits) is not recorded.',
];

export interface JudgedEvidence {
  readonly scope: VerdictScope;
  readonly found: Found;
  readonly missing?: readonly Missing[];
  readonly unsigned?: readonly UnsignedTail[];
  readonly remarks?: readonly string[];
  readonly checked: readonly string[];
  readonly notChecked: readonly string[];
  readonly custody: Custody;
  readonly records: number;
  readonly complete: boolean;
  readonly checkedToSeq?: number | undefined;
  /** Why the store could not be read, or only in part; undefined if it could be read. */
  readonly unreadable?: string | undefined;
}

/** The evidence for a verdict about a store that could not be read at all. */
export const unreadableEvidence = (scope: VerdictScope, unreadable: string): JudgedEvidence => ({
  scope,
  found: nothingFound(),
  checked: [],
  notChecked: [],
  custody: NO_CUSTODY,
  records: 0,
  complete: false,
  unreadable,
});

/** A verification that was stopped before its first record has judged nothing. */
const exitOf = ({ found, unreadable, complete, records, missing = [] }: JudgedEvidence): VerifyExit => {
  if (found.count > 0) return 20;
  if (unreadable !== undefined || (!complete && records === 0)) return 30;
  return missing.length > 0 ? 10 : 0;
};

/** The place and message of the first finding about a record, else of the first finding; null if there is none. */
const firstOf = ({ first }: Found): Verdict['first_broken_at'] => {
  const finding: Finding | undefined = first.find(({ where }) => where.seq !== undefined) ?? first[0];
  return finding === undefined ? null : { ...finding.where, message: finding.message };
};

export const judge = (evidence: JudgedEvidence): Verdict => {
  const { scope, found, missing = [], remarks = [], checked, notChecked, custody, unreadable } = evidence;
  const exit = exitOf(evidence);
  return {
    exit,
    valid: exit === 0 || exit === 10,
    complete: evidence.complete,
    ...(evidence.checkedToSeq !== undefined && { checked_to_seq: evidence.checkedToSeq }),
    scope,
    record_count: evidence.records,
    broken_count: found.count,
    first_broken_at: firstOf(found),
    findings: found.first,
    missing,
    unsigned: evidence.unsigned ?? [],
    remarks,
    checked,
    not_checked: [
      ...(unreadable === undefined ? [] : [`The store could not be read: ${unreadable}`]),
      ...notChecked,
      ...NEVER_CHECKED,
    ],
    custody,
  };
};
