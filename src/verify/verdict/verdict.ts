// The answer of a verification, for a program and for a person, and the exit code that goes with it.
import type { Finding, Missing, Where } from './finding.js';

export type VerdictScope =
  | { readonly kind: 'store' }
  | { readonly kind: 'session'; readonly id: string }
  | { readonly kind: 'task'; readonly id: string };

/** 20 any contradiction; 30 cannot be read; 10 intact, but evidence is missing and says so; 0 neither. */
export type VerifyExit = 0 | 10 | 20 | 30;

export interface Custody {
  /** Who can sign in our name. */
  readonly key: string;
  /** Where the heads are that a rollback was measured by. */
  readonly heads: string;
}

/** What is said of a store, a session, a task and a proof file alike. */
export interface Judged {
  readonly exit: VerifyExit;
  readonly broken_count: number;
  /** The first of them; `broken_count` counts all. */
  readonly findings: readonly Finding[];
  /** True and worth knowing, no fault: erased contents, unknown kinds, a machine that went down. */
  readonly remarks: readonly string[];
  readonly checked: readonly string[];
  readonly not_checked: readonly string[];
  readonly custody: Custody;
}

export interface Verdict extends Judged {
  /** No contradiction was found. */
  readonly valid: boolean;
  /** Everything in scope was looked at. */
  readonly complete: boolean;
  /** Where an unfinished verification of the ledger stopped. */
  readonly checked_to_seq?: number;
  readonly scope: VerdictScope;
  readonly record_count: number;
  readonly first_broken_at: (Where & { readonly message: string }) | null;
  readonly missing: readonly Missing[];
}
