// Checks approvals: the row against its newest record, its three records against each other, and the calls that name one.

import { isDeepStrictEqual } from 'node:util';
import { type EvidenceRow, subjectOf } from '../../ledger/evidence.js';
import { saltedDigest } from '../../ledger/hashes.js';
import { isObject, type JsonObject, parsedObject } from '../../proof/canonical-json.js';
import type { StoreReading } from '../reading.js';
import type { Finding } from '../verdict/finding.js';
import { approvalRow, recordPlace, roundRow, type StoredRow, storedVotes } from './evidence-repository.js';
import { namedBy, type ReadRecord, recordOf, sayPointer, shown } from './pointer.js';
import type { Walked } from './walk.js';

/** The columns that are in the digest of a row. */
const COLUMNS = [
  ...['exact', 'server', 'tool', 'args_digest', 'definition', 'state', 'via', 'answered_by', 'claimed', 'reason'],
  ...['call_id', 'used_by', 'instance', 'asker', 'asked_at', 'expires_at'],
];

const evidenceOf = (row: StoredRow): EvidenceRow => ({
  type: 'approval',
  id: String(row.approval_id),
  rev: row.rev as number,
  salt: row.salt as string,
  columns: Object.fromEntries([...COLUMNS, ...(row.round === null ? [] : ['round'])].map((name) => [name, row[name]])),
});

/** The members that all records of one approval have alike, and the row too. */
const CONSTANT = ['server', 'tool', 'args_digest', 'definition', 'instance', 'expires_at', 'round'] as const;

const SALT = /^[0-9a-f]{32}$/;

const areArguments = ({ args, args_salt, args_digest }: StoredRow): boolean => {
  if (typeof args_salt !== 'string' || !SALT.test(args_salt)) return false;
  return (
    args === null || (typeof args === 'string' && saltedDigest(Buffer.from(args_salt, 'hex'), args) === args_digest)
  );
};

/** Whether a record says of an approval what its row says. Names in records are cleaned, so they are compared as digests of the row alone. */
const isAlike = ({ body }: ReadRecord, row: StoredRow): boolean =>
  ['state', 'args_digest', 'definition', 'instance', 'expires_at', 'via'].every((name) => body[name] === row[name]) &&
  body.by === row.answered_by &&
  (body.claimed === true ? 1 : 0) === row.claimed &&
  (body.reason ?? null) === row.reason &&
  (body.round ?? null) === row.round;

/** The names that said yes to a round, of the votes that its decision rests on; undefined if it was not decided so. */
const approversOf = (tx: StoreReading, round: unknown): readonly string[] | undefined => {
  const row = roundRow(tx, String(round));
  const decision = parsedObject(row?.decision)?.body;
  if (!isObject(decision) || row?.result !== 'approve' || !Array.isArray(decision.votes)) return undefined;
  const ids = new Set(decision.votes.map(String));
  const votes = storedVotes(tx, String(round)).filter(
    ({ vote_id, vote }) => ids.has(String(vote_id)) && vote === 'approve',
  );
  return votes.map(({ voter }) => String(voter)).sort();
};

/** What is wrong between an approval and the round whose votes decide; nothing for one that a person gives. */
const roundFaults = (tx: StoreReading, row: StoredRow): readonly string[] => {
  if (row.round === null) return row.via === 'quorum' ? ['it was given by votes, and has no round'] : [];
  const round = roundRow(tx, String(row.round));
  const statement = parsedObject(round?.proposal)?.body;
  const said = isObject(statement) && isObject(statement.statement) ? statement.statement.action : undefined;
  const action = { server: row.server, tool: row.tool, exact: row.exact, definition: row.definition };
  if (!isDeepStrictEqual(said, action)) return ['its round is about something else'];
  if (round === undefined || round.expires_at !== row.expires_at) return ['its round ends at another time'];
  if (row.state === 'denied' && row.via === 'quorum')
    return round.result === 'reject' ? [] : ['its round was not decided so'];
  if (row.via !== 'quorum') return row.via === null ? [] : ['it was not given by the votes of its round'];
  return approversOf(tx, row.round) === undefined ? ['its round was not decided so'] : [];
};

const checkApproval = (tx: StoreReading, row: StoredRow): Finding[] => {
  const where = { table: 'approvals', id: shown(row.approval_id) };
  const record = recordOf(tx, row);
  return [
    ...namedBy(record, subjectOf(evidenceOf(row)), where),
    ...(record === undefined || isAlike(record, row)
      ? []
      : [sayPointer('row', where, 'its record says something else')]),
    ...roundFaults(tx, row).map((why) => sayPointer('row', where, why)),
    ...(areArguments(row) ? [] : [sayPointer('row', where, 'its arguments are not those of its digest')]),
  ];
};

export const APPROVALS: Walked = { table: 'approvals', idOf: ({ approval_id }) => approval_id, check: checkApproval };

/** Which state may follow which; an approval has at most three revisions. */
const AFTER: Readonly<Record<string, readonly string[]>> = {
  asked: ['granted', 'denied', 'expired'],
  granted: ['used', 'expired'],
};

/** Says what is wrong between the records of two revisions of one approval that follow each other; undefined if nothing is. */
export const approvalStepFault = (tx: StoreReading, before: number, after: number): string | undefined => {
  const [one, next] = [before, after].map((id) => parsedObject(recordPlace(tx, id)?.body));
  if (one === undefined || next === undefined) return undefined;
  if (!AFTER[String(one.state)]?.includes(String(next.state)))
    return `is ${shown(next.state)} after it was ${shown(one.state)}`;
  const other = CONSTANT.find((name) => one[name] !== next[name]);
  if (other !== undefined) return `has another ${other} than before`;
  if (next.state === 'used' && (one.via !== next.via || one.by !== next.by || one.claimed !== next.claimed))
    return 'is used as somebody else answered';
  return undefined;
};

/** An approval that a call's outcome says it used, and who it says had given it. */
interface UsedApproval {
  readonly id: string;
  readonly allowedBy: readonly unknown[];
}

const usedIn = ({ route }: JsonObject): readonly UsedApproval[] => {
  const attempts: readonly unknown[] = isObject(route) && Array.isArray(route.attempts) ? route.attempts : [];
  return attempts.flatMap((one) => {
    if (!isObject(one) || (one.approval === undefined && one.allowed_by === undefined)) return [];
    const { approval, allowed_by } = one;
    return [{ id: String(approval ?? ''), allowedBy: Array.isArray(allowed_by) ? allowed_by : [] }];
  });
};

export const namesApprovals = (body: JsonObject): boolean => usedIn(body).length > 0;

/** Who gave an approval, unless it is the word of the client that asked. */
const giversOf = (tx: StoreReading, { claimed, answered_by, via, round }: StoredRow): readonly unknown[] => {
  if (via === 'quorum') return approversOf(tx, round) ?? [];
  return claimed === 0 && answered_by !== null ? [answered_by] : [];
};

/** Reports approvals that an outcome names and that its call did not use. */
export const checkApproved = (tx: StoreReading, { log, seq, body }: ReadRecord): Finding[] =>
  usedIn(body).flatMap(({ id, allowedBy }) => {
    const row = approvalRow(tx, id);
    const where = { log, seq, table: 'approvals', id: shown(id) };
    if (row === undefined) return [sayPointer('subject', where, 'is gone')];
    if (row.state !== 'used' || row.used_by !== body.call)
      return [sayPointer('subject', where, 'was not used by this call')];
    return isDeepStrictEqual(allowedBy, giversOf(tx, row))
      ? []
      : [sayPointer('subject', where, 'was given by somebody else')];
  });
