// The enrolled voters: names that a person enrolled at a terminal, each with the public key that its votes must be signed with.
import { readSize } from '../ledger/head.js';
import { append } from '../ledger/ledger.js';
import type { OwnLog } from '../ledger/own-log.js';
import type { ReadTx, Tx } from '../store/store.js';
import { insertInto, PLACE_COLUMNS, placeFor, subjectWith, valuesOf } from './rows.js';

export type VoterRow = {
  readonly name: string;
  readonly public_key: string;
  readonly enrolled_at: string;
  readonly enrolled_by: string;
  readonly revoked_at: string | null;
  readonly revoked_by: string | null;
  readonly rev: number;
  readonly salt: string;
  readonly log_id: string;
  readonly seq: number;
};

/** The columns that are in the digest of a row, besides its name. */
const VOTER_COLUMNS = ['public_key', 'enrolled_at', 'enrolled_by', 'revoked_at', 'revoked_by'] as const;
const COLUMNS = ['name', ...VOTER_COLUMNS, ...PLACE_COLUMNS] as const;
const SELECT = `SELECT ${COLUMNS.join(', ')} FROM voters`;
const INSERT = insertInto('voters', COLUMNS);
const CHANGED = [...VOTER_COLUMNS, ...PLACE_COLUMNS];
const CHANGE = `UPDATE voters SET ${CHANGED.map((name) => `${name} = ?`).join(', ')} WHERE name = ? AND rev = ?`;

export const voterByName = (tx: ReadTx, name: string): Promise<VoterRow | undefined> =>
  tx.get<VoterRow>(`${SELECT} WHERE name = ?`, name);

export const voterByKey = (tx: ReadTx, publicKey: string): Promise<VoterRow | undefined> =>
  tx.get<VoterRow>(`${SELECT} WHERE public_key = ?`, publicKey);

/** All voters, the revoked ones too, by name. */
export const listVoters = (tx: ReadTx): Promise<VoterRow[]> => tx.all<VoterRow>(`${SELECT} ORDER BY name`);

export const isEnrolled = (row: VoterRow | undefined): row is VoterRow => row !== undefined && row.revoked_at === null;

/** The log that gets the record, and the time in it. */
export interface VoterBooks {
  readonly log: OwnLog;
  readonly at: string;
}

const save = async (
  tx: Tx,
  { log, at }: VoterBooks,
  before: VoterRow | undefined,
  values: Pick<VoterRow, 'name' | (typeof VOTER_COLUMNS)[number]>,
): Promise<VoterRow> => {
  const seq = await readSize(tx, log.id);
  const row: VoterRow = { ...values, ...placeFor({ log, at, seq }, (before?.rev ?? 0) + 1) };
  if (before === undefined) await tx.run(INSERT, ...valuesOf(row, COLUMNS));
  else if ((await tx.run(CHANGE, ...valuesOf(row, CHANGED), row.name, before.rev)) !== 1)
    throw new Error(`voter ${row.name} was changed meanwhile`);
  const isRevoked = row.revoked_at !== null;
  const record = {
    kind: 'voter',
    name: row.name,
    state: isRevoked ? 'revoked' : 'enrolled',
    public_key: row.public_key,
    by: isRevoked ? (row.revoked_by ?? '') : row.enrolled_by,
    subjects: [subjectWith('voter', row.name, row, VOTER_COLUMNS)],
  } as const;
  await append(tx, log, [{ at, record }]);
  return row;
};

export interface NewVoter {
  readonly name: string;
  /** 64 hex digits. */
  readonly publicKey: string;
  readonly by: string;
}

/** Enrols a voter, or one that was revoked again, with its record; undefined if the name is enrolled or the key was another name's. */
export const enrolVoter = async (
  tx: Tx,
  books: VoterBooks,
  { name, publicKey, by }: NewVoter,
): Promise<VoterRow | undefined> => {
  await tx.lock?.('voters');
  const [before, other] = [await voterByName(tx, name), await voterByKey(tx, publicKey)];
  if (isEnrolled(before) || (other !== undefined && other.name !== name)) return undefined;
  const values = { name, public_key: publicKey, enrolled_at: books.at, enrolled_by: by };
  return save(tx, books, before, { ...values, revoked_at: null, revoked_by: null });
};

/** Revokes a voter, with its record; undefined if no such voter is enrolled. Votes that were cast before stay. */
export const revokeVoter = async (
  tx: Tx,
  books: VoterBooks,
  { name, by }: Pick<NewVoter, 'name' | 'by'>,
): Promise<VoterRow | undefined> => {
  await tx.lock?.('voters');
  const before = await voterByName(tx, name);
  return isEnrolled(before) ? save(tx, books, before, { ...before, revoked_at: books.at, revoked_by: by }) : undefined;
};
