// The types of findings. A finding is a contradiction: something that cannot be in a store that only Colibri has written.

/** The place of a finding. `seq` is the place of a record in its log, `id` the name of an evidence row. */
export interface Where {
  readonly log?: string;
  readonly seq?: number;
  readonly table?: string;
  readonly id?: string;
}

export type FindingKind =
  | 'record' // leaf, canonical form, columns, order
  | 'tree' // frontier, tiles, size
  | 'call' // intent and outcome do not belong together
  | 'payload'
  | 'subject' // a record names a row that is missing or differs
  | 'row' // a row that its record does not name, or describes differently
  | 'derived' // a column that does not follow from the others as it should
  | 'chain' // thoughts of a session
  | 'checkpoint'
  | 'head' // the log does not continue a signed head
  | 'receipt'
  | 'log' // the row of a log
  | 'schema'
  | 'file'; // the engine's own check of its file

export interface Finding {
  readonly kind: FindingKind;
  readonly where: Where;
  /** One sentence. */
  readonly message: string;
  /** For a head that its log does not continue: the number of records it was signed for. */
  readonly signed?: number;
}

/** Evidence that is gone although nothing contradicts, because the store itself says so. */
export interface Missing {
  readonly kind: 'restore' | 'gap' | 'open calls' | 'lost key' | 'no head';
  readonly message: string;
  readonly count?: number;
}
