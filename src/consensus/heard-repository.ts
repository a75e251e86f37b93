// What stores tell each other about logs: signed checkpoints, and signatures of others under them. A row never changes.
import type { Subject } from '../proof/records.js';
import type { ReadTx, Tx } from '../store/store.js';
import { insertInto, type NamingRecord, PLACE_COLUMNS, placeFor, subjectWith, valuesOf } from './rows.js';
import type { SignedStatement } from './signed.js';

/** A size of a log, and the Merkle root over its records then. */
export type SeenCheckpoint = {
  readonly log: string;
  readonly size: number;
  readonly root: string;
};

export type HeardRow = SeenCheckpoint & {
  readonly event_id: string;
  readonly kind: 'checkpoint' | 'cosigned';
  readonly statement: string;
  readonly known_at: string;
  readonly rev: number;
  readonly salt: string;
  readonly log_id: string;
  readonly seq: number;
};

const HEARD_COLUMNS = [
  'kind',
  'log',
  'size',
  'root',
  'statement',
  'known_at',
] as const satisfies readonly (keyof HeardRow)[];
const COLUMNS = ['event_id', ...HEARD_COLUMNS, ...PLACE_COLUMNS] as const;
const SELECT = `SELECT ${COLUMNS.join(', ')} FROM heard`;
const INSERT = insertInto('heard', COLUMNS);

export const isHeard = async (tx: ReadTx, id: string): Promise<boolean> =>
  (await tx.get('SELECT event_id FROM heard WHERE event_id = ?', id)) !== undefined;

/** What this store learned at `since` or later, in that order. */
export const heardSince = (tx: ReadTx, since: string): Promise<HeardRow[]> =>
  tx.all<HeardRow>(`${SELECT} WHERE known_at >= ? ORDER BY known_at, event_id`, since);

/** What is known of one log from size `above` on: checkpoints, or signatures of others under them. */
export const heardOf = (tx: ReadTx, kind: HeardRow['kind'], log: string, above: number): Promise<HeardRow[]> =>
  tx.all<HeardRow>(`${SELECT} WHERE kind = ? AND log = ? AND size > ? ORDER BY size, event_id`, kind, log, above);

/** All checkpoints that are known, the smallest of each log first. */
export const heardCheckpoints = (tx: ReadTx): Promise<HeardRow[]> =>
  tx.all<HeardRow>(`${SELECT} WHERE kind = 'checkpoint' ORDER BY log, size, event_id`);

/** The newest checkpoint of a log of this store. */
export const newestCheckpointOf = (tx: ReadTx, log: string) =>
  tx.get<{ size: number; note: string }>(
    'SELECT size, note FROM checkpoints WHERE log_id = ? ORDER BY no DESC LIMIT 1',
    log,
  );

/** A log of this store: its number, and how many records it has. */
export const logAt = (tx: ReadTx, log: string) =>
  tx.get<{ no: number; size: number }>('SELECT no, size FROM logs WHERE log_id = ?', log);

/** The checkpoints of one log of one size with different roots are a fork: its key signed two histories. */
export const forkedHeard = (tx: ReadTx): Promise<{ log: string; size: number }[]> =>
  tx.all<{ log: string; size: number }>(
    `SELECT log, size FROM heard WHERE kind = 'checkpoint' GROUP BY log, size HAVING COUNT(DISTINCT root) > 1 ORDER BY log, size`,
  );

/** The first checkpoint of a log of this store that covers its record `seq`. */
export const firstCheckpointAfter = (tx: ReadTx, log: string, seq: number) =>
  tx.get<{ size: number; note: string }>(
    'SELECT size, note FROM checkpoints WHERE log_id = ? AND size > ? ORDER BY no LIMIT 1',
    log,
    seq,
  );

export const insertHeard = async (
  tx: Tx,
  place: NamingRecord,
  { id, text, body }: SignedStatement,
  of: SeenCheckpoint,
): Promise<Subject> => {
  const row: HeardRow = {
    ...{ event_id: id, kind: body.kind as HeardRow['kind'], log: of.log, size: of.size, root: of.root },
    ...{ statement: text, known_at: place.at },
    ...placeFor(place, 1),
  };
  await tx.run(INSERT, ...valuesOf(row, COLUMNS));
  return subjectWith('heard', id, row, HEARD_COLUMNS);
};
