// Evidence rows (task, lease, session, thought, …) and the record that last changed them. A writing handler tells
// what it changed; the outcome record names each row with its revision and digest, and each row names that record. So
// an edited, inserted, deleted or put-back row shows.
import { hash } from 'node:crypto';
import { canonicalJson } from '../proof/canonical-json.js';
import type { Subject } from '../proof/records.js';
import type { Tx } from '../store/store.js';
import { newSalt } from './hashes.js';
import { readSize } from './ledger.js';

/** What is digested of a row: identity, revision, salt, and the columns that docs/audit-format.md lists for its type. */
export interface EvidenceRow {
  readonly type: Subject['type'];
  readonly id: string;
  readonly rev: number;
  readonly salt: string;
  readonly columns: Readonly<Record<string, unknown>>;
}

/** SHA-256(0x00 ‖ JCS{type, id, rev, salt, …columns}). */
export const subjectOf = ({ type, id, rev, salt, columns }: EvidenceRow): Subject => ({
  type,
  id,
  rev,
  digest: hash('sha256', `\u0000${canonicalJson({ type, id, rev, salt, ...columns })}`),
});

/** A fresh salt for each revision: an old digest must not be guessable with the salt of a newer one. */
export const rowSalt = (): string => newSalt().toString('hex');

/** Where a record stands. */
export interface EvidencePlace {
  readonly log: string;
  readonly seq: number;
}

/** What one run of a writing handler has changed. A transaction that runs again starts with a new one. */
export class Evidence {
  readonly log: string;
  readonly #tx: Tx;
  readonly #subjects = new Map<string, Subject>();
  #place: EvidencePlace | undefined;

  constructor(tx: Tx, log: string) {
    this.#tx = tx;
    this.log = log;
  }

  /** Where the outcome record of this call will stand: next, since the transaction holds the log. */
  async place(): Promise<EvidencePlace> {
    this.#place ??= { log: this.log, seq: await readSize(this.#tx, this.log) };
    return this.#place;
  }

  /** The last revision of a row counts; one record names a row once. */
  add(subject: Subject): void {
    this.#subjects.set(`${subject.type} ${subject.id}`, subject);
  }

  get subjects(): readonly Subject[] {
    return [...this.#subjects.values()];
  }
}
