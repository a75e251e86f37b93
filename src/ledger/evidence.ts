// Links evidence rows (task, lease, session, thought, …) to the record that last changed them. A writing handler reports which rows it
// changed; the call's outcome record names each row with its revision and digest, and each row names that record. So a row that was edited,
// inserted, deleted or put back is detected.
import { hash } from 'node:crypto';
import { canonicalJson } from '../proof/canonical-json.js';
import type { Subject } from '../proof/records.js';
import type { Tx } from '../store/store.js';
import { newSalt } from './hashes.js';
import { readSize } from './head.js';
import type { OwnLog } from './own-log.js';

/** The content that a row's digest covers: identity, revision, salt, and the columns that docs/audit-format.md lists for its type. */
export interface EvidenceRow {
  readonly type: Subject['type'];
  readonly id: string;
  readonly rev: number;
  readonly salt: string;
  readonly columns: Readonly<Record<string, unknown>>;
}

/** What a record says about an evidence row. The digest of the row is SHA-256(0x00 ‖ JCS{type, id, rev, salt, …columns}). */
export const subjectOf = ({ type, id, rev, salt, columns }: EvidenceRow): Subject => ({
  type,
  id,
  rev,
  digest: hash('sha256', `\u0000${canonicalJson({ type, id, rev, salt, ...columns })}`),
});

/** A fresh salt for each revision of a row: the content behind an old digest must not be guessable with the salt of a newer one. */
export const rowSalt = (): string => newSalt().toString('hex');

/** The position of a record: its log and its seq there. */
export interface EvidencePlace {
  readonly log: string;
  readonly seq: number;
}

/** Collects the rows that one run of a writing handler changed. A transaction that runs again starts with a new object. */
export class Evidence {
  readonly log: OwnLog;
  readonly #tx: Tx;
  readonly #subjects = new Map<string, Subject>();
  #place: EvidencePlace | undefined;

  /** `seq`: the position that the record about these rows will get, if it is known already. */
  constructor(tx: Tx, log: OwnLog, seq?: number) {
    this.#tx = tx;
    this.log = log;
    if (seq !== undefined) this.#place = { log: log.id, seq };
  }

  /** The position that the record about these rows will get; by default the next one in the log, since the transaction holds the write lock. */
  async place(): Promise<EvidencePlace> {
    this.#place ??= { log: this.log.id, seq: await readSize(this.#tx, this.log.id) };
    return this.#place;
  }

  /** Adds a changed row. A record names each row once, with its last revision. */
  add(subject: Subject): void {
    this.#subjects.set(`${subject.type} ${subject.id}`, subject);
  }

  get subjects(): readonly Subject[] {
    return [...this.#subjects.values()];
  }
}
