// The rows of votes: signed votes, and signed statements that a voter tried to vote a second time. A row never changes.
import { saltedDigest } from '../ledger/hashes.js';
import type { Subject } from '../proof/records.js';
import type { ReadTx, Tx } from '../store/store.js';
import { insertInto, type NamingRecord, PLACE_COLUMNS, placeFor, subjectWith, valuesOf } from './rows.js';
import type { SignedStatement } from './signed.js';
import type { CastVote } from './tally.js';

export type VoteIdentity = 'claimed' | 'enrolled';

export type VoteRow = CastVote & {
  readonly round_id: string;
  readonly identity: VoteIdentity;
  readonly statement: string;
  readonly instance: string | null;
  readonly reason: string | null;
  readonly reason_salt: string | null;
  readonly known_at: string;
  readonly rev: number;
  readonly salt: string;
  readonly log_id: string;
  readonly seq: number;
};

/** The columns that are in the digest of a row, besides its id. The reason is not: its digest is in the signed statement. */
const VOTE_COLUMNS = [
  ...['round_id', 'voter', 'vote', 'root', 'form', 'identity', 'statement', 'instance', 'known_at'],
] as const satisfies readonly (keyof VoteRow)[];
const COLUMNS = ['vote_id', ...VOTE_COLUMNS, 'reason', 'reason_salt', ...PLACE_COLUMNS] as const;
const SELECT = `SELECT ${COLUMNS.join(', ')} FROM votes`;
const INSERT = insertInto('votes', COLUMNS);

export const voteById = (tx: ReadTx, id: string): Promise<VoteRow | undefined> =>
  tx.get<VoteRow>(`${SELECT} WHERE vote_id = ?`, id);

/** All votes on a round, also those that do not count, by voter. */
export const allVotesOn = (tx: ReadTx, roundId: string): Promise<VoteRow[]> =>
  tx.all<VoteRow>(`${SELECT} WHERE round_id = ? ORDER BY voter, vote_id`, roundId);

/** The votes on a round without those under names that are enrolled now which another key signed: nobody votes, or stands in the way, for a voter. */
export const votesOn = (tx: ReadTx, roundId: string): Promise<VoteRow[]> =>
  tx.all<VoteRow>(
    `${SELECT} WHERE round_id = ?
     AND (identity = 'enrolled' OR NOT EXISTS (SELECT 1 FROM voters WHERE name = votes.voter AND revoked_at IS NULL))
     ORDER BY voter, vote_id`,
    roundId,
  );

/** The votes that this store learned of at `since` or later, in that order. */
export const votesSince = (tx: ReadTx, since: string): Promise<VoteRow[]> =>
  tx.all<VoteRow>(`${SELECT} WHERE known_at >= ? ORDER BY known_at, vote_id`, since);

/** The digest of a vote's reason; null without one. */
export const reasonDigest = (reason: string | null, salt: string | null): string | null =>
  reason === null || salt === null ? null : saltedDigest(Buffer.from(salt, 'hex'), reason);

/** What a store knows of a vote besides what is signed. */
export type VoteCircumstances = Pick<VoteRow, 'identity' | 'instance' | 'reason' | 'reason_salt'>;

export const insertVote = async (
  tx: Tx,
  place: NamingRecord,
  { id, text, body }: SignedStatement,
  { identity, instance, reason, reason_salt }: VoteCircumstances,
): Promise<{ readonly row: VoteRow; readonly subject: Subject }> => {
  const row: VoteRow = {
    ...{ vote_id: id, round_id: String(body.round_id), voter: String(body.voter), root: String(body.root) },
    ...{ vote: body.vote as VoteRow['vote'], form: body.kind as VoteRow['form'], identity, statement: text },
    ...{ instance, reason, reason_salt, known_at: place.at },
    ...placeFor(place, 1),
  };
  await tx.run(INSERT, ...valuesOf(row, COLUMNS));
  return { row, subject: subjectWith('vote', id, row, VOTE_COLUMNS) };
};
