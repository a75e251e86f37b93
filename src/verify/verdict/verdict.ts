// The types of a verdict, the result of a verification, and its exit codes.
import type { Finding, Missing, Where } from './finding.js';

export type VerdictScope =
  | { readonly kind: 'store' }
  /** The logs of one machine. */
  | { readonly kind: 'node'; readonly id: string }
  | { readonly kind: 'session'; readonly id: string }
  | { readonly kind: 'task'; readonly id: string };

/** The exit code. 20: a contradiction; 30: the store cannot be read; 10: intact, but records report missing evidence; 0: none of these. */
export type VerifyExit = 0 | 10 | 20 | 30;

/** How many records of a log come after its newest signature, and whether they were written with the log's key. */
export interface UnsignedTail {
  readonly log: string;
  readonly records: number;
  /** Whether the MAC of the log's head is right, so that the records were written with the log's key; null if the key is not here. */
  readonly authentic: boolean | null;
}

export interface Custody {
  /** Who can read the signing key. */
  readonly key: string;
  /** Where the signed heads were that the store was compared with. */
  readonly heads: string;
}

/** The part of a verdict that a store, a session, a task and a proof file share. */
export interface Judged {
  readonly exit: VerifyExit;
  readonly broken_count: number;
  /** The first findings only; `broken_count` is the number of all findings. */
  readonly findings: readonly Finding[];
  /** Facts that are not faults: erased contents, unknown kinds of records, a machine that went down. */
  readonly remarks: readonly string[];
  readonly checked: readonly string[];
  readonly not_checked: readonly string[];
  readonly custody: Custody;
}

export interface Verdict extends Judged {
  /** True if the store was read and no contradiction was found. */
  readonly valid: boolean;
  /** True if everything that was asked for was checked. */
  readonly complete: boolean;
  /** The number of the record at which an unfinished verification stopped. */
  readonly checked_to_seq?: number;
  readonly scope: VerdictScope;
  readonly record_count: number;
  readonly first_broken_at: (Where & { readonly message: string }) | null;
  readonly missing: readonly Missing[];
  /** For each log, how many records are after its newest signature, and whether the MAC shows that they were written with the log's key. */
  readonly unsigned: readonly UnsignedTail[];
}
