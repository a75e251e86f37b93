// What a verification asks of a database engine. Statements whose text is the same on every engine are in the repositories of the other
// rooms; these are the others.
import type { EvidenceTable, StoredRow } from '../evidence/evidence-repository.js';
import type { Key } from '../evidence/walk.js';
import type { RecordLines } from '../log/ledger-repository.js';
import type { ActionRow } from '../log/record.js';
import type { StoreReader, StoreReading, StoreSnapshot, Value } from '../reading.js';
import type { Found } from '../verdict/finding-list.js';

export type EngineName = 'sqlite' | 'postgres';

export interface FirstLook {
  /** Why this store cannot be judged: not a Colibri store, or of another version; undefined if it can. */
  readonly unreadable?: string;
  /** The format of the store, if it is newer than this version knows: only records, tree and signatures can be checked. */
  readonly newer?: number;
  /** Findings about foreign or changed objects in the schema. Reading more would run them: a view in place of a table may never end. */
  readonly planted: Found;
}

export interface FileJob {
  /** The most records with which SQLite's own check includes the table of records. */
  readonly mostRecords: number;
}

export interface FileReport {
  readonly found: Found;
  /** What the engine's own check has covered; see `FILE_CHECKS` in results.ts. */
  readonly covered: FileCover;
}

export type FileCover = 'whole' | 'without records' | 'server';

export interface VerifyEngine {
  readonly name: EngineName;
  /** A value below every record id that the engine can store, and one that is not below any of them. */
  readonly idRange: readonly [Value, Value];
  firstLook(tx: StoreReading): FirstLook;
  /** Checks everything that the store says about its schema, in a store of a known format. */
  checkSchema(tx: StoreReading, found: Found): void;
  /** Runs the engine's own checks of its storage. */
  checkFile(reader: StoreReader, job: FileJob): FileReport;
  /** The records with ids `from … to` (`to` excluded), in order. */
  recordsIn(tx: StoreSnapshot, from: number, to: number): ActionRow[];
  recordLines(
    tx: StoreSnapshot,
    log: { readonly log: string; readonly base: number },
    [from, to]: readonly [number, number],
  ): RecordLines;
  /** The stored bytes of a record's body, because a text that is not UTF-8 reads like a text with U+FFFD. */
  bodyBytes(tx: StoreReading, id: number): unknown;
  payloadBytes(tx: StoreReading, log: string, seq: number): unknown;
  /** Whether the index of `accept` records has a record. */
  isIndexedAcceptance(tx: StoreReading, id: number): boolean;
  /** A condition that is true if the text of `column` contains `text`, a constant without quotation marks of SQL. */
  contains(column: string, text: string): string;
  /** A page of an evidence table after a key (null: from the start), in an order in which reading always ends. */
  evidencePage(tx: StoreReading, table: EvidenceTable, after: Key | null, limit: number): StoredRow[];
  /** The key of a row of `evidencePage`. */
  keyOf(table: EvidenceTable, row: StoredRow): Key;
  /** Counts the rows that `evidencePage` never returns. */
  countOutside(tx: StoreReading, table: EvidenceTable): number;
  /** The bytes of a text value of a row, as they are stored. */
  bytesOf(tx: StoreReading, table: EvidenceTable, column: string, row: StoredRow): unknown;
  /** Where the engine remembers the numbers that it gave to tasks. */
  readonly numbersTable: string;
  /** The numbers that were given out: rows (name of the table, seq). */
  numbersGiven(tx: StoreReading): StoredRow[];
  sessionRow(tx: StoreReading, id: string): StoredRow | undefined;
  /** A page of a session's thoughts, counted by offset: somebody may have changed `place`, and no row may be skipped. */
  thoughtsOf(
    tx: StoreReading,
    sessionId: string,
    page: { readonly offset: number; readonly limit: number },
  ): StoredRow[];
  /** Whether the Colibri process with this instance id lives. */
  isAlive(reader: StoreReader, path: string, instance: string): Promise<boolean>;
}
