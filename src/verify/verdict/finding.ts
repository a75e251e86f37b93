// What verification can find. A finding is a contradiction: something that no honest history of the store explains.

/** Where it was found. `seq` is the place of a record in its log, `id` the name of an evidence row. */
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
  | 'subject' // a record names a row that is not there, or is another one
  | 'row' // a row that its record does not name, or names otherwise
  | 'derived' // a column that follows from others and does not
  | 'chain' // thoughts of a session
  | 'checkpoint'
  | 'head' // a head that was signed is no beginning of the log
  | 'receipt'
  | 'log' // the row of a log
  | 'schema'
  | 'file'; // the engine's own check of its file

export interface Finding {
  readonly kind: FindingKind;
  readonly where: Where;
  /** One sentence. */
  readonly message: string;
  /** Of a head that is no beginning of its log: how many records it was signed for. */
  readonly signed?: number;
}

/** Intact, but something is not there any more, and the store says so itself. */
export interface Missing {
  readonly kind: 'restore' | 'gap' | 'open calls' | 'lost key' | 'no head';
  readonly message: string;
  readonly count?: number;
}
