// The types of findings. A finding is a contradiction: something that cannot be in a store that only Colibri has written.

/** The place of a finding. `seq` is the number of a record in its log, `id` the name of a row. */
export interface Where {
  readonly log?: string;
  readonly seq?: number;
  readonly table?: string;
  readonly id?: string;
}

export type FindingKind =
  | 'record' // a record's leaf, canonical form, columns or order
  | 'tree' // a log's frontier, stored tree nodes or size
  | 'call' // the start (intent) and the outcome of a call do not belong together
  | 'payload'
  | 'subject' // a record names a row that is missing or differs
  | 'row' // the record of a row does not name the row, or describes it differently
  | 'derived' // a computed column does not follow from the other columns
  | 'chain' // the thoughts or the seal of a session do not fit together
  | 'checkpoint'
  | 'authentic' // the head of a log does not have the MAC of the log's key
  | 'head' // the log does not continue a signed head
  | 'receipt'
  | 'log' // the row of a log is wrong
  | 'binding' // a log belongs to another store, or is not in this one
  | 'schema'
  | 'file'; // SQLite's own check of the file

export interface Finding {
  readonly kind: FindingKind;
  readonly where: Where;
  /** A sentence that says what is wrong. */
  readonly message: string;
  /** The number of records that a signed head covers, if the finding is that the log does not continue this head. */
  readonly signed?: number;
}

/**
 * Evidence that is gone, but whose absence is explained: a record of the store reports it, or it was in another store. This is not a
 * contradiction.
 */
export interface Missing {
  readonly kind:
    | 'restore'
    | 'gap'
    | 'open calls'
    | 'lost key'
    | 'no head'
    | 'missing log'
    | 'begun anew'
    | 'unsigned'
    | 'newer format';
  readonly message: string;
  readonly count?: number;
}
